use domain::assignments::AssignmentId;

use super::{assignment_id, resolved};
use crate::commands::task::Decision;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Decide about an escalated assignment. Only people can.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign assignment resolve 7 accept\n  \
    countersign assignment resolve 7 one-more --note \"Only the login matters\"")]
pub(crate) struct Resolve {
    /// The assignment, as `assignment list --status escalated` shows it.
    #[arg(value_name = "ID", value_parser = assignment_id)]
    id: AssignmentId,

    /// What is to become of it.
    #[arg(value_name = "DECISION")]
    decision: Decision,

    /// Something that the coder should know.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,

    #[command(flatten)]
    desk: DeskArgs,

    /// How the assignment is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Resolve {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let resolution = self.decision.resolution();
        let work = self.desk.with_desk(Access::Write, async |at| {
            at.desk.resolve_escalation(at.caller, self.id, resolution, &self.note).await
        })?;
        resolved(&work, self.format)
    }
}
