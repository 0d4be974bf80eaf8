use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::StoreError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::database::{Database, Statements, unavailable};
use crate::migrate::migrate;
use crate::session::{Route, Sessions};
use crate::signal::Signal;
use crate::store::Store;

const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const READERS: u32 = 4;
/// Enough for 16 workers that finish at once, and the mailbox beside them.
const POSTGRES_CONNECTIONS: u32 = 20;

impl Store {
    /// `postgres://...` or `postgresql://...`; anything else is a file, with or without `sqlite:` before it.
    /// The schema is brought up to date.
    ///
    /// Whether a PostgreSQL address leads to the server itself or through a pooler is found out. On a session
    /// of its own the store prepares statements once and is told of news by LISTEN. Through a pooler it keeps
    /// nothing on a connection and looks for news ten times a second. `?statement-cache-capacity=100` at the
    /// end of the address says that it is direct, and `=0` that it is not, and nothing is tried.
    /// `?sslmode=verify-full&sslrootcert=FILE` asks for TLS.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Store::open_postgres(url).await;
        }
        let path = url.strip_prefix("sqlite:").unwrap_or(url);
        Store::open_sqlite(Path::new(path.strip_prefix("//").unwrap_or(path))).await
    }

    /// Every commit is on the disk before it is answered (`synchronous = FULL`): a store that forgets what it
    /// said after a power cut would have lost something.
    pub async fn open_sqlite(path: &Path) -> Result<Store, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT);
        let failed = |error: sqlx::Error| unavailable("be opened", &error);
        let pool = |connections| {
            SqlitePoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT)
        };
        let writer = pool(1).connect_with(options.clone()).await.map_err(failed)?;
        let readers = pool(READERS).connect_lazy_with(options);
        let watcher = readers.acquire().await.map_err(failed)?.detach();
        Store::start(Database::Sqlite { writer, readers }, Signal::watching_sqlite(watcher)).await
    }

    /// A wrong address is told at once: a pool would try again for as long as a caller may wait.
    pub async fn open_postgres(url: &str) -> Result<Store, StoreError> {
        let failed = |error: sqlx::Error| unavailable("be opened", &error);
        let options = PgConnectOptions::from_str(url).map_err(failed)?.extra_float_digits(None);
        let route = match wanted_cache(url) {
            None => Route::find(options, CONNECT_TIMEOUT).await,
            Some(0) => Route::given(options, Sessions::Shared, CONNECT_TIMEOUT).await,
            Some(_) => Route::given(options, Sessions::Own { name: None }, CONNECT_TIMEOUT).await,
        };
        let Route { options, sessions } = route.map_err(failed)?;
        let (options, statements) = match sessions {
            Sessions::Own { .. } => (options, Statements::Cached),
            Sessions::Shared => (options.statement_cache_capacity(0), Statements::Unnamed),
        };
        let pool = PgPoolOptions::new()
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options)
            .await
            .map_err(failed)?;
        let signal = match sessions {
            Sessions::Own { name } => Signal::listening(pool.clone(), name),
            Sessions::Shared => Signal::polling(),
        };
        Store::start(Database::Postgres { pool, statements }, signal).await
    }

    async fn start(database: Database, signal: Signal) -> Result<Store, StoreError> {
        migrate(&database).await?;
        Ok(Store { database, signal: Arc::new(signal) })
    }
}

/// How many statements the address asks to keep prepared on each connection, if it says so.
fn wanted_cache(url: &str) -> Option<usize> {
    let (_, rest) = url.split_once("statement-cache-capacity=")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
