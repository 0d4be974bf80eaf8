use std::collections::BTreeSet;
use std::time::Duration;

use domain::ports::{OutboxEntry, TaskStore};
use domain::tasks::{AuditKind, TaskFilter};

use super::error::Result;
use super::layout::Layout;
use super::{Mailbox, State};

const BATCH: u32 = 100;
/// After a crash of whoever took them, events are handed out again this late.
const VISIBILITY: Duration = Duration::from_secs(10);
const PAGE: u32 = 200;

impl Mailbox {
    /// Shows what the store has to tell since the last time, and says how many events that was.
    ///
    /// An event is acknowledged when the files say what it says. One whose task cannot be shown comes again,
    /// and does not keep the others from being shown.
    pub async fn mirror(&self, store: &impl TaskStore) -> Result<usize> {
        let mut state = self.state.lock().await;
        let layout = self.layout(&mut state)?;
        self.mirror_in(&mut state, &layout, store).await
    }

    /// Writes everything again, as after somebody deleted the directory. What others put there stays.
    pub async fn rebuild(&self, store: &impl TaskStore) -> Result<()> {
        let mut state = self.state.lock().await;
        let layout = self.layout(&mut state)?;
        self.rebuild_in(&mut state, &layout, store).await
    }

    pub(super) async fn mirror_in(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
    ) -> Result<usize> {
        let mut shown = 0;
        loop {
            let entries = store.outbox_take(BATCH, VISIBILITY).await?;
            if entries.is_empty() {
                return Ok(shown);
            }
            shown += entries.len();
            self.show_all(state, layout, store, entries).await?;
        }
    }

    async fn show_all(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        entries: Vec<OutboxEntry>,
    ) -> Result<()> {
        let mut failed = BTreeSet::new();
        let mut first_error = None;
        let tasks: BTreeSet<_> = entries.iter().filter_map(|entry| entry.event.task.as_ref()).collect();
        for id in tasks {
            if let Err(error) = self.show(state, layout, store, id).await {
                failed.insert(id.clone());
                first_error.get_or_insert(error);
            }
        }
        for entry in &entries {
            if entry.event.kind == AuditKind::Resumed {
                self.show_resumed(state, layout, store, &entry.event).await?;
            }
        }
        let done: Vec<_> = entries
            .into_iter()
            .filter(|entry| entry.event.task.as_ref().is_none_or(|id| !failed.contains(id)))
            .collect();
        store.outbox_ack(&done).await?;
        first_error.map_or(Ok(()), Err)
    }

    pub(super) async fn rebuild_in(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
    ) -> Result<()> {
        let mut after = None;
        loop {
            let page = store.list(&TaskFilter::default(), after, PAGE).await?;
            for stored in &page.tasks {
                self.show(state, layout, store, &stored.task.id).await?;
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        for id in self.own_locks(layout)? {
            if store.get(&id).await?.is_none_or(|stored| stored.held.is_none()) {
                self.remove_lock(layout, &id)?;
            }
        }
        state.needs_rebuild = false;
        Ok(())
    }
}
