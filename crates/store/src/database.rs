use domain::ports::StoreError;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Sqlite, Transaction};

use crate::dialect::{Engine, translate};
use crate::row::{Arg, Row};
use crate::sqlite::SqliteFile;

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
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>, Statements),
}

impl Database {
    pub(crate) async fn begin(&self, purpose: Purpose) -> Result<Tx, StoreError> {
        let begun = match (self, purpose) {
            (Database::Sqlite(file), Purpose::Write) => {
                file.pools().writer.begin_with("BEGIN IMMEDIATE").await.map(Tx::Sqlite)
            }
            (Database::Sqlite(file), Purpose::Read) => file.pools().readers.begin().await.map(Tx::Sqlite),
            (Database::Postgres { pool, statements }, Purpose::Read | Purpose::Write) => {
                pool.begin().await.map(|tx| Tx::Postgres(tx, *statements))
            }
        };
        begun.map_err(|error| unavailable("begin a transaction", &error))
    }

    /// A write that is one statement, and needs nothing done about its answer. PostgreSQL makes a transaction
    /// of it by itself, which saves two journeys to the server; not through a pooler, where a statement may be
    /// prepared on one connection and run on another unless a transaction holds them together.
    pub(crate) async fn write_row(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
    ) -> Result<Option<Row>, StoreError> {
        match self {
            Database::Postgres { pool, statements: statements @ Statements::Cached } => {
                let query = bind_postgres(postgres_query(sql, *statements), args);
                let row = query.fetch_optional(pool).await;
                row.map(|row| row.map(Row::Postgres)).map_err(|error| unavailable("run a statement", &error))
            }
            Database::Postgres { statements: Statements::Unnamed, .. } | Database::Sqlite(_) => {
                let mut tx = self.begin(Purpose::Write).await?;
                match tx.row(sql, args).await {
                    Ok(row) => tx.commit().await.map(|()| row),
                    Err(error) => {
                        tx.roll_back().await;
                        Err(error)
                    }
                }
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
            Tx::Sqlite(_) => Engine::Sqlite,
            Tx::Postgres(..) => Engine::Postgres,
        }
    }

    pub(crate) async fn rows(&mut self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError> {
        let answer = match self {
            Tx::Sqlite(tx) => bind_sqlite(sqlite_query(sql), args)
                .fetch_all(&mut **tx)
                .await
                .map(|rows| rows.into_iter().map(Row::Sqlite).collect()),
            Tx::Postgres(tx, statements) => {
                let rows = bind_postgres(postgres_query(sql, *statements), args).fetch_all(&mut **tx).await;
                rows.map(|rows| rows.into_iter().map(Row::Postgres).collect())
            }
        };
        answer.map_err(|error| unavailable("run a statement", &error))
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
        let answer = match self {
            Tx::Sqlite(tx) => {
                bind_sqlite(sqlite_query(sql), args).execute(&mut **tx).await.map(|done| done.rows_affected())
            }
            Tx::Postgres(tx, statements) => {
                let query = bind_postgres(postgres_query(sql, *statements), args);
                query.execute(&mut **tx).await.map(|done| done.rows_affected())
            }
        };
        answer.map_err(|error| unavailable("run a statement", &error))
    }

    /// A whole script, without values.
    pub(crate) async fn script(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let answer = match self {
            Tx::Sqlite(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ()),
            Tx::Postgres(tx, _) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ()),
        };
        answer.map_err(|error| unavailable("change its schema", &error))
    }

    /// Answered when the locks are gone; a transaction that is merely dropped holds them a little longer. An
    /// error means that the connection is lost, and with it the transaction.
    pub(crate) async fn roll_back(self) {
        let _ = match self {
            Tx::Sqlite(tx) => tx.rollback().await,
            Tx::Postgres(tx, _) => tx.rollback().await,
        };
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        let done = match self {
            Tx::Sqlite(tx) => tx.commit().await,
            Tx::Postgres(tx, _) => tx.commit().await,
        };
        done.map_err(|error| unavailable("commit", &error))
    }
}

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;
type PostgresQuery<'q> = Query<'q, Postgres, PgArguments>;

fn sqlite_query(sql: &'static str) -> SqliteQuery<'static> {
    sqlx::query(AssertSqlSafe(translate(sql, Engine::Sqlite)))
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
