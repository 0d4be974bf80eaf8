use engine::escalation::{EscalationKind, EscalationRef, Resolved};

use super::one::{find, with_escalations};
use super::{mission, name, story};
use crate::commands::assignment;
use crate::commands::task::{self, Decision};
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Decide about an escalation. `escalation show` tells its story.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign escalation resolve assignment/7 accept\n  \
    countersign escalation resolve assignment/7 one-more --note \"Only the login matters\"")]
pub(crate) struct Resolve {
    /// The escalation, as `escalation list` shows it: assignment/7, or only 7; story/ID for a loop, mission/KEY.
    #[arg(value_name = "ID", value_parser = name)]
    id: EscalationRef,

    /// What is to become of it.
    #[arg(value_name = "DECISION")]
    decision: Decision,

    /// Something that whoever works on it next should know; of an accepted story, why it is accepted.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,

    #[command(flatten)]
    desk: DeskArgs,

    /// How it is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Resolve {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.desk.check_person()?;
        let open = find(&self.desk, &self.id)?;
        let access = match open.kind {
            EscalationKind::Task | EscalationKind::Assignment => Access::Write,
            // They are beside the repository, which may have no store.
            EscalationKind::Story | EscalationKind::Ticket | EscalationKind::Mission => Access::Read,
        };
        let resolution = self.decision.resolution();
        let resolved = with_escalations(&self.desk, access, async |escalations, caller| {
            escalations.resolve(caller, &open.name(), resolution, &self.note).await
        })?;
        match resolved {
            Resolved::Task { id, finished } => task::resolved(&id, &finished, &self.desk.store, self.format),
            Resolved::Assignment(assignment) => assignment::resolved(&assignment, self.format),
            Resolved::Story { story, decided } => story::resolved(&story, decided, self.format),
            Resolved::Mission(mission) => mission::resolved(&mission, self.format),
        }
    }
}
