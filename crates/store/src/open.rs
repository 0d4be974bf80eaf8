use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::StoreError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::database::{Database, Statements, unavailable};
use crate::migrate::migrate;
use crate::session::{Route, Sessions};
use crate::signal::Signal;
use crate::sqlite::SqliteFile;
use crate::store::Store;

const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
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

    pub async fn open_sqlite(path: &Path) -> Result<Store, StoreError> {
        let (file, watcher) = SqliteFile::open(path).await?;
        Store::start(Database::Sqlite(file), Signal::watching_sqlite(watcher)).await
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
