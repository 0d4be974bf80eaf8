use std::sync::Arc;
use std::time::Duration;

use domain::cycle::{Event, Resolution};
use domain::ports::{Delivery, OutboxEntry, Pulse, Registered, StoreError, TaskStore};
use domain::tasks::{
    Added, AuditEvent, Cursor, Expired, Finish, Finished, Lease, NewTask, Note, Page, QueueCounts,
    QueueLimit, StoredTask, TaskFilter, TaskId,
};
use jiff::Timestamp;

use crate::audit;
use crate::database::{Database, Purpose, Tx};
use crate::record;
use crate::signal::{Pickup, Signal};

/// Tasks in either engine. Clones share connections and signal.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) database: Database,
    pub(crate) signal: Arc<Signal>,
}

impl Store {
    pub fn pickup(&self) -> Pickup {
        self.signal.pickup()
    }

    /// Lets go of all connections, after those who use one. Dropping a store without this loses nothing.
    pub async fn close(&self) {
        self.signal.close();
        self.database.close().await;
    }
}

/// Whether a transaction may have made work for somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    Work,
    Nothing,
}

impl Store {
    /// Ends a write: what went well is stored, and told to those who wait for work if it is news to them;
    /// what did not leaves nothing behind.
    pub(crate) async fn conclude<T, E: From<StoreError>>(
        &self,
        mut tx: Tx,
        outcome: Result<(T, News), E>,
    ) -> Result<T, E> {
        match outcome {
            Err(error) => {
                tx.roll_back().await;
                Err(error)
            }
            Ok((answer, News::Nothing)) => {
                tx.commit().await?;
                Ok(answer)
            }
            Ok((answer, News::Work)) => {
                audit::announce_work(&mut tx).await?;
                tx.commit().await?;
                self.signal.beat();
                Ok(answer)
            }
        }
    }
}

impl TaskStore for Store {
    async fn add(&self, tasks: &[NewTask], limit: QueueLimit) -> Result<Vec<Added>, StoreError> {
        self.add_all(tasks, limit).await
    }

    async fn get(&self, id: &TaskId) -> Result<Option<StoredTask>, StoreError> {
        self.get_one(id).await
    }

    async fn list(&self, filter: &TaskFilter, after: Option<Cursor>, size: u32) -> Result<Page, StoreError> {
        self.list_page(filter, after, size).await
    }

    async fn claim(
        &self,
        queues: &[&str],
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        self.claim_one(queues, holder, lease).await
    }

    async fn claim_task(
        &self,
        id: &TaskId,
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        self.claim_this(id, holder, lease).await
    }

    async fn next_due(&self, queues: &[&str], holder: &str) -> Result<Option<Duration>, StoreError> {
        self.until_next_due(queues, holder).await
    }

    async fn heartbeat(&self, lease: &Lease, extension: Duration) -> Result<Timestamp, StoreError> {
        self.extend(lease, extension).await
    }

    async fn finish(&self, lease: &Lease, finish: &Finish) -> Result<Finished, StoreError> {
        self.finish_held(lease, finish).await
    }

    async fn cancel(&self, id: &TaskId, actor: &str) -> Result<(), StoreError> {
        self.decide(id, &Event::Cancel, &[], actor).await.map(|_| ())
    }

    async fn retry(&self, id: &TaskId, actor: &str) -> Result<(), StoreError> {
        self.decide(id, &Event::Retry, &[], actor).await.map(|_| ())
    }

    async fn resolve(
        &self,
        id: &TaskId,
        resolution: Resolution,
        follow_ups: &[NewTask],
        actor: &str,
    ) -> Result<Finished, StoreError> {
        self.decide(id, &Event::resolved(resolution), follow_ups, actor).await
    }

    async fn add_note(&self, id: &TaskId, note: &Note, actor: &str) -> Result<(), StoreError> {
        self.keep_note(id, note, actor).await
    }

    async fn queues(&self) -> Result<Vec<String>, StoreError> {
        self.queue_names().await
    }

    async fn counts(&self, queue: &str) -> Result<QueueCounts, StoreError> {
        self.count_open(queue).await
    }

    async fn expire(&self, most: u32) -> Result<Vec<Expired>, StoreError> {
        self.expire_some(most).await
    }

    async fn pause(&self, agent: &str, actor: &str) -> Result<(), StoreError> {
        self.pause_agent(agent, actor).await
    }

    async fn resume(&self, agent: &str, actor: &str) -> Result<(), StoreError> {
        self.resume_agent(agent, actor).await
    }

    async fn paused(&self) -> Result<Vec<String>, StoreError> {
        self.paused_agents().await
    }

    async fn events(&self, id: &TaskId) -> Result<Vec<AuditEvent>, StoreError> {
        self.events_of(id).await
    }

    async fn outbox_register(&self, reader: &str) -> Result<Registered, StoreError> {
        self.register_reader(reader).await
    }

    async fn outbox_take(
        &self,
        reader: &str,
        most: u32,
        visibility: Duration,
    ) -> Result<Delivery, StoreError> {
        self.take_from_outbox(reader, most, visibility).await
    }

    async fn outbox_ack(&self, reader: &str, entries: &[OutboxEntry]) -> Result<(), StoreError> {
        self.acknowledge(reader, entries).await
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        record::now(&mut tx).await
    }

    fn pulse(&self) -> Pulse {
        self.signal.pulse()
    }

    async fn wait_for_work(&self, since: Pulse, timeout: Duration) {
        self.signal.wait(since, timeout).await;
    }
}
