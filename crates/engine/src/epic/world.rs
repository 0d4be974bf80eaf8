use std::time::Duration;

use domain::change::Oid;
use domain::cycle::Work;
use domain::epic::TicketBounds;
use domain::epic::run::{EpicRun, TicketRun};
use domain::formats::contexts::{RevisionContext, TestSuiteStatus};
use domain::ports::AuthorReport;
use domain::review::Review;
use domain::work::WorkItem;
use jiff::Timestamp;

pub use crate::story::Halt;

/// What a run needs from outside. Blocking, and called from many threads at once.
///
/// Whatever fails with a [`Halt`] has changed nothing that matters: the same call is made again when the run is gone on
/// with.
pub trait World: Sync {
    fn now(&self) -> Timestamp;

    /// Whether somebody wants the run to stop. What was being asked then is not believed.
    fn is_stopped(&self) -> bool;

    /// People may want to know.
    fn tell(&self, moment: &TicketMoment<'_>);

    /// Stores a ticket so that it survives whatever happens next. Its version is the next one.
    fn save(&self, ticket: &TicketRun, event: &str) -> Result<(), Halt>;

    /// Stores what is not about one ticket.
    fn save_epic(&self, run: &EpicRun, event: &str) -> Result<(), Halt>;

    /// Why a human has to look at the epic branch before the run goes on: somebody else has put something there. Who
    /// goes on after they were told of it is taken at their word, as long as what is there is valid.
    fn branch_stop(&self) -> Result<Option<String>, Halt>;

    /// Where a ticket's work begins: the epic branch as it is, with `dependencies` merged into it that it does not
    /// hold yet. Makes no branch.
    fn base(&self, ticket: &TicketRun, dependencies: &[Oid]) -> Result<Based, Halt>;

    /// Has a ticket built in a worktree of its own, and keeps the result as a commit that no branch points to.
    fn build(&self, job: &BuildJob<'_>) -> Result<Built, Halt>;

    /// Puts the ticket's branch where its work is, whatever the work is worth. Doing it twice does no harm.
    fn place_branch(&self, ticket: &TicketRun) -> Result<Placed, Halt>;

    /// Sees whether the work is fit to be reviewed.
    fn validate(&self, ticket: &TicketRun) -> Result<Validated, Halt>;

    /// Has the work reviewed by somebody fresh who can read and not write, within the ticket's time.
    fn review(&self, ticket: &TicketRun) -> Result<Reviewed, Halt>;

    /// Which functions that the epic agreed on are defined nowhere: neither in the epic branch nor in finished work.
    fn undefined(&self, tickets: &[TicketRun]) -> Result<Vec<String>, Halt>;

    /// Merges what was approved into the epic branch as it is, as a commit that no branch points to, and validates
    /// the result.
    fn make_merge(&self, ticket: &TicketRun, work: &Oid) -> Result<MergeMade, Halt>;

    /// Moves the epic branch to a merge. Doing it twice does no harm.
    fn publish_merge(&self, from: &Oid, to: &Oid) -> Result<MergePublished, Halt>;
}

/// Something people may want to know.
#[derive(Debug, Clone, Copy)]
pub struct TicketMoment<'a> {
    /// Nothing where the epic as a whole is meant.
    pub ticket: Option<&'a TicketRun>,
    pub text: &'a str,
}

/// Where a ticket begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Based {
    At(Oid),
    /// What it depends on does not fit together: a human has to merge it.
    Conflict {
        what: String,
    },
}

/// What a builder is asked for.
#[derive(Debug, Clone, Copy)]
pub struct BuildJob<'a> {
    pub ticket: &'a TicketRun,
    pub item: &'a WorkItem,
    pub bounds: &'a TicketBounds,
    pub work: Work,
    /// Where the ticket's change begins.
    pub base: &'a Oid,
    /// The work so far; the base if there is none.
    pub start: &'a Oid,
    /// What a review asked for, validated and cleaned.
    pub revision: Option<&'a RevisionContext>,
    /// Why the last attempt was not fit to be reviewed, or could not be merged.
    pub complaint: Option<&'a str>,
}

#[derive(Debug, Clone)]
pub enum Built {
    Changed {
        /// As it was, but for work that was fitted to a new one.
        base: Oid,
        commit: Oid,
        report: AuthorReport,
        took: Duration,
    },
    /// It says it is finished, and nothing is different.
    Unchanged { report: AuthorReport, took: Duration },
    /// Put on a new base it conflicts, and it left that as it was: the next go begins there.
    Unfitted { base: Oid, commit: Oid, reason: String, report: AuthorReport, took: Duration },
    /// It crashed, hung or could not be started.
    Failed { reason: String, took: Duration },
    /// It did what no builder may.
    Refused { reason: String, report: AuthorReport, took: Duration },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validated {
    Passed { tests: TestSuiteStatus },
    Failed { reason: String },
}

/// Where a ticket's branch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    AtTheWork,
    /// The commit is gone, as after a thorough tidying up.
    Lost,
    /// Somebody else moved the branch, or works in it: nobody's work is overwritten.
    Moved {
        what: String,
    },
}

/// A review, and what it was of.
#[derive(Debug, Clone)]
pub struct Reviewed {
    pub review: Review,
    pub took: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeMade {
    Made {
        from: Oid,
        commit: Oid,
    },
    /// The epic branch holds it already, and is there.
    AlreadyIn {
        tip: Oid,
    },
    Conflict {
        files: Vec<String>,
    },
    /// It merges, and the result does not pass validation.
    Refused {
        reason: String,
    },
    /// The epic branch is where somebody else put it: a human has to look.
    Moved {
        what: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergePublished {
    Done,
    /// The epic branch is no longer where the merge began.
    Moved,
    /// Somebody works in the epic branch, and has something in the way.
    InTheWay {
        what: String,
    },
}
