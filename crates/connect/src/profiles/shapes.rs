//! What several profiles need to make our types from answers.

use std::collections::HashSet;

use domain::change::{Oid, RepoPath};
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, InlineComment,
    MergeRequest, MergeRequestDiff, MergeRequestRef, PostedComment, Project, Published, RefusedComment,
    ReviewPost, StatusState, ThreadState, parse_diff,
};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A person, a label or a repository: by its name alone, or by whatever else is said of it.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Named {
    Plain(String),
    Login {
        #[serde(alias = "Login")]
        login: String,
    },
    Username {
        username: String,
    },
    FullName {
        full_name: String,
    },
    Name {
        name: String,
    },
}

impl Named {
    pub(super) fn as_name(&self) -> &str {
        match self {
            Named::Plain(name)
            | Named::Login { login: name }
            | Named::Username { username: name }
            | Named::FullName { full_name: name }
            | Named::Name { name } => name,
        }
    }

    pub(super) fn into_name(self) -> String {
        self.as_name().to_owned()
    }
}

/// What a server says about a pull or merge request.
pub(super) trait RequestShape: DeserializeOwned {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError>;
}

/// What our own servers answer when a request is looked for.
#[derive(Deserialize)]
pub(super) struct Found<T> {
    #[serde(rename = "pull_request", alias = "merge_request")]
    request: Option<T>,
}

impl<T: RequestShape> Found<T> {
    pub(super) fn into_request(
        self,
        action: &str,
        project: &Project,
    ) -> Result<Option<MergeRequest>, PortError> {
        self.request.map(|request| request.into_request(action, project)).transpose()
    }
}

/// What our own servers answer when a request is made.
#[derive(Deserialize)]
pub(super) struct Made<T> {
    created: bool,
    #[serde(rename = "pull_request", alias = "merge_request")]
    request: T,
}

impl<T: RequestShape> Made<T> {
    pub(super) fn into_created(
        self,
        action: &str,
        project: &Project,
    ) -> Result<CreatedMergeRequest, PortError> {
        let request = self.request.into_request(action, project)?;
        Ok(match self.created {
            true => CreatedMergeRequest::New(request),
            false => CreatedMergeRequest::AlreadyThere(request),
        })
    }
}

/// The diff as our own servers give it.
#[derive(Deserialize)]
pub(super) struct OwnDiff {
    diff: String,
    base_sha: String,
    /// The base, where a forge does not tell them apart.
    start_sha: Option<String>,
    head_sha: String,
    complete: bool,
    omitted: Vec<String>,
}

impl OwnDiff {
    pub(super) fn into_diff(self, action: &str) -> Result<MergeRequestDiff, PortError> {
        let start = self.start_sha.as_deref().unwrap_or(&self.base_sha);
        let mut withheld: Vec<RepoPath> = self.omitted.into_iter().map(RepoPath::from_bytes).collect();
        if withheld.is_empty() && !self.complete {
            withheld.push(more_files());
        }
        Ok(MergeRequestDiff {
            refs: refs(action, &self.base_sha, start, &self.head_sha)?,
            files: parse_diff(&self.diff).map_err(|bad| unreadable(action, &bad.to_string()))?,
            withheld,
        })
    }
}

/// Stands for files of which not even the names are known.
pub(super) fn more_files() -> RepoPath {
    "(more files)".into()
}

/// A branch, with its commit beside its name or among other things that are said of the commit.
#[derive(Deserialize)]
pub(super) struct BranchShape {
    pub(super) name: String,
    sha: Option<String>,
    commit: Option<CommitShape>,
}

#[derive(Deserialize)]
struct CommitShape {
    #[serde(alias = "id")]
    sha: String,
}

impl BranchShape {
    pub(super) fn into_branch(self, action: &str) -> Result<Branch, PortError> {
        let sha = self.sha.or(self.commit.map(|commit| commit.sha)).unwrap_or_default();
        Ok(Branch { head: oid(action, &sha)?, name: self.name })
    }
}

