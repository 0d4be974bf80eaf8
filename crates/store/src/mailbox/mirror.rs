use std::collections::BTreeSet;
use std::time::Duration;

use domain::ports::{Delivery, OutboxEntry, TaskStore};
use domain::tasks::{AuditKind, TaskId};

use super::error::Result;
use super::layout::Layout;
use super::reader::demand_rebuild;
use super::{Mailbox, State};

const BATCH: u32 = 200;
/// After a crash of whoever took them, events are handed out again this late.
const VISIBILITY: Duration = Duration::from_secs(10);
const PAGE: u32 = 200;

impl Mailbox {
    /// Shows what the store has to tell since the last time, and says how many events that was. A mailbox
    /// that the store does not know, or not any more, shows everything.
    ///
    /// An event is acknowledged when the files say what it says. One whose task cannot be shown comes again,
    /// and does not keep the others from being shown.
    pub async fn mirror(&self, store: &impl TaskStore) -> Result<usize> {
        let mut state = self.state.lock().await;
        let layout = Layout::open(&self.root)?;
        self.mirror_in(&mut state, &layout, store).await
    }

    /// Writes everything again, as after somebody deleted the directory. What others put there stays.
    pub async fn rebuild(&self, store: &impl TaskStore) -> Result<()> {
        let mut state = self.state.lock().await;
        let layout = Layout::open(&self.root)?;
        demand_rebuild(&layout.root)?;
        let reader = layout.reader()?;
        self.catch_up(&mut state, &layout, store, &reader).await
    }

    pub(super) async fn mirror_in(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
    ) -> Result<usize> {
        let reader = layout.reader()?;
        self.catch_up(state, layout, store, &reader).await?;
        let mut shown = 0;
        loop {
            match store.outbox_take(&reader, BATCH, VISIBILITY).await? {
                Delivery::Entries(entries) if entries.is_empty() => {
                    state.shown_when_added.clear();
                    return Ok(shown);
                }
                Delivery::Entries(entries) => {
                    shown += entries.len();
                    self.show_all(state, layout, store, &reader, entries).await?;
                }
                Delivery::NotRegistered => {
                    demand_rebuild(&layout.root)?;
                    self.catch_up(state, layout, store, &reader).await?;
                }
            }
        }
    }

    /// Registers before it looks: what happens meanwhile is delivered afterwards.
    async fn catch_up(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        reader: &str,
    ) -> Result<()> {
        let Some(demand) = layout.rebuild_demanded()? else { return Ok(()) };
        store.outbox_register(reader).await?;
        self.write_everything(state, layout, store).await?;
        layout.has_rebuilt(&demand)
    }

    async fn show_all(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
        reader: &str,
        entries: Vec<OutboxEntry>,
    ) -> Result<()> {
        let mut failed = BTreeSet::new();
        let mut first_error = None;
        for id in still_to_show(state, &entries) {
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
        store.outbox_ack(reader, &done).await?;
        first_error.map_or(Ok(()), Err)
    }

    async fn write_everything(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
    ) -> Result<()> {
        let mut after = None;
        loop {
            let next = self.show_page(state, layout, store, after, PAGE).await?;
            if next.is_none() {
                break;
            }
            after = next;
        }
        for id in self.own_locks(layout)? {
            if store.get(&id).await?.is_none_or(|stored| stored.held.is_none()) {
                self.remove_lock(layout, &id)?;
            }
        }
        Ok(())
    }
}

/// What we took in and showed ourselves needs no second look for having been added.
fn still_to_show<'a>(state: &mut State, entries: &'a [OutboxEntry]) -> BTreeSet<&'a TaskId> {
    let mut ids = BTreeSet::new();
    for event in entries.iter().map(|entry| &entry.event) {
        let Some(id) = &event.task else { continue };
        if event.kind != AuditKind::Added || !state.shown_when_added.remove(id) {
            ids.insert(id);
        }
    }
    ids
}
