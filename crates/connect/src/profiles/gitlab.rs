//! `countersign mcp gitlab`.

use domain::change::Oid;
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity,
    InlineComment, MergeRequest, MergeRequestDiff, MergeRequestRef, MergeRequestState, NewMergeRequest,
    Origin, PostedComment, Project, Provider, Published, RefusedComment, ReviewPost, StatusState, parse_diff,
};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::position::with_counters;
use super::shapes::{comment, number, oid, refs, status_state, thread_state, unreadable, whole, withheld};

#[derive(Debug)]
pub struct Gitlab(pub Server);

#[derive(Deserialize)]
struct Me {
    username: String,
}

#[derive(Deserialize)]
pub(super) struct Refs {
    pub(super) base_sha: String,
    pub(super) start_sha: String,
    pub(super) head_sha: String,
}

#[derive(Deserialize)]
struct Request {
    iid: u64,
    title: String,
    description: String,
    state: String,
    draft: bool,
    url: String,
    author: String,
    source_branch: String,
    target_branch: String,
    from_fork: bool,
    sha: Option<String>,
    diff_refs: Option<Refs>,
    labels: Vec<String>,
}

#[derive(Deserialize)]
struct ByBranch {
    merge_request: Option<Request>,
}

#[derive(Deserialize)]
struct Made {
    created: bool,
    merge_request: Request,
}

#[derive(Deserialize)]
struct Diff {
    diff: String,
    base_sha: String,
    start_sha: String,
    head_sha: String,
    complete: bool,
    omitted: Vec<String>,
}

#[derive(Deserialize)]
struct Note {
    id: u64,
    author: String,
    body: String,
    system: bool,
    resolvable: bool,
    resolved: bool,
    position: Option<Value>,
}

#[derive(Deserialize)]
struct Discussion {
    id: String,
    notes: Vec<Note>,
}

#[derive(Deserialize)]
struct Discussions {
    discussions: Vec<Discussion>,
    complete: bool,
}

#[derive(Deserialize)]
struct BranchShape {
    name: String,
    sha: String,
}

#[derive(Deserialize)]
struct StatusShape {
    id: u64,
    name: String,
    status: String,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Statuses {
    statuses: Vec<StatusShape>,
}

pub(super) fn state_of(word: &str) -> MergeRequestState {
    match word {
        "opened" | "locked" => MergeRequestState::Open,
        "merged" => MergeRequestState::Merged,
        _ => MergeRequestState::Closed,
    }
}

pub(super) fn state_word(state: StatusState) -> &'static str {
    match state {
        StatusState::Pending => "pending",
        StatusState::Success => "success",
        StatusState::Failure => "failed",
    }
}

impl Request {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError> {
        let found = |found: &Refs| refs(action, &found.base_sha, &found.start_sha, &found.head_sha);
        let diff_refs = self.diff_refs.as_ref().map(found).transpose()?;
        let sha = self.sha.as_deref().map(|sha| oid(action, sha)).transpose()?;
        Ok(MergeRequest {
            reference: MergeRequestRef { project: project.clone(), number: self.iid },
            title: self.title,
            description: self.description,
            state: state_of(&self.state),
            is_draft: self.draft,
            url: self.url,
            author: self.author,
            source_branch: self.source_branch,
            target_branch: self.target_branch,
            head: sha.or(diff_refs.as_ref().map(|refs| refs.head.clone())),
            origin: if self.from_fork { Origin::Fork } else { Origin::SameProject },
            diff_refs,
            labels: self.labels,
        })
    }
}

impl VcsPort for Gitlab {
    fn provider(&self) -> Provider {
        Provider::Gitlab
    }

