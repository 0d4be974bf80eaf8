//! A merge request and what is said on it, as GitLab's servers describe them.

use domain::change::Oid;
use domain::forge::{
    CommentKind, CommitStatus, DiffRefs, MergeRequest, MergeRequestRef, MergeRequestState, Origin,
    PostedComment, Project, StatusState,
};
use domain::ports::PortError;
use serde::Deserialize;
use serde_json::Value;

use super::shapes::{
    Named, RequestShape, StatusShape, comment, first_of_each, oid, refs, thread_state, unreadable,
    web_address, word,
};

#[derive(Deserialize)]
struct Refs {
    base_sha: String,
    start_sha: String,
    head_sha: String,
}

/// In our words or in those of GitLab's own interface.
#[derive(Deserialize)]
pub(super) struct MergeRequestShape {
    iid: Value,
    title: String,
    description: Option<String>,
    state: String,
    draft: Option<bool>,
    #[serde(alias = "web_url")]
    url: String,
    author: Named,
    pub(super) source_branch: String,
    target_branch: String,
    from_fork: Option<bool>,
    source_project_id: Option<Value>,
    target_project_id: Option<Value>,
    sha: Option<String>,
    diff_refs: Option<Refs>,
    labels: Option<Vec<Named>>,
}

impl MergeRequestShape {
    /// Newer ones are greater.
    pub(super) fn age(&self) -> (usize, String) {
        age(&self.iid)
    }

    /// Where it is not said, a stranger is assumed.
    fn is_from_here(&self) -> bool {
        match self.from_fork {
            Some(from_fork) => !from_fork,
            None => self.source_project_id.is_some() && self.source_project_id == self.target_project_id,
        }
    }

    fn refs(&self, action: &str) -> Result<Option<DiffRefs>, PortError> {
        let parsed = |found: &Refs| refs(action, &found.base_sha, &found.start_sha, &found.head_sha);
        self.diff_refs.as_ref().map(parsed).transpose()
    }
}

impl RequestShape for MergeRequestShape {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError> {
        let number = word(&self.iid).parse().map_err(|_| unreadable(action, "the request has no number"))?;
        let (diff_refs, is_from_here) = (self.refs(action)?, self.is_from_here());
        let sha = self.sha.as_deref().map(|sha| oid(action, sha)).transpose()?;
        Ok(MergeRequest {
            reference: MergeRequestRef { project: project.clone(), number },
            title: self.title,
            description: self.description.unwrap_or_default(),
            state: match self.state.as_str() {
                "opened" | "locked" => MergeRequestState::Open,
                "merged" => MergeRequestState::Merged,
                _ => MergeRequestState::Closed,
            },
            is_draft: self.draft.unwrap_or(false),
            url: web_address(self.url),
            author: self.author.into_name(),
            source_branch: self.source_branch,
            target_branch: self.target_branch,
            head: sha.or(diff_refs.as_ref().map(|refs| refs.head.clone())),
            origin: if is_from_here { Origin::SameProject } else { Origin::Fork },
            diff_refs,
            labels: self.labels.unwrap_or_default().into_iter().map(Named::into_name).collect(),
        })
    }
}

#[derive(Deserialize)]
pub(super) struct Discussion {
    id: String,
    notes: Vec<Note>,
}

#[derive(Deserialize)]
struct Note {
    id: Value,
    author: Named,
    body: String,
    #[serde(default)]
    system: bool,
    #[serde(default)]
    resolvable: bool,
    #[serde(default)]
    resolved: bool,
    position: Option<Value>,
}

impl Discussion {
    /// What opened it, unless that was GitLab itself.
    pub(super) fn into_comment(self) -> Option<PostedComment> {
        let note = self.notes.into_iter().next().filter(|note| !note.system)?;
        let kind = if note.position.is_some() { CommentKind::Inline } else { CommentKind::Conversation };
        let state = thread_state(note.resolvable, note.resolved);
        let said = (note.author.into_name(), note.body);
        Some(comment(word(&note.id), kind, Some(self.id), said, state))
    }
}

/// One thing that is said about a commit. What is said later has a greater number.
#[derive(Deserialize)]
pub(super) struct NumberedStatus {
    id: Value,
    #[serde(flatten)]
    status: StatusShape,
}

pub(super) fn newest_of_each(mut statuses: Vec<NumberedStatus>, commit: &Oid) -> Vec<CommitStatus> {
    statuses.sort_by_cached_key(|status| std::cmp::Reverse(age(&status.id)));
    first_of_each(statuses.into_iter().map(|numbered| numbered.status.into_status(commit)))
}

/// Numbers in their order, however they are written.
fn age(number: &Value) -> (usize, String) {
    let number = word(number);
    (number.len(), number)
}

/// GitLab's word for it.
pub(super) fn state_word(state: StatusState) -> &'static str {
    match state {
        StatusState::Pending => "pending",
        StatusState::Success => "success",
        StatusState::Failure => "failed",
    }
}