/// One thing that is said about a commit.
#[derive(Deserialize)]
pub(super) struct StatusShape {
    #[serde(alias = "context")]
    name: Option<String>,
    #[serde(alias = "state")]
    status: String,
    description: Option<String>,
}

impl StatusShape {
    pub(super) fn into_status(self, commit: &Oid) -> CommitStatus {
        let state = status_state(&self.status);
        status(self.name.unwrap_or_default(), commit, state, self.description)
    }
}

pub(super) fn status(name: String, commit: &Oid, state: StatusState, title: Option<String>) -> CommitStatus {
    let (commit, title) = (commit.clone(), title.unwrap_or_default());
    CommitStatus { name, commit, state, title, summary: String::new(), url: None }
}

/// The first of each name.
pub(super) fn first_of_each(statuses: impl Iterator<Item = CommitStatus>) -> Vec<CommitStatus> {
    let mut names = HashSet::new();
    statuses.filter(|status| names.insert(status.name.clone())).collect()
}

pub(super) fn oid(action: &str, hex: &str) -> Result<Oid, PortError> {
    Oid::parse(hex).ok_or_else(|| unreadable(action, "a commit in the answer has no proper name"))
}

pub(super) fn refs(action: &str, base: &str, start: &str, head: &str) -> Result<DiffRefs, PortError> {
    Ok(DiffRefs { base: oid(action, base)?, start: oid(action, start)?, head: oid(action, head)? })
}

pub(super) fn unreadable(action: &str, reason: &str) -> PortError {
    PortError::new(PortErrorKind::Unreadable, action, reason, "")
}

/// Of a diff that does not say which commits it is between, and whose commits were looked at before and after.
pub(super) fn moved(action: &str) -> PortError {
    let reason = "somebody pushed while the diff was read";
    PortError::new(PortErrorKind::Conflict, action, reason, "try again")
}

/// Half a list would have us post twice.
pub(super) fn whole(action: &str, is_complete: bool) -> Result<(), PortError> {
    if is_complete {
        return Ok(());
    }
    let reason = "there are more comments than can be listed, so it cannot be told what is posted already";
    Err(PortError::new(PortErrorKind::Rejected, action, reason, "start a new request for the same branch"))
}

/// For forges that have no reviews which are taken as a whole.
pub(super) async fn one_by_one<V: VcsPort>(
    vcs: &V,
    request: &MergeRequestRef,
    post: &ReviewPost,
) -> Result<Published, PortError> {
    let mut published = Published::default();
    for comment in &post.comments {
        let answer = vcs.add_inline_comment(request, &post.refs, comment).await;
        note_refusal(&mut published, comment, answer)?;
    }
    Ok(published)
}

/// Keeps a place that was refused: that is one comment's alone, and no reason to stop.
pub(super) fn note_refusal(
    published: &mut Published,
    comment: &InlineComment,
    answer: Result<(), PortError>,
) -> Result<(), PortError> {
    match answer {
        Err(error) if error.kind == PortErrorKind::Rejected => {
            let fingerprint = comment.fingerprint.clone();
            published.refused.push(RefusedComment { fingerprint, reason: error.reason });
            Ok(())
        }
        answer => answer,
    }
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

/// An id, whether it is written as a number or as a text.
pub(super) fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An address that people may be shown and sent to, or nothing.
pub(super) fn web_address(address: String) -> String {
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    let is_plain = !address.contains(|c: char| c.is_control() || c.is_whitespace());
    if is_web && is_plain { address } else { String::new() }
}

/// Arguments, and some more.
pub(super) fn with(mut arguments: Value, more: Value) -> Value {
    if let (Some(fields), Value::Object(more)) = (arguments.as_object_mut(), more) {
        fields.extend(more);
    }
    arguments
}

/// Everything that is not a clear success or still under way is a failure.
pub(super) fn status_state(word: &str) -> StatusState {
    match word {
        "success" => StatusState::Success,
        "pending" | "running" | "created" | "queued" | "in_progress" => StatusState::Pending,
        _ => StatusState::Failure,
    }
}
