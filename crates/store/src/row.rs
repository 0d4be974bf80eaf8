use domain::ports::StoreError;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex, Decode, Type};

/// A value to bind. Nulls keep their type, which PostgreSQL wants to know.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arg<'a> {
    Text(&'a str),
    Int(i64),
    MaybeText(Option<&'a str>),
    MaybeInt(Option<i64>),
}

/// A row of either engine. Columns are read by position, in the order of the statement.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        match self {
            Row::Sqlite(row) => get(row, column),
            Row::Postgres(row) => get(row, column),
        }
    }

    pub(crate) fn int(&self, column: usize) -> Result<i64, StoreError> {
        match self {
            Row::Sqlite(row) => get(row, column),
            Row::Postgres(row) => get(row, column),
        }
    }

    pub(crate) fn maybe_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self {
            Row::Sqlite(row) => get(row, column),
            Row::Postgres(row) => get(row, column),
        }
    }

    pub(crate) fn maybe_int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self {
            Row::Sqlite(row) => get(row, column),
            Row::Postgres(row) => get(row, column),
        }
    }
}

fn get<'r, R, T>(row: &'r R, column: usize) -> Result<T, StoreError>
where
    R: sqlx::Row,
    usize: ColumnIndex<R>,
    T: Decode<'r, R::Database> + Type<R::Database>,
{
    row.try_get(column).map_err(|error| StoreError::Corrupt { what: "row", reason: error.to_string() })
}
