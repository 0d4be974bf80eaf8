//! The one connection that writes to a SQLite file.
//!
//! A connection lives on a thread of its own, and each word with it is a journey there and back while all other
//! writers wait. So it is not from a pool, which would ask it how it is each time it is taken and given back;
//! and a transaction begins with its first statement instead of before it.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Error, SqliteConnection};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

const TURN_TIMEOUT: Duration = Duration::from_secs(30);

const BEGIN: &str = "BEGIN IMMEDIATE;";

#[derive(Clone)]
pub(crate) struct Writer {
    options: SqliteConnectOptions,
    /// Says whether what a new connection would be made to is still the same file.
    same: Arc<dyn Fn() -> io::Result<()> + Send + Sync>,
    link: Arc<Mutex<Link>>,
}

enum Link {
    Up(SqliteConnection),
    /// It could not even be rolled back; whoever comes next makes a new one.
    Lost,
    Closed,
}

/// A transaction that has the writer to itself. Dropped without [`Writing::commit`], it never happened.
pub(crate) struct Writing {
    turn: Option<Turn>,
    stage: Stage,
}

/// The connection, until it is somebody else's turn.
struct Turn(OwnedMutexGuard<Link>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing has been said yet.
    Quiet,
    /// There may be a transaction.
    Begun,
}

impl Writer {
    pub(crate) async fn connect(
        options: SqliteConnectOptions,
        same: impl Fn() -> io::Result<()> + Send + Sync + 'static,
    ) -> Result<Writer, Error> {
        let link = Arc::new(Mutex::new(Link::Lost));
        let writer = Writer { options, same: Arc::new(same), link };
        writer.turn().await?;
        Ok(writer)
    }

    /// Waits for its turn, in the order of asking.
    pub(crate) async fn turn(&self) -> Result<Writing, Error> {
        let turn = timeout(TURN_TIMEOUT, Arc::clone(&self.link).lock_owned()).await;
        let mut turn = turn.map_err(|_| Error::PoolTimedOut)?;
        match *turn {
            Link::Up(_) => {}
            Link::Lost => {
                let connection = self.options.connect().await?;
                (self.same)()?;
                *turn = Link::Up(connection);
            }
            Link::Closed => return Err(Error::PoolClosed),
        }
        Ok(Writing { turn: Some(Turn(turn)), stage: Stage::Quiet })
    }

    /// After whoever has it.
    pub(crate) async fn close(&self) {
        let link = std::mem::replace(&mut *self.link.lock().await, Link::Closed);
        if let Link::Up(connection) = link {
            // It is closed either way.
            let _ = connection.close().await;
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Turn {
    fn connection(&mut self) -> Result<&mut SqliteConnection, Error> {
        match &mut *self.0 {
            Link::Up(connection) => Ok(connection),
            Link::Lost | Link::Closed => Err(Error::WorkerCrashed),
        }
    }
}

impl Writing {
    /// With what has to stand in front of the next statement.
    pub(crate) fn connection(&mut self) -> Result<(&'static str, &mut SqliteConnection), Error> {
        let beginning = match self.stage {
            Stage::Quiet => BEGIN,
            Stage::Begun => "",
        };
        self.stage = Stage::Begun;
        Ok((beginning, self.without_transaction()?))
    }

    /// For one statement, which is a transaction by itself. Somebody who stops waiting for its answer leaves
    /// nothing behind: it is done or it is not.
    pub(crate) fn without_transaction(&mut self) -> Result<&mut SqliteConnection, Error> {
        self.turn.as_mut().ok_or(Error::WorkerCrashed)?.connection()
    }

    /// The connection with the transaction begun.
    pub(crate) async fn begun(&mut self) -> Result<&mut SqliteConnection, Error> {
        let (beginning, connection) = self.connection()?;
        if !beginning.is_empty() {
            sqlx::query(beginning).execute(&mut *connection).await?;
        }
        Ok(connection)
    }

    pub(crate) async fn commit(mut self) -> Result<(), Error> {
        match self.stage {
            Stage::Quiet => Ok(()),
            Stage::Begun => {
                sqlx::query("COMMIT").execute(self.begun().await?).await?;
                self.stage = Stage::Quiet;
                Ok(())
            }
        }
    }

    /// Answered when it is undone.
    pub(crate) async fn roll_back(mut self) {
        if let Some(turn) = self.turn.take().filter(|_| self.stage == Stage::Begun) {
            undo(turn).await;
        }
    }
}

/// Somebody stopped waiting, or an error came up: the lock must not stay with nobody.
impl Drop for Writing {
    fn drop(&mut self) {
        let Some(mut turn) = self.turn.take().filter(|_| self.stage == Stage::Begun) else { return };
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(undo(turn))),
            // To close it is to undo it.
            Err(_) => *turn.0 = Link::Lost,
        }
    }
}

/// There may be nothing to undo: a statement that failed can have ended the transaction by itself. A
/// connection that does not answer is of no use to anybody.
async fn undo(mut turn: Turn) {
    let Ok(connection) = turn.connection() else { return };
    let done = sqlx::query("ROLLBACK").execute(connection).await;
    if done.is_err_and(|error| error.as_database_error().is_none()) {
        *turn.0 = Link::Lost;
    }
}
