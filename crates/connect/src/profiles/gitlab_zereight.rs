//! @zereight/mcp-gitlab 2.1 (npm).

use domain::change::{Content, FileChange, FileSide, Mode, Oid, RepoPath, Status};
use domain::forge::{
    Branch, CommentKind, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity,
    InlineComment, MergeRequest, MergeRequestDiff, MergeRequestRef, NewMergeRequest, Origin, PostedComment,
    Project, Provider, Published, RefusedComment, ReviewPost, parse_diff,
};
use domain::ports::{PortError, PortErrorKind, VcsPort};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::gitlab::{Refs, state_of, state_word};
use super::position::with_codes;
use super::shapes::{comment, oid, refs, status_state, thread_state, unreadable, whole};

#[derive(Debug)]
pub struct GitlabZereight(pub Server);

#[derive(Deserialize)]
struct Person {
    username: String,
}

#[derive(Deserialize)]
struct Request {
    iid: Value,
    title: String,
    description: Option<String>,
    state: String,
    #[serde(default)]
    draft: bool,
    web_url: String,
    author: Person,
    source_branch: String,
    target_branch: String,
    source_project_id: Option<Value>,
    target_project_id: Option<Value>,
    sha: Option<String>,
    diff_refs: Option<Refs>,
    #[serde(default)]
    labels: Vec<Value>,
}

#[derive(Deserialize)]
struct FileShape {
    old_path: String,
    new_path: String,
    a_mode: String,
    b_mode: String,
    diff: String,
    new_file: bool,
    renamed_file: bool,
    deleted_file: bool,
}

#[derive(Deserialize)]
struct Note {
    id: Value,
    body: String,
    author: Person,
    #[serde(default)]
    system: bool,
    #[serde(default)]
    resolvable: bool,
    #[serde(default)]
    resolved: bool,
    position: Option<Value>,
}

#[derive(Deserialize)]
struct Discussion {
    id: String,
    notes: Vec<Note>,
}

#[derive(Deserialize)]
struct Paging {
    x_next_page: Option<u32>,
}

#[derive(Deserialize)]
struct Discussions {
    items: Vec<Discussion>,
    pagination: Paging,
}

#[derive(Deserialize)]
struct Commit {
    id: String,
}

#[derive(Deserialize)]
struct BranchShape {
    name: String,
    commit: Commit,
}

#[derive(Deserialize)]
struct StatusShape {
    name: Option<String>,
    status: String,
    description: Option<String>,
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Request {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError> {
        let found = |found: &Refs| refs(action, &found.base_sha, &found.start_sha, &found.head_sha);
        let diff_refs = self.diff_refs.as_ref().map(found).transpose()?;
        let number = word(&self.iid).parse().map_err(|_| unreadable(action, "the request has no number"))?;
        let sha = self.sha.as_deref().map(|sha| oid(action, sha)).transpose()?;
        let same = self.source_project_id.is_some() && self.source_project_id == self.target_project_id;
        Ok(MergeRequest {
            reference: MergeRequestRef { project: project.clone(), number },
            title: self.title,
            description: self.description.unwrap_or_default(),
            state: state_of(&self.state),
            is_draft: self.draft,
            url: self.web_url,
            author: self.author.username,
            source_branch: self.source_branch,
            target_branch: self.target_branch,
            head: sha.or(diff_refs.as_ref().map(|refs| refs.head.clone())),
            // Where it is not said, a stranger is assumed.
            origin: if same { Origin::SameProject } else { Origin::Fork },
            diff_refs,
            labels: self.labels.iter().map(word).collect(),
        })
    }
}

fn mode(digits: &str) -> Mode {
    match digits {
        "100755" => Mode::Executable,
        "120000" => Mode::Symlink,
        "160000" => Mode::Submodule,
        _ => Mode::File,
    }
}

impl FileShape {
    /// The hunks are read as git writes them; the names come from beside them and need no quoting. No hunks where there
    /// ought to be some is a diff that was withheld.
    fn into_change(self, action: &str) -> Result<(FileChange, bool), PortError> {
        let text = match self.diff.starts_with("@@") {
            true => format!("diff --git a/x b/x\n--- a/x\n+++ b/x\n{}", self.diff),
            false => "diff --git a/x b/x\n".to_owned(),
        };
        let mut files = parse_diff(&text).map_err(|bad| unreadable(action, &bad.to_string()))?;
        let content = files.pop().map_or(Content::Text(Vec::new()), |file| file.content);
        let is_withheld = self.diff.is_empty() && !self.renamed_file && self.a_mode == self.b_mode;
        let (old, new) = (RepoPath::from_bytes(self.old_path), RepoPath::from_bytes(self.new_path));
        let side = |path: RepoPath, digits: &str| Some(FileSide { path, mode: mode(digits), oid: None });
        let (status, old, new) = match (self.new_file, self.deleted_file, self.renamed_file) {
            (true, _, _) => (Status::Added, None, side(new, &self.b_mode)),
            (_, true, _) => (Status::Deleted, side(old, &self.a_mode), None),
            (_, _, true) => (Status::Renamed(0), side(old, &self.a_mode), side(new, &self.b_mode)),
            (false, false, false) => (Status::Modified, side(old, &self.a_mode), side(new, &self.b_mode)),
        };
        let content = if self.diff.starts_with("Binary files") { Content::Binary } else { content };
        Ok((FileChange { status, old, new, content, attributes: Default::default() }, is_withheld))
    }
}

impl GitlabZereight {
    async fn refs(&self, action: &str, request: &MergeRequestRef) -> Result<DiffRefs, PortError> {
        let found = self.get_merge_request(request).await?.and_then(|found| found.diff_refs);
        found.ok_or_else(|| unreadable(action, "the merge request has no diff yet"))
    }
}

impl VcsPort for GitlabZereight {
    fn provider(&self) -> Provider {
        Provider::Gitlab
    }

