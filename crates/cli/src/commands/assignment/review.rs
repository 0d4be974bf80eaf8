use domain::assignments::AssignmentId;
use domain::change::Oid;
use engine::assignments::{Judged, Judgement};

use super::assignment_id;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty;

/// Give a verdict on what was submitted.
///
/// A rejection sends the assignment back to its coder with the feedback; the last one allowed hands it to a person.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign assignment review 7 --approve\n  \
    countersign assignment review 7 --as purple --role reviewer --reject --feedback \"Null check missing\"")]
pub(crate) struct Review {
    /// The assignment, as `assignment list` shows it.
    #[arg(value_name = "ID", value_parser = assignment_id)]
    id: AssignmentId,

    #[command(flatten)]
    verdict: VerdictArgs,

    /// What to change, or anything else worth saying. Needed to reject.
    #[arg(long, value_name = "TEXT", default_value = "")]
    feedback: String,

    /// The commit that was reviewed, in full; needed where the branch has moved on since.
    #[arg(long, value_name = "COMMIT", value_parser = commit)]
    head: Option<Oid>,

    /// The attempt that was reviewed; refused if it is another by now.
    #[arg(long, value_name = "N")]
    attempt: Option<u32>,

    #[command(flatten)]
    desk: DeskArgs,

    /// With json, what became of the assignment.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct VerdictArgs {
    /// The work passes.
    #[arg(long)]
    approve: bool,

    /// The work has to be corrected.
    #[arg(long)]
    reject: bool,

    /// The review proves nothing, and costs no attempt.
    #[arg(long)]
    inconclusive: bool,
}

impl VerdictArgs {
    fn judged(&self) -> Judged {
        match (self.approve, self.reject) {
            (true, _) => Judged::Approved,
            (false, true) => Judged::Rejected,
            (false, false) => Judged::Inconclusive,
        }
    }
}

impl Review {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let judgement = Judgement {
            head_commit: self.head,
            review_attempt: self.attempt,
            ..Judgement::new(self.verdict.judged(), self.feedback)
        };
        let result = self.desk.with_desk(Access::Write, async |at| {
            at.desk.submit_review_result(at.caller, self.id, &judgement).await
        })?;
        match self.format {
            Listing::Json => output::print(&output::json(&result)?)?,
            Listing::Pretty => pretty::note(&format!("{}.", result.message.trim_end_matches('.'))),
        }
        Ok(Exit::Ok)
    }
}

fn commit(text: &str) -> Result<Oid, String> {
    Oid::parse(text).ok_or_else(|| "give all 40 or 64 digits of the commit".to_owned())
}
