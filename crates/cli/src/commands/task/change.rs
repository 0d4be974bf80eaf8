use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Refusal, TaskId};
use store::Store;

use super::refused::{Tried, tried};
use super::view;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty;
use crate::store::{StoreArgs, task_id};

/// Take a task back. Whoever is working on it is told to stop.
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    /// The task, as `task list` shows it.
    #[arg(value_name = "ID", value_parser = task_id)]
    id: TaskId,

    #[command(flatten)]
    store: StoreArgs,

    /// How the task is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

/// Have a failed task begin again. What waits for it is freed.
#[derive(Debug, clap::Args)]
pub(crate) struct Retry {
    /// The task, as `task list` shows it.
    #[arg(value_name = "ID", value_parser = task_id)]
    id: TaskId,

    #[command(flatten)]
    store: StoreArgs,

    /// How the task is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Cancel {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let shown = self.store.with_store(async |store| {
            let cancelled = store.cancel(&self.id, &self.store.actor()).await;
            shown(store, &self.id, cancelled).await
        })?;
        let shown = shown.or_refuse("cancelled")?;
        answer(&shown, &format!("Cancelled {}.", self.id), self.format)
    }
}

impl Retry {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let shown = self.store.with_store(async |store| {
            let retried = store.retry(&self.id, &self.store.actor()).await;
            shown(store, &self.id, retried).await
        })?;
        let shown = shown.or_refuse("retried")?;
        answer(&shown, &format!("{} is pending again.", self.id), self.format)
    }
}

/// The task after a change, or as it is if the change was none for it.
pub(super) async fn shown(
    store: &Store,
    id: &TaskId,
    changed: Result<(), StoreError>,
) -> Result<Tried<serde_json::Value>, StoreError> {
    match tried(store, id, changed).await? {
        Tried::Done(()) => Ok(Tried::Done(as_json(store, id).await?)),
        Tried::NotNow(stored) => Ok(Tried::NotNow(stored)),
    }
}

/// The task as it stands after what was done to it.
pub(super) async fn as_json(store: &Store, id: &TaskId) -> Result<serde_json::Value, StoreError> {
    let stored = store.get(id).await?.ok_or_else(|| Refusal::NotFound(id.clone()))?;
    let moment = view::Moment { now: store.now().await?, paused: store.paused().await? };
    Ok(view::json(&stored, &moment))
}

pub(super) fn answer(shown: &serde_json::Value, note: &str, format: Listing) -> Result<Exit, Failure> {
    match format {
        Listing::Json => output::print(&output::json(shown)?)?,
        Listing::Pretty => pretty::note(note),
    }
    Ok(Exit::Ok)
}
