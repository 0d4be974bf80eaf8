//! A store whose first answer to `finish` does not arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::cycle::Resolution;
use domain::ports::{Delivery, OutboxEntry, Pulse, Registered, StoreError, TaskStore};
use domain::tasks::{
    Added, AuditEvent, Cursor, Expired, Finish, Finished, Lease, NewTask, Note, Page, QueueCounts,
    QueueLimit, StoredTask, TaskFilter, TaskId,
};
use jiff::Timestamp;
use store::Store;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// Never answers, as to a worker that dies there.
    BeforeFinishing,
    AfterFinishing,
    /// Cannot be reached the first time.
    UnreachableOnce,
    /// Does what it was asked for the first time, but the answer is lost.
    AnswerLostOnce,
}

pub(crate) struct Mortal {
    pub(crate) store: Arc<Store>,
    pub(crate) breaks: Breaks,
    pub(crate) broke: AtomicBool,
}

type Answer<T> = Result<T, StoreError>;

impl TaskStore for Mortal {
    async fn finish(&self, lease: &Lease, finish: &Finish) -> Answer<Finished> {
        let unavailable = StoreError::Unavailable { action: "finish", reason: "gone".into() };
        let finished = match self.breaks {
            Breaks::BeforeFinishing | Breaks::UnreachableOnce if !self.broke.load(Ordering::SeqCst) => None,
            _ => Some(self.store.finish(lease, finish).await?),
        };
        if self.broke.swap(true, Ordering::SeqCst) {
            return finished.ok_or(unavailable);
        }
        match self.breaks {
            Breaks::BeforeFinishing | Breaks::AfterFinishing => std::future::pending().await,
            Breaks::UnreachableOnce | Breaks::AnswerLostOnce => Err(unavailable),
        }
    }

    async fn add(&self, tasks: &[NewTask], limit: QueueLimit) -> Answer<Vec<Added>> {
        self.store.add(tasks, limit).await
    }
    async fn get(&self, id: &TaskId) -> Answer<Option<StoredTask>> {
        self.store.get(id).await
    }
    async fn list(&self, filter: &TaskFilter, after: Option<Cursor>, size: u32) -> Answer<Page> {
        self.store.list(filter, after, size).await
    }
    async fn claim_task(
        &self,
        id: &TaskId,
        holder: &str,
        lease: Duration,
    ) -> Answer<Option<(StoredTask, Lease)>> {
        self.store.claim_task(id, holder, lease).await
    }
    async fn claim(
        &self,
        queues: &[&str],
        holder: &str,
        lease: Duration,
    ) -> Answer<Option<(StoredTask, Lease)>> {
        self.store.claim(queues, holder, lease).await
    }
    async fn next_due(&self, queues: &[&str], holder: &str) -> Answer<Option<Duration>> {
        self.store.next_due(queues, holder).await
    }
    async fn heartbeat(&self, lease: &Lease, extension: Duration) -> Answer<Timestamp> {
        self.store.heartbeat(lease, extension).await
    }
    async fn cancel(&self, id: &TaskId, actor: &str) -> Answer<()> {
        self.store.cancel(id, actor).await
    }
    async fn retry(&self, id: &TaskId, actor: &str) -> Answer<()> {
        self.store.retry(id, actor).await
    }
    async fn resolve(
        &self,
        id: &TaskId,
        resolution: Resolution,
        follow_ups: &[NewTask],
        actor: &str,
    ) -> Answer<Finished> {
        self.store.resolve(id, resolution, follow_ups, actor).await
    }
    async fn add_note(&self, id: &TaskId, note: &Note, actor: &str) -> Answer<()> {
        self.store.add_note(id, note, actor).await
    }
    async fn queues(&self) -> Answer<Vec<String>> {
        self.store.queues().await
    }
    async fn counts(&self, queue: &str) -> Answer<QueueCounts> {
        self.store.counts(queue).await
    }
    async fn expire(&self, most: u32) -> Answer<Vec<Expired>> {
        self.store.expire(most).await
    }
    async fn pause(&self, agent: &str, actor: &str) -> Answer<()> {
        self.store.pause(agent, actor).await
    }
    async fn resume(&self, agent: &str, actor: &str) -> Answer<()> {
        self.store.resume(agent, actor).await
    }
    async fn paused(&self) -> Answer<Vec<String>> {
        self.store.paused().await
    }
    async fn events(&self, id: &TaskId) -> Answer<Vec<AuditEvent>> {
        self.store.events(id).await
    }
    async fn outbox_register(&self, reader: &str) -> Answer<Registered> {
        self.store.outbox_register(reader).await
    }
    async fn outbox_take(&self, reader: &str, most: u32, visibility: Duration) -> Answer<Delivery> {
        self.store.outbox_take(reader, most, visibility).await
    }
    async fn outbox_ack(&self, reader: &str, entries: &[OutboxEntry]) -> Answer<()> {
        self.store.outbox_ack(reader, entries).await
    }
    async fn now(&self) -> Answer<Timestamp> {
        self.store.now().await
    }
    fn pulse(&self) -> Pulse {
        self.store.pulse()
    }
    async fn wait_for_work(&self, since: Pulse, timeout: Duration) {
        self.store.wait_for_work(since, timeout).await;
    }
}
