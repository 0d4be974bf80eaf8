use super::one::{self, Found};
use super::{Named, name, story};
use crate::commands::{assignment, task};
use crate::desk::DeskArgs;
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Tell the whole story of an escalation, and what can be decided about it.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The escalation, as `escalation list` shows it: assignment/7, or only 7; story/ID for a loop.
    #[arg(value_name = "ID", value_parser = name)]
    id: Named,

    #[command(flatten)]
    desk: DeskArgs,

    /// With json, everything that is stored.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Show {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let id = match &self.id {
            Named::Story(id) => return story::show(&self.desk.store.root(), id, self.format),
            Named::Stored(id) => id,
        };
        match one::find(&self.desk, id)? {
            Found::Task(id) => task::show(id, self.desk.store, self.format),
            Found::Assignment(id) => assignment::show(id, self.desk, self.format),
        }
    }
}
