use domain::cycle::TaskStatus;
use domain::ports::TaskStore;
use domain::tasks::{Refusal, TaskId};
use engine::escalation::Dossier;

use super::{escalated, page, view};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::store::{StoreArgs, task_id};

/// Show one task and everything that happened to it.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The task, as `task list` shows it.
    #[arg(value_name = "ID", value_parser = task_id)]
    pub(super) id: TaskId,

    #[command(flatten)]
    pub(super) store: StoreArgs,

    /// With json, everything that is stored.
    #[arg(long, default_value = "pretty")]
    pub(super) format: Listing,
}

impl Show {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (stored, events, moment) = self.store.with_store_to_read(async |store| {
            let stored = store.get(&self.id).await?.ok_or_else(|| Refusal::NotFound(self.id.clone()))?;
            let moment = view::Moment { now: store.now().await?, paused: store.paused().await? };
            Ok((stored, store.events(&self.id).await?, moment))
        })?;
        let is_escalated = stored.task.status == TaskStatus::Escalated;
        let dossier = Dossier::of(&events);
        output::print(&match self.format {
            Listing::Json => {
                let mut shown = view::json(&stored, &moment);
                shown["events"] = serde_json::json!(events);
                shown["reviews"] = serde_json::json!(dossier.reviews);
                shown["findings"] = serde_json::json!(dossier.findings);
                if is_escalated {
                    shown["escalation"] = escalated::json(&stored, &dossier);
                }
                output::json(&shown)?
            }
            Listing::Pretty => page::page(&stored, &events, &dossier, &moment),
        })?;
        Ok(Exit::Ok)
    }
}
