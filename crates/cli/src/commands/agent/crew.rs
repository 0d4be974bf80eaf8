//! The agents of one process at work, and what keeps them and their mailbox going.

use std::sync::Arc;
use std::time::Duration;

use domain::config::{AgentConfig, Config};
use domain::ports::StoreError;
use engine::stop::{self, Stop};
use engine::{watchdog, worker};
use jiff::Timestamp;
use store::mailbox::{Kept, Mailbox, Name};
use store::{Standing, Store};

use super::at_work::AtWork;
use super::handlers::Kinds;
use super::log::Logs;
use super::start::interrupted;
use super::tending::Tending;
use super::trouble::{MAILBOX, Trouble, WATCHDOG};
use crate::pretty;

const HEARTBEAT: Duration = Duration::from_secs(10);
/// How often the database and the locks of our names are looked for: somebody may delete them.
const GUARD: Duration = Duration::from_millis(500);

pub(super) struct Crew {
    pub(super) agents: Vec<AgentConfig>,
    /// Of the replicas of each agent.
    pub(super) names: Vec<Vec<Name>>,
    pub(super) kinds: AtWork<Kinds>,
    pub(super) logs: Arc<Logs>,
    pub(super) mailbox: Mailbox,
    pub(super) config: Config,
}

impl Crew {
    pub(super) async fn work(&self, store: &Store) -> Result<(), StoreError> {
        let (stopper, stop) = stop::channel();
        let replicas: Vec<(&AgentConfig, &str)> = self
            .agents
            .iter()
            .zip(&self.names)
            .flat_map(|(agent, names)| names.iter().map(move |name| (agent, name.as_str())))
            .collect();
        self.say_who_works(&replicas);
        let workers = replicas.iter().map(|(agent, replica)| {
            worker::run_agent(store, agent, replica, &self.kinds, &self.mailbox, &*self.logs, stop.clone())
        });
        let interval = Duration::from_secs(self.config.safeguards.watchdog_interval.into());
        let signals = async {
            interrupted().await;
            pretty::note("Stopping: finishing what is held, or giving it back.");
            stopper.stop();
        };
        let mut tending = Tending::new(&self.mailbox, &self.logs, self.config.safeguards.max_queue_size);
        tokio::join!(
            signals,
            futures_util::future::join_all(workers),
            watchdog::run_watchdog(store, interval, &*self.logs, stop.clone()),
            tending.go_on(store, stop.clone()),
            self.beat(&replicas, stop.clone()),
            self.guard(store, stop.clone()),
        );
        // What the last finish changed should show, too.
        tending.once(store).await;
        for (_, replica) in &replicas {
            if let Err(error) = self.mailbox.last_heartbeat(replica, Timestamp::now()) {
                pretty::note(&format!("No last heartbeat for {replica}: {error}"));
            }
        }
        Ok(())
    }

    fn say_who_works(&self, replicas: &[(&AgentConfig, &str)]) {
        let names: Vec<_> = replicas.iter().map(|(_, replica)| *replica).collect();
        let root = self.mailbox.root().parent().unwrap_or(self.mailbox.root());
        let names = names.join(", ");
        pretty::note(&format!("Agents {names} work in {}. Stop them with Ctrl-C.", root.display()));
    }

    /// Shows in `heartbeats/` that this process lives, and what each replica works on.
    async fn beat(&self, replicas: &[(&AgentConfig, &str)], stop: Stop) {
        let timeout = Duration::from_secs(self.config.safeguards.heartbeat_timeout.into());
        let mut trouble = Trouble::new(MAILBOX);
        while !stop.is_requested() {
            for (agent, replica) in replicas {
                let doing = match self.kinds.task_of(replica) {
                    Some(task) => format!("working on {task}"),
                    None => format!("working off {}", agent.queue),
                };
                match self.mailbox.heartbeat(replica, Timestamp::now(), &doing) {
                    Ok(()) => trouble.is_over(&self.logs),
                    Err(error) => {
                        let what = format!("No heartbeat for {replica}: {error}");
                        trouble.say(&self.logs, &what, error.cause());
                    }
                }
            }
            tokio::select! {
                () = stop.sleep(between_beats(timeout)) => {}
                () = self.kinds.changed() => {}
            }
        }
    }

    /// Puts back what others must not take away: the database, and the locks of our names.
    async fn guard(&self, store: &Store, stop: Stop) {
        let (mut lost, mut shared) = (Trouble::new(WATCHDOG), Trouble::new(MAILBOX));
        while !stop.is_requested() {
            match store.stand().await {
                Ok(standing) => {
                    lost.is_over(&self.logs);
                    self.tell(&standing);
                }
                Err(error) => lost.say(&self.logs, &error.to_string(), error.to_string()),
            }
            let kept = self.names.iter().flatten().map(|name| (name, self.mailbox.keep_name(name)));
            match kept.filter(|(_, kept)| !matches!(kept, Ok(Kept::Ours))).last() {
                None => shared.is_over(&self.logs),
                Some((name, Err(error))) => {
                    let what = format!("The name {} is not guarded: {error}", name.as_str());
                    shared.say(&self.logs, &what, error.cause());
                }
                Some((name, Ok(_))) => {
                    let what = format!("Another process goes by the name {}, too", name.as_str());
                    shared.say(&self.logs, &what, what.clone());
                }
            }
            stop.sleep(GUARD).await;
        }
    }

    fn tell(&self, standing: &Standing) {
        let what = match standing {
            Standing::Unchanged => return,
            Standing::Restored => "The database was deleted. It is back with everything that was in it, \
                and the work goes on"
                .to_owned(),
            Standing::RestoredByOthers => "The database was deleted, and another process put it back. \
                The work goes on"
                .to_owned(),
            Standing::Replaced { saved } => format!(
                "The database was deleted, and another was made in its place, which is used from now on. \
                The tasks of the old one are not in it: they are in {}",
                saved.display()
            ),
        };
        super::trouble::warn(&self.logs, WATCHDOG, &what);
    }
}

/// Three may be missed before anybody is taken for dead.
fn between_beats(timeout: Duration) -> Duration {
    HEARTBEAT.min(timeout / 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_come_often_enough_for_the_shortest_patience() {
        let seconds = [3, 15, 600].map(Duration::from_secs).map(between_beats);
        assert_eq!(seconds, [1, 5, 10].map(Duration::from_secs));
    }
}
