//! What several profiles need to make our types from answers.

use domain::change::{Oid, RepoPath};
use domain::forge::{CommentKind, CommentRef, DiffRefs, PostedComment, StatusState, ThreadState};
use domain::ports::{PortError, PortErrorKind};

pub(super) fn oid(action: &str, hex: &str) -> Result<Oid, PortError> {
    Oid::parse(hex).ok_or_else(|| unreadable(action, "a commit in the answer has no proper name"))
}

pub(super) fn refs(action: &str, base: &str, start: &str, head: &str) -> Result<DiffRefs, PortError> {
    Ok(DiffRefs { base: oid(action, base)?, start: oid(action, start)?, head: oid(action, head)? })
}

pub(super) fn unreadable(action: &str, reason: &str) -> PortError {
    PortError::new(PortErrorKind::Unreadable, action, reason, "")
}

/// Half a list would have us post twice.
pub(super) fn whole(action: &str, is_complete: bool) -> Result<(), PortError> {
    if is_complete {
        return Ok(());
    }
    let reason = "there are more comments than can be listed, so it cannot be told what is posted already";
    Err(PortError::new(PortErrorKind::Rejected, action, reason, "start a new request for the same branch"))
}

pub(super) fn withheld(omitted: Vec<String>, is_complete: bool) -> Vec<RepoPath> {
    let mut withheld: Vec<RepoPath> = omitted.into_iter().map(RepoPath::from_bytes).collect();
    if withheld.is_empty() && !is_complete {
        withheld.push("(more files)".into());
    }
    withheld
}

pub(super) fn comment(
    id: impl ToString,
    kind: CommentKind,
    thread: Option<String>,
    said: (String, String),
    state: ThreadState,
) -> PostedComment {
    let reference = CommentRef { id: id.to_string(), kind, thread };
    let (author, body) = said;
    PostedComment { reference, author, body, thread: state }
}

pub(super) fn thread_state(resolvable: bool, resolved: bool) -> ThreadState {
    match (resolvable, resolved) {
        (_, true) => ThreadState::Resolved,
        (true, false) => ThreadState::Open,
        (false, false) => ThreadState::NotResolvable,
    }
}

/// The number of a comment, as servers with numbers want it.
pub(super) fn number(action: &str, id: &str) -> Result<u64, PortError> {
    id.parse().map_err(|_| unreadable(action, "the comment has no number"))
}

/// Everything that is not a clear success or still under way is a failure.
pub(super) fn status_state(word: &str) -> StatusState {
    match word {
        "success" => StatusState::Success,
        "pending" | "running" | "created" | "queued" | "in_progress" => StatusState::Pending,
        _ => StatusState::Failure,
    }
}
