use domain::ports::TaskStore;
use domain::tasks::TaskId;

use crate::failure::Failure;
use crate::output::Exit;
use crate::pretty;
use crate::store::{StoreArgs, actor, task_id};

/// Take a task back. Whoever is working on it is told to stop.
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    #[arg(value_name = "ID", value_parser = task_id)]
    id: TaskId,

    #[command(flatten)]
    store: StoreArgs,
}

/// Have a failed task begin again. What waits for it is freed.
#[derive(Debug, clap::Args)]
pub(crate) struct Retry {
    #[arg(value_name = "ID", value_parser = task_id)]
    id: TaskId,

    #[command(flatten)]
    store: StoreArgs,
}

impl Cancel {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.store.with_store(async |store| store.cancel(&self.id, &actor()).await)?;
        pretty::note(&format!("Cancelled {}.", self.id));
        Ok(Exit::Ok)
    }
}

impl Retry {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.store.with_store(async |store| store.retry(&self.id, &actor()).await)?;
        pretty::note(&format!("{} is pending again.", self.id));
        Ok(Exit::Ok)
    }
}
