//! News from other processes by PostgreSQL's `LISTEN`.
//!
//! Only where the session is our own (see `session`), and the listener asks once more before it says LISTEN.
//! Some compatible servers refuse it, others accept it and never deliver. So a listener first proves itself:
//! it must hear a word that was sent to it. Until it does, workers poll.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::session::answers_to;

pub(crate) const CHANNEL: &str = "countersign_work";
const PROOF: Duration = Duration::from_secs(5);
/// A check of the ear now and then: a connection can be dead without saying so.
const CHECK: Duration = Duration::from_secs(60);
const AGAIN: Duration = Duration::from_secs(1);
/// Where listening does not work it is tried only rarely.
const DEAF: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hearing {
    NotYet,
    Yes,
    No,
}

/// A task that listens as long as the store lives.
#[derive(Debug)]
pub(crate) struct Listener {
    hearing: Arc<AtomicU8>,
    task: OnceLock<JoinHandle<()>>,
}

impl Listener {
    /// `name` is what the sessions of this pool answer to, where they were given one.
    pub(crate) fn start(pool: PgPool, name: Option<String>, pulse: watch::Sender<u64>) -> Listener {
        let hearing = Arc::new(AtomicU8::new(Hearing::NotYet as u8));
        let task = OnceLock::new();
        let _ = task.set(tokio::spawn(listen(pool, name, pulse, hearing.clone())));
        Listener { hearing, task }
    }

    pub(crate) fn hearing(&self) -> Hearing {
        match self.hearing.load(Ordering::Relaxed) {
            heard if heard == Hearing::Yes as u8 => Hearing::Yes,
            heard if heard == Hearing::No as u8 => Hearing::No,
            _ => Hearing::NotYet,
        }
    }

    pub(crate) fn stop(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn listen(pool: PgPool, name: Option<String>, pulse: watch::Sender<u64>, hearing: Arc<AtomicU8>) {
    let set = |heard: Hearing| hearing.store(heard as u8, Ordering::Relaxed);
    loop {
        let beat = || pulse.send_modify(|pulse| *pulse += 1);
        let pause = match listen_once(&pool, name.as_deref(), &set, &beat).await {
            Ended::Deaf => DEAF,
            Ended::Lost => AGAIN,
        };
        set(Hearing::No);
        beat();
        sleep(pause).await;
    }
}

enum Ended {
    Deaf,
    Lost,
}

async fn listen_once(pool: &PgPool, name: Option<&str>, set: &impl Fn(Hearing), beat: &impl Fn()) -> Ended {
    let Ok(mut listener) = PgListener::connect_with(pool).await else { return Ended::Lost };
    // A new connection is asked for its name like the first.
    listener.eager_reconnect(false);
    if !answers_to(&mut listener, name).await {
        return Ended::Lost;
    }
    match listener.listen(CHANNEL).await {
        Ok(()) => {}
        Err(sqlx::Error::Database(_)) => return Ended::Deaf,
        Err(_) => return Ended::Lost,
    }
    loop {
        match proof(pool, &mut listener).await {
            Proof::Heard => {}
            Proof::Silence => return Ended::Deaf,
            Proof::NotTried => return Ended::Lost,
        }
        set(Hearing::Yes);
        beat();
        while let Ok(heard) = timeout(CHECK, listener.try_recv()).await {
            match heard {
                Ok(Some(_)) => beat(),
                Ok(None) | Err(_) => return Ended::Lost,
            }
        }
    }
}

enum Proof {
    Heard,
    Silence,
    /// The word could not be sent, or the connection was lost over it.
    NotTried,
}

/// Any word will do; one from somebody else proves as much as our own.
async fn proof(pool: &PgPool, listener: &mut PgListener) -> Proof {
    match sqlx::raw_sql("NOTIFY countersign_work, 'proof'").execute(pool).await {
        Ok(_) => {}
        Err(sqlx::Error::Database(_)) => return Proof::Silence,
        Err(_) => return Proof::NotTried,
    }
    match timeout(PROOF, listener.try_recv()).await {
        Ok(Ok(Some(_))) => Proof::Heard,
        Ok(Ok(None) | Err(_)) => Proof::NotTried,
        Err(_) => Proof::Silence,
    }
}
