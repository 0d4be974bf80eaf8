use super::{MergeRequestRef, Project};
use crate::change::Oid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub name: String,
    pub head: Oid,
}

/// A pull or merge request as it was when it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    pub reference: MergeRequestRef,
    pub title: String,
    pub description: String,
    pub state: MergeRequestState,
    pub is_draft: bool,
    /// Where people see it.
    pub url: String,
    pub author: String,
    pub source_branch: String,
    pub target_branch: String,
    /// The newest commit of it. Nothing while the forge has not looked at it yet.
    pub head: Option<Oid>,
    pub origin: Origin,
    /// What a position in the diff refers to, where the forge wants that.
    pub diff_refs: Option<DiffRefs>,
    pub labels: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeRequestState {
    Open,
    Closed,
    Merged,
}

/// Whose branch it is. A change from a fork comes from a stranger: none of its code is executed and none of its
/// configuration is read unless somebody configured otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    SameProject,
    Fork,
}

/// The commits a diff is between. `start` differs from `base` where the target branch has moved on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRefs {
    pub base: Oid,
    pub start: Oid,
    pub head: Oid,
}

/// A pull or merge request that is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMergeRequest {
    pub project: Project,
    pub source_branch: String,
    pub target_branch: String,
    pub title: String,
    pub description: String,
}

/// Asking twice makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreatedMergeRequest {
    New(MergeRequest),
    AlreadyThere(MergeRequest),
}

impl CreatedMergeRequest {
    pub fn into_inner(self) -> MergeRequest {
        match self {
            CreatedMergeRequest::New(request) | CreatedMergeRequest::AlreadyThere(request) => request,
        }
    }
}