    fn editing(&self) -> Editing {
        Editing::Possible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        match self.0.read::<Me>("ask who we are", "gitlab_get_me", json!({})).await {
            Ok(me) => Ok(Some(Identity { login: me.username })),
            Err(error) if error.kind == PortErrorKind::Unauthorised => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let arguments = json!({ "project": project.as_str(), "branch": name });
        let found: Option<BranchShape> = self.0.find(action, "gitlab_get_branch", arguments).await?;
        found.map(|branch| Ok(Branch { head: oid(action, &branch.sha)?, name: branch.name })).transpose()
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let action = "read the merge request";
        let arguments = json!({ "project": request.project.as_str(), "mr_iid": request.number });
        let found: Option<Request> = self.0.find(action, "gitlab_get_mr", arguments).await?;
        found.map(|found| found.into_request(action, &request.project)).transpose()
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the merge request";
        let arguments = json!({ "project": project.as_str(), "source_branch": source_branch });
        let found: Option<ByBranch> = self.0.find(action, "gitlab_get_mr_by_branch", arguments).await?;
        let found = found.and_then(|found| found.merge_request);
        found.map(|found| found.into_request(action, project)).transpose()
    }

    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the merge request";
        let arguments = json!({ "project": request.project.as_str(), "mr_iid": request.number });
        let read: Diff = self.0.read(action, "gitlab_get_mr_diff", arguments).await?;
        Ok(MergeRequestDiff {
            refs: refs(action, &read.base_sha, &read.start_sha, &read.head_sha)?,
            files: parse_diff(&read.diff).map_err(|bad| unreadable(action, &bad.to_string()))?,
            withheld: withheld(read.omitted, read.complete),
        })
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        let action = "create the merge request";
        let arguments = json!({
            "project": new.project.as_str(), "source_branch": new.source_branch, "target_branch": new.target_branch,
            "title": new.title, "description": new.description,
        });
        let made: Made = self.0.write(action, "gitlab_create_mr", arguments).await?.read(action)?;
        let request = made.merge_request.into_request(action, &new.project)?;
        Ok(match made.created {
            true => CreatedMergeRequest::New(request),
            false => CreatedMergeRequest::AlreadyThere(request),
        })
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        let action = "read the comments of the merge request";
        let arguments = json!({ "project": request.project.as_str(), "mr_iid": request.number });
        let read: Discussions = self.0.read(action, "gitlab_get_mr_discussions", arguments).await?;
        whole(action, read.complete)?;
        let first = |discussion: Discussion| {
            let note = discussion.notes.into_iter().next().filter(|note| !note.system)?;
            let kind = if note.position.is_some() { CommentKind::Inline } else { CommentKind::Conversation };
            let state = thread_state(note.resolvable, note.resolved);
            Some(comment(note.id, kind, Some(discussion.id), (note.author, note.body), state))
        };
        Ok(read.discussions.into_iter().filter_map(first).collect())
    }

    /// GitLab has no reviews that are taken as a whole: a place that it refuses is that comment's alone.
    async fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        let mut published = Published::default();
        for comment in &post.comments {
            match self.add_inline_comment(request, &post.refs, comment).await {
                Ok(()) => {}
                Err(error) if error.kind == PortErrorKind::Rejected => published
                    .refused
                    .push(RefusedComment { fingerprint: comment.fingerprint.clone(), reason: error.reason }),
                Err(error) => return Err(error),
            }
        }
        Ok(published)
    }

    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        let arguments = json!({
            "project": request.project.as_str(), "mr_iid": request.number, "body": comment.body,
            "position": with_counters(refs, &comment.place),
        });
        self.0.write("comment on a line", "gitlab_create_discussion", arguments).await.map(|_| ())
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let arguments =
            json!({ "project": request.project.as_str(), "mr_iid": request.number, "body": body });
        self.0.write("comment on the merge request", "gitlab_add_mr_note", arguments).await.map(|_| ())
    }

    async fn edit_comment(
        &self,
        request: &MergeRequestRef,
        edited: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        let action = "edit a comment";
        let arguments = json!({
            "project": request.project.as_str(), "mr_iid": request.number, "note_id": number(action, &edited.id)?,
            "body": body,
        });
        self.0.write(action, "gitlab_update_note", arguments).await.map(|_| ())
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let arguments = json!({
            "project": request.project.as_str(), "mr_iid": request.number, "discussion_id": resolved.thread,
        });
        self.0.write("resolve a thread", "gitlab_resolve_discussion", arguments).await.map(|_| ())
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        let arguments = json!({ "project": project.as_str(), "sha": commit.as_str() });
        let read: Statuses =
            self.0.read("read commit statuses", "gitlab_get_commit_statuses", arguments).await?;
        let mut statuses = read.statuses;
        statuses.sort_by_key(|status| std::cmp::Reverse(status.id));
        let mut names = std::collections::HashSet::new();
        statuses.retain(|status| names.insert(status.name.clone()));
        let ours = |status: StatusShape| CommitStatus {
            name: status.name,
            commit: commit.clone(),
            state: status_state(&status.status),
            title: status.description.unwrap_or_default(),
            summary: String::new(),
            url: None,
        };
        Ok(statuses.into_iter().map(ours).collect())
    }

    async fn set_status(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        let mut arguments = json!({
            "project": project.as_str(), "sha": status.commit.as_str(), "state": state_word(status.state),
            "name": status.name, "description": status.title,
        });
        if let Some(url) = &status.url {
            arguments["target_url"] = json!(url);
        }
        self.0.write("set the commit status", "gitlab_create_commit_status", arguments).await.map(|_| ())
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        self.0.get_mcp_tools().await
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        self.0.execute_tool(name, arguments).await
    }
}
