use domain::ports::TaskStore;
use domain::tasks::{Refusal, TaskId};

use super::{page, view};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::store::{StoreArgs, task_id};

/// Show one task and everything that happened to it.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    #[arg(value_name = "ID", value_parser = task_id)]
    id: TaskId,

    #[command(flatten)]
    store: StoreArgs,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Show {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (stored, events, moment) = self.store.with_store(async |store| {
            let stored = store.get(&self.id).await?.ok_or_else(|| Refusal::NotFound(self.id.clone()))?;
            let moment = view::Moment { now: store.now().await?, paused: store.paused().await? };
            Ok((stored, store.events(&self.id).await?, moment))
        })?;
        output::print(&match self.format {
            Listing::Json => {
                let mut shown = view::json(&stored, &moment);
                shown["events"] = serde_json::json!(events);
                output::json(&shown)?
            }
            Listing::Pretty => page::page(&stored, &events, &moment),
        })?;
        Ok(Exit::Ok)
    }
}
