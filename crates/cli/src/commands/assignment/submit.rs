use domain::assignments::AssignmentId;
use domain::change::Oid;

use super::{assignment_id, view};
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Hand in a branch for review.
///
/// The branch has to exist and to hold something that its base does not. What it holds now is what is reviewed.
#[derive(Debug, clap::Args)]
pub(crate) struct Submit {
    /// The assignment, as `assignment list` shows it.
    #[arg(value_name = "ID", value_parser = assignment_id)]
    id: AssignmentId,

    /// The branch that holds the work [default: the one it was made with or handed in on before]
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,

    /// What the branch is compared with.
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,

    #[command(flatten)]
    desk: DeskArgs,

    /// How the assignment is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Submit {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (branch, base) = (self.branch.as_deref(), self.base.as_deref());
        let work = self.desk.with_desk(Access::Write, async |at| {
            at.desk.submit_for_review(at.caller, self.id, branch, base).await
        })?;
        let head = work.head_commit.as_ref().map(Oid::short).unwrap_or_default();
        let (id, attempt, most) = (work.id, work.review_attempt(), work.max_cycles());
        let note = format!("Assignment {id} waits for its review at {head}, attempt {attempt} of {most}.");
        view::answer(&work, &note, self.format)
    }
}
