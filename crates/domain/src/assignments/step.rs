use super::{BranchName, Feedback};
use crate::change::Oid;
use crate::cycle::{Outcome, Resolution};

/// What somebody wants of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Its coder takes a new assignment, goes on with one that it has taken, or takes up the rework.
    Accept { then: AfterAccept },
    /// Its coder hands in work.
    Submit(Submission),
    /// A reviewer's word on what was submitted.
    Review(Verdict),
    /// A person's word on an escalated one. The note is kept with the decision and, where the work goes on,
    /// given to the coder.
    Resolve { resolution: Resolution, note: Option<Feedback> },
}

/// Whether work begins with the acceptance. Either way the assignment is `accepted` first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterAccept {
    Begin,
    /// It stays `accepted` until it is accepted once more.
    Wait,
}

/// A branch that was looked at: what it holds is pinned here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    pub branch: BranchName,
    pub base: String,
    pub base_commit: Oid,
    pub head: Oid,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// Required to reject.
    pub feedback: Option<Feedback>,
    /// The commit that was reviewed, if the reviewer names it.
    pub head: Option<Oid>,
    /// The attempt that was reviewed, if the reviewer names it.
    pub attempt: Option<u32>,
    /// Reviewers that could be asked instead, the caller among them or not.
    pub known_reviewers: Vec<String>,
}
