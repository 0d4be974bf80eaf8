use engine::escalation::EscalationRef;

use super::name;
use super::one::{self, Found};
use crate::commands::{assignment, task};
use crate::desk::DeskArgs;
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Tell the whole story of an escalation, and what can be decided about it.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The escalation, as `escalation list` shows it: assignment/7, or only 7.
    #[arg(value_name = "ID", value_parser = name)]
    id: EscalationRef,

    #[command(flatten)]
    desk: DeskArgs,

    /// With json, everything that is stored.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Show {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match one::find(&self.desk, &self.id)? {
            Found::Task(id) => task::show(id, self.desk.store, self.format),
            Found::Assignment(id) => assignment::show(id, self.desk, self.format),
        }
    }
}