    fn editing(&self) -> Editing {
        Editing::Possible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        match self.0.read::<Person>("ask who we are", "whoami", json!({})).await {
            Ok(me) => Ok(Some(Identity { login: me.username })),
            Err(error) if matches!(error.kind, PortErrorKind::Unauthorised | PortErrorKind::MissingTool) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let arguments = json!({ "project_id": project.as_str(), "branch_name": name });
        let found: Option<BranchShape> = self.0.find(action, "get_branch", arguments).await?;
        found
            .map(|branch| Ok(Branch { head: oid(action, &branch.commit.id)?, name: branch.name }))
            .transpose()
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let action = "read the merge request";
        let arguments = json!({ "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string() });
        let found: Option<Request> = self.0.find(action, "get_merge_request", arguments).await?;
        found.map(|found| found.into_request(action, &request.project)).transpose()
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the merge request";
        let arguments =
            json!({ "project_id": project.as_str(), "source_branch": source_branch, "state": "opened" });
        let found: Vec<Request> = self.0.read(action, "list_merge_requests", arguments).await?;
        let newest =
            found.into_iter().filter(|found| found.source_branch == source_branch).max_by_key(|found| {
                let number = word(&found.iid);
                (number.len(), number)
            });
        newest.map(|found| found.into_request(action, project)).transpose()
    }

    /// Names the commits before and after, because the diff itself does not say which it is of.
    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the merge request";
        let before = self.refs(action, request).await?;
        let arguments = json!({ "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string() });
        let read: Vec<FileShape> = self.0.read(action, "get_merge_request_diffs", arguments).await?;
        if self.refs(action, request).await? != before {
            let reason = "somebody pushed while the diff was read";
            return Err(PortError::new(PortErrorKind::Conflict, action, reason, "try again"));
        }
        let mut diff = MergeRequestDiff { refs: before, files: Vec::new(), withheld: Vec::new() };
        for file in read {
            let (file, is_withheld) = file.into_change(action)?;
            if is_withheld {
                diff.withheld.push(file.path().clone());
            }
            diff.files.push(file);
        }
        Ok(diff)
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        if let Some(there) = self.find_merge_request(&new.project, &new.source_branch).await? {
            return Ok(CreatedMergeRequest::AlreadyThere(there));
        }
        let action = "create the merge request";
        let arguments = json!({
            "project_id": new.project.as_str(), "source_branch": new.source_branch, "target_branch": new.target_branch,
            "title": new.title, "description": new.description,
        });
        let made: Request = self.0.write(action, "create_merge_request", arguments).await?.read(action)?;
        Ok(CreatedMergeRequest::New(made.into_request(action, &new.project)?))
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        const MOST_PAGES: u32 = 50;
        let action = "read the comments of the merge request";
        let mut comments = Vec::new();
        let mut page = Some(1);
        while let Some(number) = page {
            whole(action, number <= MOST_PAGES)?;
            let arguments = json!({
                "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string(),
                "page": number, "per_page": 100,
            });
            let read: Discussions = self.0.read(action, "mr_discussions", arguments).await?;
            page = read.pagination.x_next_page.filter(|next| *next > number);
            comments.extend(read.items.into_iter().filter_map(|discussion| {
                let note = discussion.notes.into_iter().next().filter(|note| !note.system)?;
                let inline = note.position.is_some_and(|position| !position.is_null());
                let kind = if inline { CommentKind::Inline } else { CommentKind::Conversation };
                let state = thread_state(note.resolvable, note.resolved);
                let said = (note.author.username, note.body);
                Some(comment(word(&note.id), kind, Some(discussion.id), said, state))
            }));
        }
        Ok(comments)
    }

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
            "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string(),
            "body": comment.body, "position": with_codes(refs, &comment.place),
        });
        self.0.write("comment on a line", "create_merge_request_thread", arguments).await.map(|_| ())
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let arguments = json!({
            "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string(), "body": body,
        });
        self.0.write("comment on the merge request", "create_merge_request_note", arguments).await.map(|_| ())
    }

    async fn edit_comment(
        &self,
        request: &MergeRequestRef,
        edited: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        let arguments = json!({
            "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string(),
            "note_id": edited.id, "body": body,
        });
        self.0.write("edit a comment", "update_merge_request_note", arguments).await.map(|_| ())
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let arguments = json!({
            "project_id": request.project.as_str(), "merge_request_iid": request.number.to_string(),
            "discussion_id": resolved.thread, "resolved": true,
        });
        self.0.write("resolve a thread", "resolve_merge_request_thread", arguments).await.map(|_| ())
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        let arguments = json!({ "project_id": project.as_str(), "sha": commit.as_str(), "per_page": 100 });
        let read: Vec<StatusShape> =
            self.0.read("read commit statuses", "list_commit_statuses", arguments).await?;
        let ours = |status: StatusShape| CommitStatus {
            name: status.name.unwrap_or_default(),
            commit: commit.clone(),
            state: status_state(&status.status),
            title: status.description.unwrap_or_default(),
            summary: String::new(),
            url: None,
        };
        Ok(read.into_iter().map(ours).collect())
    }

    async fn set_status(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        let mut arguments = json!({
            "project_id": project.as_str(), "sha": status.commit.as_str(), "state": state_word(status.state),
            "name": status.name, "description": status.title,
        });
        if let Some(url) = &status.url {
            arguments["target_url"] = json!(url);
        }
        self.0.write("set the commit status", "create_commit_status", arguments).await.map(|_| ())
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        self.0.get_mcp_tools().await
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        self.0.execute_tool(name, arguments).await
    }
}
