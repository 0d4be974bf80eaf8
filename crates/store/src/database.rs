use domain::ports::StoreError;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Sqlite, SqliteConnection, Transaction};

use crate::dialect::{Engine, translate};
use crate::row::{Arg, Row};
use crate::sqlite::SqliteFile;
use crate::writer::Writing;

/// Connections to one of the two engines.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    Sqlite(SqliteFile),
    Postgres { pool: PgPool, statements: Statements },
}

/// Whether a connection may be relied on to be the same server session from one transaction to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statements {
    /// Nothing is left behind on the server.
    Unnamed,
    /// Prepared once for each connection: faster, and wrong behind a pooler in transaction mode.
    Cached,
}

/// What a transaction is begun for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
}

/// An open transaction. Dropped without [`Tx::commit`], it never happened.
pub(crate) enum Tx {
    SqliteRead(Transaction<'static, Sqlite>),
    SqliteWrite(Writing),
    Postgres(Transaction<'static, Postgres>, Statements),
}

/// Begins a transaction whether or not anybody still waits for it.
///
/// A connection whose BEGIN was sent and not waited for goes back to its pool within a transaction that nobody knows of
/// (sqlx rolls back only what it has counted), and the next statement that commits by itself is swallowed by that: its
/// task is neither claimed nor free. On a task of its own it is counted before it is dropped, and rolled back.
async fn begin_whole(pool: PgPool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let begun = tokio::spawn(async move { pool.begin().await });
    begun.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

impl Database {
    pub(crate) async fn begin(&self, purpose: Purpose) -> Result<Tx, StoreError> {
        let begun = match (self, purpose) {
            (Database::Sqlite(file), Purpose::Write) => file.pools().writer.turn().await.map(Tx::SqliteWrite),
            (Database::Sqlite(file), Purpose::Read) => file.pools().readers.begin().await.map(Tx::SqliteRead),
            (Database::Postgres { pool, statements }, Purpose::Read | Purpose::Write) => {
                begin_whole(pool.clone()).await.map(|tx| Tx::Postgres(tx, *statements))
            }
        };
        begun.map_err(|error| unavailable("begin a transaction", &error))
    }

    /// A write that is one statement, and needs nothing done about its answer. Both engines make a transaction
    /// of it by themselves, which saves two journeys; not through a pooler, where a statement may be prepared
    /// on one connection and run on another unless a transaction holds them together.
    pub(crate) async fn write_row(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, StoreError> {
        let row = match self {
            Database::Sqlite(file) => write_sqlite_row(file, sql, args).await,
            Database::Postgres { pool, statements: statements @ Statements::Cached } => {
                let query = bind_postgres(postgres_query(sql, *statements), args);
                query.fetch_optional(pool).await.map(|row| row.map(Row::Postgres))
            }
            Database::Postgres { statements: Statements::Unnamed, .. } => {
                return self.write_row_in_transaction(sql, args).await;
            }
        };
        row.map_err(|error| unavailable("run a statement", &error))
    }

    async fn write_row_in_transaction(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, StoreError> {
        let mut tx = self.begin(Purpose::Write).await?;
        match tx.row(sql, args).await {
            Ok(row) => tx.commit().await.map(|()| row),
            Err(error) => {
                tx.roll_back().await;
                Err(error)
            }
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            Database::Sqlite(_) => Engine::Sqlite,
            Database::Postgres { .. } => Engine::Postgres,
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Database::Sqlite(file) => file.close().await,
            Database::Postgres { pool, .. } => pool.close().await,
        }
    }
}

impl Tx {
    pub(crate) fn engine(&self) -> Engine {
        match self {
            Tx::SqliteRead(_) | Tx::SqliteWrite(_) => Engine::Sqlite,
            Tx::Postgres(..) => Engine::Postgres,
        }
    }

    pub(crate) async fn rows(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError> {
        self.try_rows(sql, args).await.map_err(|error| unavailable("run a statement", &error))
    }

    pub(crate) async fn row(
        &mut self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, args).await?.into_iter().next())
    }

    /// How many rows were changed.
    pub(crate) async fn run(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64, StoreError> {
        self.try_run(sql, args).await.map_err(|error| unavailable("run a statement", &error))
    }

    /// A whole script, without values.
    pub(crate) async fn script(&mut self, sql: &'static str) -> Result<(), StoreError> {
        self.try_script(sql).await.map_err(|error| unavailable("change its schema", &error))
    }

    async fn try_rows(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>, sqlx::Error> {
        match self {
            Tx::SqliteRead(tx) => sqlite_rows(tx, "", sql, args).await,
            Tx::SqliteWrite(tx) => {
                let (beginning, connection) = tx.connection()?;
                sqlite_rows(connection, beginning, sql, args).await
            }
            Tx::Postgres(tx, statements) => {
                let rows = bind_postgres(postgres_query(sql, *statements), args).fetch_all(&mut **tx).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    async fn try_run(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64, sqlx::Error> {
        match self {
            Tx::SqliteRead(tx) => sqlite_run(tx, sql, args).await,
            // Not in one text: SQLite says of a `BEGIN` that it changed what the statement before it did.
            Tx::SqliteWrite(tx) => sqlite_run(tx.begun().await?, sql, args).await,
            Tx::Postgres(tx, statements) => {
                let done = bind_postgres(postgres_query(sql, *statements), args).execute(&mut **tx).await?;
                Ok(done.rows_affected())
            }
        }
    }

    async fn try_script(&mut self, sql: &'static str) -> Result<(), sqlx::Error> {
        let script = sqlx::raw_sql(sql);
        match self {
            Tx::SqliteRead(tx) => script.execute(&mut **tx).await.map(|_| ()),
            Tx::SqliteWrite(tx) => script.execute(tx.begun().await?).await.map(|_| ()),
            Tx::Postgres(tx, _) => script.execute(&mut **tx).await.map(|_| ()),
        }
    }

    /// Answered when the locks are gone; a transaction that is merely dropped holds them a little longer. An
    /// error means that the connection is lost, and with it the transaction.
    pub(crate) async fn roll_back(self) {
        match self {
            Tx::SqliteRead(tx) => drop(tx.rollback().await),
            Tx::SqliteWrite(tx) => tx.roll_back().await,
            Tx::Postgres(tx, _) => drop(tx.rollback().await),
        }
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        let done = match self {
            Tx::SqliteRead(tx) => tx.commit().await,
            Tx::SqliteWrite(tx) => tx.commit().await,
            Tx::Postgres(tx, _) => tx.commit().await,
        };
        done.map_err(|error| unavailable("commit", &error))
    }
}

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;
type PostgresQuery<'q> = Query<'q, Postgres, PgArguments>;

async fn write_sqlite_row(
    file: &SqliteFile,
    sql: &'static str,
    args: &[Arg<'_>],
) -> Result<Option<Row>, sqlx::Error> {
    let mut turn = file.pools().writer.turn().await?;
    let rows = sqlite_rows(turn.without_transaction()?, "", sql, args).await?;
    Ok(rows.into_iter().next())
}

async fn sqlite_rows(
    connection: &mut SqliteConnection,
    beginning: &str,
    sql: &'static str,
    args: &[Arg<'_>],
) -> Result<Vec<Row>, sqlx::Error> {
    let rows = bind_sqlite(sqlite_query(beginning, sql), args).fetch_all(connection).await?;
    Ok(rows.into_iter().map(Row::Sqlite).collect())
}

async fn sqlite_run(
    connection: &mut SqliteConnection,
    sql: &'static str,
    args: &[Arg<'_>],
) -> Result<u64, sqlx::Error> {
    let done = bind_sqlite(sqlite_query("", sql), args).execute(connection).await?;
    Ok(done.rows_affected())
}

fn sqlite_query(beginning: &str, sql: &'static str) -> SqliteQuery<'static> {
    sqlx::query(AssertSqlSafe(format!("{beginning}{}", translate(sql, Engine::Sqlite))))
}

fn postgres_query(sql: &'static str, statements: Statements) -> PostgresQuery<'static> {
    let text = AssertSqlSafe(translate(sql, Engine::Postgres));
    sqlx::query(text).persistent(statements == Statements::Cached)
}

fn bind_sqlite<'q>(query: SqliteQuery<'q>, args: &[Arg<'_>]) -> SqliteQuery<'q> {
    args.iter().fold(query, |query, arg| match *arg {
        Arg::Text(text) => query.bind(text.to_owned()),
        Arg::Int(number) => query.bind(number),
        Arg::MaybeText(text) => query.bind(text.map(str::to_owned)),
        Arg::MaybeInt(number) => query.bind(number),
    })
}

fn bind_postgres<'q>(query: PostgresQuery<'q>, args: &[Arg<'_>]) -> PostgresQuery<'q> {
    args.iter().fold(query, |query, arg| match *arg {
        Arg::Text(text) => query.bind(text.to_owned()),
        Arg::Int(number) => query.bind(number),
        Arg::MaybeText(text) => query.bind(text.map(str::to_owned)),
        Arg::MaybeInt(number) => query.bind(number),
    })
}

pub(crate) fn unavailable(action: &'static str, error: &sqlx::Error) -> StoreError {
    StoreError::Unavailable { action, reason: error.to_string() }
}
