use std::time::Duration;

use domain::ports::Pulse;
use sqlx::{PgPool, Row, SqliteConnection};
use tokio::sync::{Mutex, OnceCell, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::listen::{Hearing, Listener};

/// How often another process's writes to a SQLite file are looked for. Costs one look at shared memory.
const SQLITE_LOOK: Duration = Duration::from_millis(20);
/// How often waiting workers look for themselves where PostgreSQL cannot tell them.
const POSTGRES_POLL: Duration = Duration::from_millis(100);

/// Tells waiting workers that there may be work. What this process adds it knows at once; what others add it
/// learns from the engine.
#[derive(Debug)]
pub(crate) struct Signal {
    pulse: watch::Sender<u64>,
    others: Others,
}

/// How a store learns at present of work that other processes add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pickup {
    /// It sees that the SQLite file was written to.
    Watching,
    /// PostgreSQL tells it.
    Told,
    /// PostgreSQL would, on a session of our own, but the listener has not proved yet that it hears: waiting
    /// workers look for themselves. The listener begins with the first who waits.
    NotYetTold,
    /// The address leads through a pooler: waiting workers look for themselves.
    Polling,
}

#[derive(Debug)]
enum Others {
    Sqlite(Mutex<Watcher>),
    Postgres {
        pool: PgPool,
        /// What its sessions answer to, where they were given a name.
        name: Option<String>,
        listener: OnceCell<Listener>,
    },
    /// PostgreSQL behind what may be a pooler. A LISTEN through one stays with whichever server connection it
    /// happened to get, and then disturbs the next client of that connection.
    Pooled,
}

/// SQLite counts for every connection the commits that others made.
#[derive(Debug)]
struct Watcher {
    connection: SqliteConnection,
    seen: i64,
}

impl Signal {
    pub(crate) fn watching_sqlite(connection: SqliteConnection) -> Signal {
        let watcher = Watcher { connection, seen: 0 };
        Signal { pulse: watch::Sender::new(0), others: Others::Sqlite(Mutex::new(watcher)) }
    }

    pub(crate) fn listening(pool: PgPool, name: Option<String>) -> Signal {
        let others = Others::Postgres { pool, name, listener: OnceCell::new() };
        Signal { pulse: watch::Sender::new(0), others }
    }

    pub(crate) fn polling() -> Signal {
        Signal { pulse: watch::Sender::new(0), others: Others::Pooled }
    }

    pub(crate) fn beat(&self) {
        self.pulse.send_modify(|pulse| *pulse += 1);
    }

    pub(crate) fn pulse(&self) -> Pulse {
        Pulse(*self.pulse.borrow())
    }

    pub(crate) fn pickup(&self) -> Pickup {
        match &self.others {
            Others::Sqlite(_) => Pickup::Watching,
            Others::Postgres { listener, .. } => match listener.get().map(Listener::hearing) {
                Some(Hearing::Yes) => Pickup::Told,
                Some(Hearing::NotYet | Hearing::No) | None => Pickup::NotYetTold,
            },
            Others::Pooled => Pickup::Polling,
        }
    }

    pub(crate) async fn wait(&self, since: Pulse, timeout: Duration) {
        let now = Instant::now();
        let deadline = now.checked_add(timeout).unwrap_or(now + Duration::from_secs(86_400));
        match &self.others {
            Others::Sqlite(watcher) => self.wait_looking(watcher, since, deadline).await,
            Others::Postgres { pool, name, listener } => {
                let start = || async { Listener::start(pool.clone(), name.clone(), self.pulse.clone()) };
                let deadline = match listener.get_or_init(start).await.hearing() {
                    Hearing::Yes => deadline,
                    Hearing::NotYet | Hearing::No => deadline.min(now + POSTGRES_POLL),
                };
                self.wait_for_beat(since, deadline).await;
            }
            Others::Pooled => self.wait_for_beat(since, deadline.min(now + POSTGRES_POLL)).await,
        }
    }

    async fn wait_for_beat(&self, since: Pulse, deadline: Instant) {
        let mut beats = self.pulse.subscribe();
        // A deadline that passes is an answer like any other.
        let _ = timeout_at(deadline, beats.wait_for(|pulse| *pulse != since.0)).await;
    }

    async fn wait_looking(&self, watcher: &Mutex<Watcher>, since: Pulse, deadline: Instant) {
        while self.pulse() == since && Instant::now() < deadline {
            if watcher.lock().await.others_wrote().await {
                self.beat();
                return;
            }
            self.wait_for_beat(since, deadline.min(Instant::now() + SQLITE_LOOK)).await;
        }
    }

    /// The SQLite file is another from now on.
    pub(crate) async fn watch_instead(&self, connection: SqliteConnection) {
        match &self.others {
            Others::Sqlite(watcher) => *watcher.lock().await = Watcher { connection, seen: 0 },
            Others::Postgres { .. } | Others::Pooled => {}
        }
    }

    pub(crate) fn close(&self) {
        match &self.others {
            Others::Sqlite(_) | Others::Pooled => {}
            Others::Postgres { listener, .. } => {
                if let Some(listener) = listener.get() {
                    listener.stop();
                }
            }
        }
    }
}

impl Watcher {
    /// The first look always says yes: what came before it is not known. If looking fails, a worker that looks
    /// for work in vain does no harm, and one that never looks does.
    async fn others_wrote(&mut self) -> bool {
        let version = sqlx::query("PRAGMA data_version").fetch_one(&mut self.connection).await;
        match version.and_then(|row| row.try_get::<i64, _>(0)) {
            Ok(version) => std::mem::replace(&mut self.seen, version) != version,
            Err(_) => {
                sleep_until(Instant::now() + POSTGRES_POLL).await;
                true
            }
        }
    }
}
