use domain::tasks::TaskId;
use engine::escalation::{EscalationKind, EscalationRef};

use super::one::find;
use super::{mission, name, story, ticket};
use crate::commands::{assignment, task};
use crate::desk::DeskArgs;
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Tell the whole story of an escalation, and what can be decided about it.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The escalation, as `escalation list` shows it: assignment/7, or only 7; story/ID for a loop, ticket/EPIC/TICKET,
    /// mission/KEY.
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
        let open = find(&self.desk, &self.id)?;
        let gone = |_| Failure::new(format!("{} cannot be shown", open.name()), "list them again");
        match open.kind {
            EscalationKind::Task => {
                task::show(TaskId::parse(&open.id).map_err(gone)?, self.desk.store, self.format)
            }
            EscalationKind::Assignment => {
                assignment::show(open.id.parse().map_err(gone)?, self.desk, self.format)
            }
            EscalationKind::Story => story::show(&self.desk.store.root(), &open.id, self.format),
            EscalationKind::Ticket => ticket::show(&self.desk, &open, self.format),
            EscalationKind::Mission => mission::show(&self.desk.store, &open.id, self.format),
        }
    }
}
