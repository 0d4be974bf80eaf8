use domain::assignments::{AfterAccept, AssignmentId};

use super::{assignment_id, view};
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Take an assignment, or take up its rework.
#[derive(Debug, clap::Args)]
pub(crate) struct Accept {
    /// The assignment, as `assignment list` shows it.
    #[arg(value_name = "ID", value_parser = assignment_id)]
    id: AssignmentId,

    /// Take it without beginning yet; accept it once more to begin.
    #[arg(long)]
    hold: bool,

    #[command(flatten)]
    desk: DeskArgs,

    /// How the assignment is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Accept {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let then = if self.hold { AfterAccept::Wait } else { AfterAccept::Begin };
        let work =
            self.desk.with_desk(Access::Write, async |at| at.desk.accept(at.caller, self.id, then).await)?;
        let note = format!(
            "Assignment {} is {}, attempt {} of {}.",
            work.id,
            work.status().as_str(),
            work.review_attempt(),
            work.max_cycles()
        );
        view::answer(&work, &note, self.format)
    }
}
