use std::time::Duration;

use domain::change::Oid;
use domain::formats::findings_document::FindingsDocument;
use domain::ports::AuthorReport;
use domain::review::Review;
use jiff::Timestamp;

use super::{Fix, Moment, Story, Touched};

/// What the loop needs from outside. Blocking.
///
/// Whatever fails with a [`Halt`] has changed nothing that matters: the same call is made again when the story is gone on
/// with.
pub trait World {
    fn now(&self) -> Timestamp;

    /// Whether somebody wants the loop to stop. What was being asked then is not believed.
    fn is_stopped(&self) -> bool;

    /// Waits, unless asked to stop before that.
    fn wait_until(&self, moment: Timestamp);

    /// People may want to know.
    fn tell(&self, moment: &Moment<'_>);

    /// Stores the story so that it survives whatever happens next.
    fn save(&self, story: &Story) -> Result<(), Halt>;

    /// Has the branch reviewed as it is now, by a new process in a new place that knows the code and the story and
    /// nothing of earlier rounds.
    fn review(&self, story: &Story) -> Result<Reviewed, Halt>;

    /// The lines that differ between two commits of the branch.
    fn touched(&self, from: &Oid, to: &Oid) -> Result<Touched, Halt>;

    /// Writes the findings document of a round.
    fn write_document(&self, story: &Story, round: u32, text: &str) -> Result<(), Halt>;

    /// Removes what an earlier loop, or an earlier review of this round, left at the place of a document.
    fn clear_document(&self, story: &Story, round: u32) -> Result<(), Halt>;

    /// Where the document of a round is, as people are told.
    fn document_path(&self, story: &Story, round: u32) -> String;

    /// The document of a round as it is now; nothing if it is not there.
    fn read_document(&self, story: &Story, round: u32) -> Result<Option<String>, Halt>;

    /// Has findings corrected in a worktree of its own, and keeps the result as a commit that no branch points to.
    fn fix(&self, story: &Story, job: &FixJob<'_>) -> Result<Fixed, Halt>;

    /// Whether a correction keeps the rules.
    fn check(&self, story: &Story, fix: &Fix) -> Result<Checked, Halt>;

    /// Moves the branch to a correction. Doing it twice does no harm.
    fn publish(&self, story: &Story, fix: &Fix) -> Result<Published, Halt>;
}

/// Why the loop cannot go on. Nothing is lost: it may be gone on with from the same step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// Somebody asked for it.
    Stopped,
    Failed {
        what: String,
        hint: String,
    },
}

/// A review, and what it was of.
#[derive(Debug, Clone)]
pub struct Reviewed {
    pub review: Review,
    pub head: Oid,
    pub took: Duration,
    /// What is to be known about the branch or its base: that one of them moved, say.
    pub remarks: Vec<String>,
}

/// What a fixer is asked for.
#[derive(Debug, Clone, Copy)]
pub struct FixJob<'a> {
    pub round: u32,
    /// The commit whose review found it.
    pub head: &'a Oid,
    /// Only what is to be fixed: what a person deleted or accepted is not in it.
    pub document: &'a FindingsDocument,
    /// Why the attempt before was refused.
    pub refused: Option<&'a str>,
}

#[derive(Debug, Clone)]
pub enum Fixed {
    Changed {
        start: Oid,
        commit: Oid,
        patch: String,
        report: AuthorReport,
        took: Duration,
    },
    /// It says it is finished, and nothing is different.
    Unchanged {
        report: AuthorReport,
        took: Duration,
    },
    /// It crashed, hung or could not be started.
    Failed {
        reason: String,
        took: Duration,
    },
    /// It did what no fixer may.
    Refused {
        reason: String,
        report: AuthorReport,
        took: Duration,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    Fine,
    Refused {
        reason: String,
    },
    /// The commit is gone, as after a thorough tidying up: there is nothing to check.
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Published {
    Done,
    /// The branch is no longer where the correction began, so there is no place for it.
    Moved,
}
