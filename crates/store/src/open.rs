use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::StoreError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};

use crate::database::{Database, Statements, unavailable};
use crate::migrate::migrate;
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
    /// A PostgreSQL address may lead through a pooler, so nothing is kept on a connection, and workers look for
    /// news ten times a second. `?statement-cache-capacity=100` at its end says that it does not: statements
    /// are then prepared once per connection, and LISTEN tells of news at once.
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

    pub async fn open_postgres(url: &str) -> Result<Store, StoreError> {
        let failed = |error: sqlx::Error| unavailable("be opened", &error);
        let options = PgConnectOptions::from_str(url).map_err(failed)?.extra_float_digits(None);
        let (options, statements) = match wanted_cache(url) {
            0 => (options.statement_cache_capacity(0), Statements::Unnamed),
            _ => (options, Statements::Cached),
        };
        // A pool would try again for as long as a caller may wait; a wrong address should be told at once.
        let first = tokio::time::timeout(CONNECT_TIMEOUT, options.connect()).await;
        let first = first.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut)).map_err(failed)?;
        first.close().await.map_err(failed)?;
        let pool = PgPoolOptions::new()
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options)
            .await
            .map_err(failed)?;
        let signal = match statements {
            Statements::Cached => Signal::listening(pool.clone()),
            Statements::Unnamed => Signal::polling(),
        };
        Store::start(Database::Postgres { pool, statements }, signal).await
    }

    async fn start(database: Database, signal: Signal) -> Result<Store, StoreError> {
        migrate(&database).await?;
        Ok(Store { database, signal: Arc::new(signal) })
    }
}

/// How many statements the address asks to keep prepared on each connection.
fn wanted_cache(url: &str) -> usize {
    let wanted = url.split_once("statement-cache-capacity=").map(|(_, rest)| rest);
    let digits = wanted.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}
