use crate::change::{LineKind, Oid, RepoPath};
use crate::forge::DiffRefs;
use crate::review::Fingerprint;

/// One line of the forge's diff. Both counters are kept, because some forges want both: for a line that exists on one
/// side only, the other counter is where that side stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSpot {
    pub kind: LineKind,
    pub old: u32,
    pub new: u32,
}

/// Where in the diff a comment stands. Both ends lie in one hunk, `start` not after `end`, on the same side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinePlace {
    /// The path after the change; for a deleted file the one before it.
    pub path: RepoPath,
    /// The path before the change; for an added file the one after it.
    pub old_path: RepoPath,
    pub start: LineSpot,
    pub end: LineSpot,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineComment {
    /// Of the finding it is about.
    pub fingerprint: Fingerprint,
    pub place: InlinePlace,
    /// Ready to be posted: cleaned, marked and within the forge's limits.
    pub body: String,
}

/// Comments that appear together, as one review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewPost {
    /// The commits they refer to.
    pub refs: DiffRefs,
    /// What the review as a whole says, where the forge shows such a thing.
    pub body: String,
    pub comments: Vec<InlineComment>,
}

/// What became of a review. Comments that are not named here were placed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    pub refused: Vec<RefusedComment>,
}

/// A comment that the forge does not take at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedComment {
    pub fingerprint: Fingerprint,
    pub reason: String,
}

/// The verdict on a commit, where branch protection looks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatus {
    /// Which check it is; the same name for the same commit replaces what was said before.
    pub name: String,
    pub commit: Oid,
    pub state: StatusState,
    /// At most 140 characters.
    pub title: String,
    /// For forges that show more than a line.
    pub summary: String,
    pub url: Option<String>,
}

/// There is no neutral: what was not reviewed was not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusState {
    Pending,
    Success,
    Failure,
}
