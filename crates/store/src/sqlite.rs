//! The SQLite file and the connections to it.
//!
//! Somebody may delete the folder that it lies in while we have it open. The system keeps the content for as
//! long as a connection does, and so it can be put back. Until then every new connection has to be kept from
//! going to another file of the same name.

use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use domain::ports::StoreError;
use jiff::Timestamp;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection, SqlitePool};

use crate::database::{Database, unavailable};
use crate::migrate::migrate;
use crate::store::Store;
use crate::writer::Writer;

const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
const READERS: u32 = 4;

/// One connection writes, any number read beside it.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pub(crate) writer: Writer,
    pub(crate) readers: SqlitePool,
    /// While it is open, no other file can have the same.
    inode: Inode,
}

/// Where the file belongs, and the connections to what was found there.
#[derive(Debug, Clone)]
pub(crate) struct SqliteFile {
    path: Arc<Path>,
    pools: Arc<RwLock<Pools>>,
}

type Inode = (u64, u64);

/// What became of the file since somebody last asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is the one that was opened. So is a server, whatever becomes of its files.
    Unchanged,
    /// It had been deleted, and is back with everything that was in it.
    Restored,
    /// It had been deleted, and another process was faster to put it back.
    RestoredByOthers,
    /// Another stands in its place and is used from now on. What the old one held is kept in `saved`.
    Replaced { saved: PathBuf },
}

impl SqliteFile {
    /// With a connection that stays open, whatever becomes of the others.
    pub(crate) async fn open(path: &Path) -> Result<(SqliteFile, SqliteConnection), StoreError> {
        let (pools, watcher) = connect(path).await?;
        let file = SqliteFile { path: path.into(), pools: Arc::new(RwLock::new(pools)) };
        Ok((file, watcher))
    }

    pub(crate) fn pools(&self) -> Pools {
        self.pools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn close(&self) {
        let Pools { writer, readers, .. } = self.pools();
        readers.close().await;
        writer.close().await;
    }

    fn use_from_now_on(&self, pools: Pools) {
        *self.pools.write().unwrap_or_else(PoisonError::into_inner) = pools;
    }
}

impl Store {
    /// Looks whether the SQLite file is still where it was opened. One that was deleted is put back with all
    /// its content, and work goes on with it: leases hold, nothing is lost. One that somebody else has made
    /// meanwhile is never overwritten: the old content is saved beside it.
    ///
    /// Of several processes that had the file open, one puts it back, and its last act on the old one is to
    /// make it useless: nobody can write there what nobody would find.
    pub async fn stand(&self) -> Result<Standing, StoreError> {
        let Database::Sqlite(file) = &self.database else { return Ok(Standing::Unchanged) };
        let old = file.pools();
        if inode_of(&file.path).map_err(|error| broken(&error))? == Some(old.inode) {
            return Ok(Standing::Unchanged);
        }
        let failed = |error: sqlx::Error| unavailable("be restored", &error);
        let mut last_write = old.writer.turn().await.map_err(failed)?;
        let writer = last_write.begun().await.map_err(failed)?;
        let standing = match was_moved(writer).await.map_err(failed)? {
            true => Standing::RestoredByOthers,
            false => restore(&file.path, &old).await?,
        };
        let (pools, watcher) = connect_up_to_date(&file.path).await?;
        if standing != Standing::RestoredByOthers {
            sqlx::raw_sql(MOVE).execute(writer).await.map_err(failed)?;
        }
        last_write.commit().await.map_err(failed)?;
        file.use_from_now_on(pools);
        self.signal.watch_instead(watcher).await;
        self.signal.beat();
        Ok(standing)
    }
}

/// From then on every statement on the old file fails, and those who try find the new one.
const MOVE: &str = "ALTER TABLE tasks RENAME TO moved_tasks";

async fn was_moved(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'moved_tasks'";
    Ok(sqlx::query(sql).fetch_optional(connection).await?.is_some())
}

/// The caller keeps everybody from writing to the old file.
async fn restore(path: &Path, old: &Pools) -> Result<Standing, StoreError> {
    let io = |error: io::Error| broken(&error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    if inode_of(path).map_err(io)?.is_some() {
        // What cannot be used does not take the place of what could.
        connect_up_to_date(path).await?;
    }
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let saved = beside(path, &format!(".recovered-{now}-{}", std::process::id()));
    let mut reader = old.readers.acquire().await.map_err(|error| unavailable("be restored", &error))?;
    sqlx::query("VACUUM INTO $1")
        .bind(saved.to_string_lossy().into_owned())
        .execute(&mut *reader)
        .await
        .map_err(|error| unavailable("be restored", &error))?;
    std::fs::File::open(&saved).and_then(|file| file.sync_all()).map_err(io)?;
    if inode_of(path).map_err(io)?.is_none() {
        // They belong to the deleted file, and would be taken for the new one's.
        for end in ["-wal", "-shm"] {
            remove_if_there(&beside(path, end)).map_err(io)?;
        }
    }
    match std::fs::hard_link(&saved, path) {
        Ok(()) => std::fs::remove_file(&saved).map(|()| Standing::Restored).map_err(io),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Standing::Replaced { saved }),
        Err(error) => Err(io(error)),
    }
}

/// Every commit is on the disk before it is answered (`synchronous = FULL`): a store that forgets what it
/// said after a power cut would have lost something.
async fn connect(path: &Path) -> Result<(Pools, SqliteConnection), StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT);
    let failed = |error: sqlx::Error| unavailable("be opened", &error);
    let watcher = first(&options).await.map_err(failed)?;
    let inode = inode_of(path).map_err(|error| broken(&error))?;
    let inode = inode.ok_or_else(|| broken(&io::Error::from(ErrorKind::NotFound)))?;
    let options = options.create_if_missing(false);
    let owned: Arc<Path> = path.into();
    let same = move || is_still(&owned, inode);
    let writer = Writer::connect(options.clone(), same.clone()).await.map_err(failed)?;
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // A connection that is closed could not be replaced once the file is gone.
        .idle_timeout(None)
        .max_lifetime(None)
        .after_connect(move |_, _| {
            let checked = same();
            Box::pin(async move { checked.map_err(sqlx::Error::Io) })
        });
    let readers = readers.connect_with(options).await.map_err(failed)?;
    Ok((Pools { writer, readers, inode }, watcher))
}

/// The one that makes the file what it is to be. Of several who find it empty one does, and SQLite turns the others away at
/// once, however long they were willing to wait.
async fn first(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    const BUSY: &str = "5";
    const GLANCE: Duration = Duration::from_millis(20);
    let began = Instant::now();
    loop {
        match options.connect().await {
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some(BUSY) && began.elapsed() < BUSY_TIMEOUT => {}
            connected => return connected,
        }
        tokio::time::sleep(GLANCE).await;
    }
}

async fn connect_up_to_date(path: &Path) -> Result<(Pools, SqliteConnection), StoreError> {
    let (pools, watcher) = connect(path).await?;
    let file = SqliteFile { path: path.into(), pools: Arc::new(RwLock::new(pools.clone())) };
    migrate(&Database::Sqlite(file)).await?;
    Ok((pools, watcher))
}

fn is_still(path: &Path, inode: Inode) -> io::Result<()> {
    match inode_of(path)? == Some(inode) {
        true => Ok(()),
        false => Err(io::Error::other("the file was deleted or replaced while it was in use")),
    }
}

fn inode_of(path: &Path) -> io::Result<Option<Inode>> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn broken(error: &io::Error) -> StoreError {
    StoreError::Unavailable { action: "be used", reason: format!("its file: {error}") }
}
