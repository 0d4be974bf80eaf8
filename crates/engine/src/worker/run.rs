use std::time::Duration;

use domain::config::AgentConfig;
use domain::ports::{ActivityLog, Locked, LogLine, Pulse, StoreError, TaskLocks, TaskStore};
use domain::tasks::{Lease, StoredTask};
use tokio::time::Instant;

use super::attempt::Attempt;
use super::handler::Handlers;
use crate::lines;
use crate::stop::Stop;

/// How long a worker waits before it asks a store again that did not answer.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// What is due and cannot be had, because somebody is just taking it, is not asked for without a breath.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);

/// Works off the queue of an agent until it is asked to stop. `replica` is who holds what it claims: one of
/// [`AgentConfig::replicas`].
///
/// Asked to stop, it takes nothing more, and gives back what it has not finished when the agent's grace is
/// over. Whoever drops the future instead leaves a lease behind that the watchdog frees.
pub fn run_agent<'a, S: TaskStore, H: Handlers, K: TaskLocks, L: ActivityLog>(
    store: &'a S,
    agent: &'a AgentConfig,
    replica: &'a str,
    handlers: &'a H,
    locks: &'a K,
    log: &'a L,
    stop: Stop,
) -> impl Future<Output = ()> + Send + 'a {
    let worker = Worker { store, agent, replica, handlers, locks, log, stop };
    async move { worker.run().await }
}

pub(super) struct Worker<'a, S, H, K, L> {
    pub(super) store: &'a S,
    pub(super) agent: &'a AgentConfig,
    pub(super) replica: &'a str,
    pub(super) handlers: &'a H,
    pub(super) locks: &'a K,
    pub(super) log: &'a L,
    pub(super) stop: Stop,
}

/// Whether the agent is let work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Permission {
    Granted,
    Paused,
}

impl<S: TaskStore, H: Handlers, K: TaskLocks, L: ActivityLog> Worker<'_, S, H, K, L> {
    async fn run(&self) {
        let mut trouble = lines::Trouble::default();
        let mut permission = Permission::Granted;
        self.say(lines::polling(&self.agent.id, &self.agent.queue));
        while !self.stop.is_requested() {
            let pulse = self.store.pulse();
            match self.claim(&mut permission).await {
                Ok(Some((stored, lease))) => {
                    trouble.is_over();
                    self.work(&stored, &lease).await;
                }
                Ok(None) => {
                    trouble.is_over();
                    self.wait(pulse, permission).await;
                }
                Err(error) => {
                    trouble.say_once(self.log, &self.agent.id, self.replica, &error);
                    self.stop.sleep(STORE_PAUSE.min(self.agent.poll_interval)).await;
                }
            }
        }
        self.say(lines::stopped(&self.agent.id, self.replica));
    }

    /// In the name of this replica.
    pub(super) fn say(&self, line: LogLine) {
        self.log.write(&line.said_by(self.replica));
    }

    /// Until there is news, until the next backoff ends, or for the poll interval.
    async fn wait(&self, pulse: Pulse, permission: Permission) {
        let due = match permission {
            Permission::Paused => None,
            // A store that does not answer says so to the next claim.
            Permission::Granted => {
                self.store.next_due(&[&self.agent.queue], self.replica).await.unwrap_or_default()
            }
        };
        let longest = match due {
            Some(due) => due.max(SHORTEST_WAIT).min(self.agent.poll_interval),
            None => self.agent.poll_interval,
        };
        tokio::select! {
            () = self.store.wait_for_work(pulse, longest) => {}
            () = self.stop.requested() => {}
        }
    }

    /// The store keeps paused queues and holders from claiming; that the agent itself is paused, only we know.
    async fn claim(&self, before: &mut Permission) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        let names = [self.agent.id.as_str(), &self.agent.queue, self.replica];
        let paused = self.store.paused().await?.iter().any(|paused| names.contains(&paused.as_str()));
        let now = if paused { Permission::Paused } else { Permission::Granted };
        match (std::mem::replace(before, now), now) {
            (Permission::Granted, Permission::Paused) => self.say(lines::paused(&self.agent.id)),
            (Permission::Paused, Permission::Granted) => self.say(lines::resumed(&self.agent.id)),
            (Permission::Granted, Permission::Granted) | (Permission::Paused, Permission::Paused) => {}
        }
        match now {
            Permission::Paused => Ok(None),
            Permission::Granted => {
                self.store.claim(&[&self.agent.queue], self.replica, self.agent.heartbeat_timeout).await
            }
        }
    }

    async fn work(&self, stored: &StoredTask, lease: &Lease) {
        let (agent, task) = (&self.agent.id, &stored.task);
        self.say(lines::found(agent, task));
        match stored.held.as_ref().map(|held| self.locks.acquire(&task.id, held)) {
            Some(Locked::Foreign) => return self.postpone(stored, lease).await,
            Some(Locked::Unknown { reason }) => self.say(lines::lock_unknown(agent, task, &reason)),
            Some(Locked::Ours) | None => {}
        }
        self.say(lines::starting(agent, task));
        let begun = Instant::now();
        match self.attempt(stored, lease).await {
            Attempt::Handled(handled) => self.finish(stored, lease, handled, begun).await,
            Attempt::Lost => self.say(lines::lost(agent, task)),
            Attempt::Interrupted => self.give_back(stored, lease).await,
        }
    }
}
