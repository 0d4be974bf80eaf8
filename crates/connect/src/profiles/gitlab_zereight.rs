//! @zereight/mcp-gitlab 2.1 (npm).

use domain::change::{Mode, Oid, Status};
use domain::forge::{
    Branch, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity, InlineComment,
    MergeRequest, MergeRequestDiff, MergeRequestRef, NewMergeRequest, PostedComment, Project, Provider,
    Published, ReviewPost,
};
use domain::ports::{PortError, VcsPort};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::files::{FilePart, changes};
use super::merge_request::{Discussion, MergeRequestShape, NumberedStatus, newest_of_each, state_word};
use super::position::with_codes;
use super::server::tools_of_the_server;
use super::shapes::{BranchShape, RequestShape as _, moved, one_by_one, unreadable, whole, with};

#[derive(Debug)]
pub struct GitlabZereight(pub Server);

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
struct Paging {
    x_next_page: Option<u32>,
}

#[derive(Deserialize)]
struct Discussions {
    items: Vec<Discussion>,
    pagination: Paging,
}

impl FileShape {
    /// No hunks where there ought to be some.
    fn is_withheld(&self) -> bool {
        self.diff.is_empty() && !self.renamed_file && self.a_mode == self.b_mode
    }
}

impl From<FileShape> for FilePart {
    fn from(file: FileShape) -> FilePart {
        let status = match (file.new_file, file.deleted_file, file.renamed_file) {
            (true, _, _) => Status::Added,
            (_, true, _) => Status::Deleted,
            (_, _, true) => Status::Renamed(0),
            (false, false, false) => Status::Modified,
        };
        let (old, new) = ((file.old_path, mode(&file.a_mode)), (file.new_path, mode(&file.b_mode)));
        FilePart { status, old, new, hunks: file.diff }
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

/// Which merge request, and what else the tool is to know.
fn of(request: &MergeRequestRef, more: Value) -> Value {
    let number = request.number.to_string();
    with(json!({ "project_id": request.project.as_str(), "merge_request_iid": number }), more)
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
        self.0.identity("whoami").await
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let arguments = json!({ "project_id": project.as_str(), "branch_name": name });
        let found: Option<BranchShape> = self.0.find(action, "get_branch", arguments).await?;
        found.map(|branch| branch.into_branch(action)).transpose()
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let (action, arguments) = ("read the merge request", of(request, json!({})));
        self.0
            .find_request::<MergeRequestShape>(action, "get_merge_request", arguments, &request.project)
            .await
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the merge request";
        let arguments =
            json!({ "project_id": project.as_str(), "source_branch": source_branch, "state": "opened" });
        let found: Vec<MergeRequestShape> = self.0.read(action, "list_merge_requests", arguments).await?;
        let of_branch = found.into_iter().filter(|found| found.source_branch == source_branch);
        let newest = of_branch.max_by_key(MergeRequestShape::age);
        newest.map(|found| found.into_request(action, project)).transpose()
    }

    /// Names the commits before and after, because the diff itself does not say which it is of.
    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the merge request";
        let before = self.refs(action, request).await?;
        let read: Vec<FileShape> =
            self.0.read(action, "get_merge_request_diffs", of(request, json!({}))).await?;
        if self.refs(action, request).await? != before {
            return Err(moved(action));
        }
        let (files, withheld) = changes(action, read, FileShape::is_withheld)?;
        Ok(MergeRequestDiff { refs: before, files, withheld })
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
        let made: MergeRequestShape =
            self.0.write(action, "create_merge_request", arguments).await?.read(action)?;
        Ok(CreatedMergeRequest::New(made.into_request(action, &new.project)?))
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        const MOST_PAGES: u32 = 50;
        let action = "read the comments of the merge request";
        let mut comments = Vec::new();
        let mut page = Some(1);
        while let Some(number) = page {
            whole(action, number <= MOST_PAGES)?;
            let arguments = of(request, json!({ "page": number, "per_page": 100 }));
            let read: Discussions = self.0.read(action, "mr_discussions", arguments).await?;
            page = read.pagination.x_next_page.filter(|next| *next > number);
            comments.extend(read.items.into_iter().filter_map(Discussion::into_comment));
        }
        Ok(comments)
    }

    async fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        one_by_one(self, request, post).await
    }

    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        let said = json!({ "body": comment.body, "position": with_codes(refs, &comment.place) });
        self.0.tell("comment on a line", "create_merge_request_thread", of(request, said)).await
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let arguments = of(request, json!({ "body": body }));
        self.0.tell("comment on the merge request", "create_merge_request_note", arguments).await
    }

    async fn edit_comment(
        &self,
        request: &MergeRequestRef,
        edited: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        let arguments = of(request, json!({ "note_id": edited.id, "body": body }));
        self.0.tell("edit a comment", "update_merge_request_note", arguments).await
    }

    async fn delete_comment(&self, request: &MergeRequestRef, gone: &CommentRef) -> Result<(), PortError> {
        let arguments = of(request, json!({ "note_id": gone.id }));
        self.0.tell_gone("take back a comment", "delete_merge_request_note", arguments).await
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let arguments = of(request, json!({ "discussion_id": resolved.thread, "resolved": true }));
        self.0.tell("resolve a thread", "resolve_merge_request_thread", arguments).await
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        let arguments = json!({ "project_id": project.as_str(), "sha": commit.as_str(), "per_page": 100 });
        let read: Vec<NumberedStatus> =
            self.0.read("read commit statuses", "list_commit_statuses", arguments).await?;
        Ok(newest_of_each(read, commit))
    }

    async fn set_status(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        let mut arguments = json!({
            "project_id": project.as_str(), "sha": status.commit.as_str(), "state": state_word(status.state),
            "name": status.name, "description": status.title,
        });
        if let Some(url) = &status.url {
            arguments["target_url"] = json!(url);
        }
        self.0.tell("set the commit status", "create_commit_status", arguments).await
    }

    tools_of_the_server!();
}
