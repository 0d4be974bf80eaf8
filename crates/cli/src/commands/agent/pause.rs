use domain::ports::TaskStore;

use crate::failure::Failure;
use crate::output::Exit;
use crate::pretty;
use crate::store::{StoreArgs, actor};

/// Keep an agent, or one replica of it, from taking new tasks. What it holds it may finish.
#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// An agent's queue (qa) or one replica (qa-2).
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArgs,
}

/// Let a paused agent work again.
#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArgs,
}

impl Pause {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.store.with_store(async |store| store.pause(&self.id, &actor()).await)?;
        pretty::note(&format!("{} is paused.", self.id));
        Ok(Exit::Ok)
    }
}

impl Resume {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.store.with_store(async |store| store.resume(&self.id, &actor()).await)?;
        pretty::note(&format!("{} works again.", self.id));
        Ok(Exit::Ok)
    }
}
