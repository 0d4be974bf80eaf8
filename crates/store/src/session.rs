//! Whether a PostgreSQL address leads to sessions of our own or through a pooler that shares them out.
//!
//! It decides what may be kept on a connection. A pooler in transaction mode gives every transaction to
//! whichever server session is free: a prepared statement is then somewhere else, and a `LISTEN` stays with a
//! session that the next client gets. Nobody should have to know what stands between, so the store finds
//! out: it gives two connections a name each as they begin, and asks both who they are. Poolers refuse such
//! a name, lose it or mix it up. What cannot be proved is taken for a pooler, which is slower and never wrong.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Executor, Postgres, Row};
use tokio::time::{Instant, sleep, timeout_at};

const SETTING: &str = "countersign.session";
const WHO: &str = "SELECT current_setting('countersign.session', true), pg_backend_pid()";
/// A server that is starting or has no connection left may have one soon.
const PAUSE: Duration = Duration::from_millis(100);
/// A second connection proves something, but is not worth a long wait.
const SECOND_TIMEOUT: Duration = Duration::from_secs(2);

/// What a connection of the pool is on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sessions {
    /// The same session for as long as it lives. One that we named still answers to its name.
    Own { name: Option<String> },
    /// Another one for every transaction, perhaps.
    Shared,
}

/// How to connect, and to what.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) options: PgConnectOptions,
    pub(crate) sessions: Sessions,
}

/// Who a connection says it is.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    name: Option<String>,
    process: i32,
}

impl Route {
    /// Taken at its word: no more is tried than whether the server answers.
    pub(crate) async fn given(
        options: PgConnectOptions,
        sessions: Sessions,
        patience: Duration,
    ) -> Result<Route, sqlx::Error> {
        let first = connect(&options, Instant::now() + patience).await?;
        first.close().await?;
        Ok(Route { options, sessions })
    }

    /// Finds out. A server that cannot be reached or turns us away is an error at once: only an answer that
    /// has to do with the name leads to a second attempt, without one.
    pub(crate) async fn find(options: PgConnectOptions, patience: Duration) -> Result<Route, sqlx::Error> {
        let (name, other_name) = (random_name(), random_name());
        let named = options.clone().options([(SETTING, &name)]);
        match connect(&named, Instant::now() + patience).await {
            Ok(mut first) => {
                let other = options.clone().options([(SETTING, &other_name)]);
                let is_own = are_own(&mut first, &name, &other, &other_name).await;
                // Whatever it says to a goodbye, we have what we wanted to know.
                let _ = first.close().await;
                if is_own {
                    return Ok(Route { options: named, sessions: Sessions::Own { name: Some(name) } });
                }
            }
            Err(error) if is_about_the_name(&error) => {}
            Err(error) => return Err(error),
        }
        Route::given(options, Sessions::Shared, patience).await
    }
}

/// Asked in turn, with both open: one session behind two connections would give itself away.
async fn are_own(first: &mut PgConnection, name: &str, other: &PgConnectOptions, other_name: &str) -> bool {
    let Ok(mut second) = connect(other, Instant::now() + SECOND_TIMEOUT).await else { return false };
    let answers = (who(&mut *first).await, who(&mut second).await, who(&mut *first).await);
    let _ = second.close().await;
    let (Some(one), Some(two), Some(one_again)) = answers else { return false };
    one.name.as_deref() == Some(name)
        && two.name.as_deref() == Some(other_name)
        && one.process != two.process
        && one == one_again
}

/// Whether a connection is still the session that was named so.
pub(crate) async fn answers_to<'c>(
    connection: impl Executor<'c, Database = Postgres>,
    name: Option<&str>,
) -> bool {
    match name {
        None => true,
        Some(name) => who(connection).await.is_some_and(|who| who.name.as_deref() == Some(name)),
    }
}

/// Nothing if the server does not understand the question.
async fn who<'c>(connection: impl Executor<'c, Database = Postgres>) -> Option<Identity> {
    let row = sqlx::raw_sql(WHO).fetch_one(connection).await.ok()?;
    Some(Identity { name: row.try_get(0).ok()?, process: row.try_get(1).ok()? })
}

async fn connect(options: &PgConnectOptions, deadline: Instant) -> Result<PgConnection, sqlx::Error> {
    loop {
        match timeout_at(deadline, options.connect()).await {
            Ok(Err(error)) if may_soon_be_over(&error) && Instant::now() + PAUSE < deadline => {
                sleep(PAUSE).await;
            }
            Ok(answer) => return answer,
            Err(_) => return Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
        }
    }
}

/// `too_many_connections` and `cannot_connect_now`.
fn may_soon_be_over(error: &sqlx::Error) -> bool {
    matches!(code(error).as_deref(), Some("53300" | "57P03"))
}

/// A refusal that is not about who we are (28), the database (3D), what the server has left (53) or an
/// operator (57): servers do not agree on the code for a setting that they do not want.
fn is_about_the_name(error: &sqlx::Error) -> bool {
    let elsewhere = ["28", "3D", "53", "57"];
    match error {
        sqlx::Error::Protocol(_) => true,
        error => code(error).is_some_and(|code| !elsewhere.iter().any(|class| code.starts_with(class))),
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(Into::into)
}

/// Differs from that of every other process. Nobody has to be kept from guessing it.
fn random_name() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        assert_ne!(random_name(), random_name());
    }

    #[test]
    fn a_server_that_cannot_be_reached_is_not_taken_for_a_pooler() {
        assert!(!is_about_the_name(&std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into()));
        assert!(!is_about_the_name(&sqlx::Error::PoolTimedOut));
        assert!(is_about_the_name(&sqlx::Error::Protocol("what?".into())));
    }
}
