use std::future::Future;
use std::time::Duration;

use jiff::Timestamp;

use crate::cycle::Resolution;
use crate::tasks::{
    Added, AuditEvent, Cursor, Expired, Finish, Finished, Lease, NewTask, Note, Page, QueueCounts,
    QueueLimit, Refusal, StoredTask, TaskFilter, TaskId,
};

/// Where tasks live. What holds for every method:
///
/// - A method that answered has stored what it said. One that was cut off anywhere, by a crash, a lost
///   connection or a dropped future, has stored everything or nothing; asking again is safe.
/// - State, audit event and outbox entry are stored together.
/// - Time is the store's, whatever the clocks of its users say.
/// - No transaction is open between two calls.
pub trait TaskStore: Send + Sync {
    /// Adds all of them or none. They may depend on each other and on what is in the store. Called again
    /// after a crash, tasks with a key are [`Added::AlreadyThere`]; those without are refused as duplicates.
    fn add(
        &self,
        tasks: &[NewTask],
        limit: QueueLimit,
    ) -> impl Future<Output = Result<Vec<Added>, StoreError>> + Send;

    fn get(&self, id: &TaskId) -> impl Future<Output = Result<Option<StoredTask>, StoreError>> + Send;

    /// The newest first, at most `size` of them, beginning after `after`. Costs the page, not the store.
    fn list(
        &self,
        filter: &TaskFilter,
        after: Option<Cursor>,
        size: u32,
    ) -> impl Future<Output = Result<Page, StoreError>> + Send;

    /// Takes the most urgent task of these queues that may run: pending, its dependencies completed, its
    /// backoff over, neither its queue nor `holder` paused. No two claims get the same one.
    ///
    /// If the answer is lost, the task stays held until its lease ends and [`TaskStore::expire`] frees it.
    fn claim(
        &self,
        queues: &[&str],
        holder: &str,
        lease: Duration,
    ) -> impl Future<Output = Result<Option<(StoredTask, Lease)>, StoreError>> + Send;

    /// As [`TaskStore::claim`], for this task alone: nothing if it may not run now, or somebody else has it.
    fn claim_task(
        &self,
        id: &TaskId,
        holder: &str,
        lease: Duration,
    ) -> impl Future<Output = Result<Option<(StoredTask, Lease)>, StoreError>> + Send;

    /// How long until a claim by this holder may succeed without any news: until the first backoff in these
    /// queues is over. Zero if it is over already; nothing if no task waits for its time.
    fn next_due(
        &self,
        queues: &[&str],
        holder: &str,
    ) -> impl Future<Output = Result<Option<Duration>, StoreError>> + Send;

    /// Moves the end of the lease to `lease` from now and says when that is.
    fn heartbeat(
        &self,
        lease: &Lease,
        extension: Duration,
    ) -> impl Future<Output = Result<Timestamp, StoreError>> + Send;

    /// Ends the lease. Status, freed dependents and follow-up tasks are one transaction. Called again after
    /// an answer that was lost, it is refused as stale: the first call had stored everything.
    fn finish(
        &self,
        lease: &Lease,
        finish: &Finish,
    ) -> impl Future<Output = Result<Finished, StoreError>> + Send;

    /// Ends a task that is pending, held or escalated. Its holder's lease is stale from then on.
    fn cancel(&self, id: &TaskId, actor: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Has a failed task begin again. What waits for it has a chance again.
    fn retry(&self, id: &TaskId, actor: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A human's word on an escalated task, with the tasks that follow from it.
    fn resolve(
        &self,
        id: &TaskId,
        resolution: Resolution,
        follow_ups: &[NewTask],
        actor: &str,
    ) -> impl Future<Output = Result<Finished, StoreError>> + Send;

    /// Keeps a note with a task that is not over. Whoever works on it now does not see it; the next attempt does.
    fn add_note(
        &self,
        id: &TaskId,
        note: &Note,
        actor: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// The queues that have ever had a task, by name; of thousands, the first thousand.
    fn queues(&self) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;

    /// How many tasks of a queue are in each state but completed and cancelled. Costs no more than
    /// [`QueueCounts::MOST`] of each, however many there are.
    fn counts(&self, queue: &str) -> impl Future<Output = Result<QueueCounts, StoreError>> + Send;

    /// Frees up to `most` tasks whose lease ran out. Each costs its task one retry, so that one which kills
    /// its holders comes to an end.
    fn expire(&self, most: u32) -> impl Future<Output = Result<Vec<Expired>, StoreError>> + Send;

    /// No claim by this holder, or from this queue, succeeds until it is resumed. Pausing twice is pausing.
    fn pause(&self, agent: &str, actor: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn resume(&self, agent: &str, actor: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Names of queues and holders that are paused.
    fn paused(&self) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;

    /// The activity log of a task, the oldest first.
    fn events(&self, id: &TaskId) -> impl Future<Output = Result<Vec<AuditEvent>, StoreError>> + Send;

    /// From the answer on, every event is kept for this reader until it acknowledges it. What had been stored
    /// when the answer came can be looked up; what is stored later is delivered: whoever registers first and
    /// looks up afterwards misses nothing.
    ///
    /// A reader that takes nothing for a day is dropped with what was kept for it. The name is that of an
    /// agent in form.
    fn outbox_register(&self, reader: &str) -> impl Future<Output = Result<Registered, StoreError>> + Send;

    /// Hands out events that this reader has not acknowledged, the oldest first, and keeps them from others
    /// of its name for `visibility`. Each is delivered at least once; whoever acts on one must bear seeing it
    /// again.
    fn outbox_take(
        &self,
        reader: &str,
        most: u32,
        visibility: Duration,
    ) -> impl Future<Output = Result<Delivery, StoreError>> + Send;

    /// They are not delivered to this reader again. Others still get theirs.
    fn outbox_ack(
        &self,
        reader: &str,
        entries: &[OutboxEntry],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn now(&self) -> impl Future<Output = Result<Timestamp, StoreError>> + Send;

    /// Taken before a claim and given to [`TaskStore::wait_for_work`] after an empty one: nothing that comes
    /// in between is missed.
    fn pulse(&self) -> Pulse;

    /// Returns when there may be work that a claim begun at `since` did not see, or after `timeout`. It may
    /// return early for no reason. That a backoff begins is news; when it ends, [`TaskStore::next_due`] knows.
    fn wait_for_work(&self, since: Pulse, timeout: Duration) -> impl Future<Output = ()> + Send;
}

/// A moment in the stream of news about work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pulse(pub u64);

/// Whether a reader of the outbox is new to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registered {
    /// Nothing was kept for it so far: it has to look up what there is.
    Anew,
    Already,
}

/// What the outbox has for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    Entries(Vec<OutboxEntry>),
    /// It never registered, or stayed away for so long that it was dropped.
    NotRegistered,
}

/// An event that has still to be told to the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEntry {
    pub event: AuditEvent,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store works and says no. Nothing has changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It could not be reached or broke off. Trying again may help.
    #[error("the store cannot {action}: {reason}")]
    Unavailable { action: &'static str, reason: String },
    /// What is stored is not what we wrote.
    #[error("the store holds a {what} that cannot be read: {reason}")]
    Corrupt { what: &'static str, reason: String },
}
