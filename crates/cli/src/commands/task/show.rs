use domain::ports::TaskStore;
use domain::tasks::{Refusal, TaskId};

use super::view;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::store::{StoreArgs, refused, task_id};

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
        let (stored, events) = self
            .store
            .with_store(async |store| Ok((store.get(&self.id).await?, store.events(&self.id).await?)))?;
        let Some(stored) = stored else { return Err(refused(&Refusal::NotFound(self.id))) };
        output::print(&match self.format {
            Listing::Json => {
                let mut shown = view::json(&stored);
                shown["events"] = serde_json::json!(events);
                output::json(&shown)?
            }
            Listing::Pretty => view::page(&stored, &events),
        })?;
        Ok(Exit::Ok)
    }
}
