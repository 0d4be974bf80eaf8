//! `countersign mcp gitlab`.

use domain::change::Oid;
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
use super::merge_request::{Discussion, MergeRequestShape, NumberedStatus, newest_of_each, state_word};
use super::position::with_counters;
use super::server::tools_of_the_server;
use super::shapes::{BranchShape, Found, Made, OwnDiff, number, one_by_one, whole, with};

#[derive(Debug)]
pub struct Gitlab(pub Server);

#[derive(Deserialize)]
struct Discussions {
    discussions: Vec<Discussion>,
    complete: bool,
}

#[derive(Deserialize)]
struct Statuses {
    statuses: Vec<NumberedStatus>,
}

/// Which merge request, and what else the tool is to know.
fn of(request: &MergeRequestRef, more: Value) -> Value {
    with(json!({ "project": request.project.as_str(), "mr_iid": request.number }), more)
}

impl VcsPort for Gitlab {
    fn provider(&self) -> Provider {
        Provider::Gitlab
    }

    fn editing(&self) -> Editing {
        Editing::Possible
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        self.0.identity("gitlab_get_me").await
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        let action = "read the branch";
        let arguments = json!({ "project": project.as_str(), "branch": name });
        let found: Option<BranchShape> = self.0.find(action, "gitlab_get_branch", arguments).await?;
        found.map(|branch| branch.into_branch(action)).transpose()
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        let (action, arguments) = ("read the merge request", of(request, json!({})));
        self.0.find_request::<MergeRequestShape>(action, "gitlab_get_mr", arguments, &request.project).await
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        let action = "look for the merge request";
        let arguments = json!({ "project": project.as_str(), "source_branch": source_branch });
        let found: Option<Found<MergeRequestShape>> =
            self.0.find(action, "gitlab_get_mr_by_branch", arguments).await?;
        found.map_or(Ok(None), |found| found.into_request(action, project))
    }

    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        let action = "read the diff of the merge request";
        let read: OwnDiff = self.0.read(action, "gitlab_get_mr_diff", of(request, json!({}))).await?;
        read.into_diff(action)
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        let action = "create the merge request";
        let arguments = json!({
            "project": new.project.as_str(), "source_branch": new.source_branch, "target_branch": new.target_branch,
            "title": new.title, "description": new.description,
        });
        let made: Made<MergeRequestShape> =
            self.0.write(action, "gitlab_create_mr", arguments).await?.read(action)?;
        made.into_created(action, &new.project)
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        let action = "read the comments of the merge request";
        let arguments = of(request, json!({}));
        let read: Discussions = self.0.read(action, "gitlab_get_mr_discussions", arguments).await?;
        whole(action, read.complete)?;
        Ok(read.discussions.into_iter().filter_map(Discussion::into_comment).collect())
    }

    /// GitLab has no reviews that are taken as a whole.
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
        let said = json!({ "body": comment.body, "position": with_counters(refs, &comment.place) });
        self.0.tell("comment on a line", "gitlab_create_discussion", of(request, said)).await
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        let arguments = of(request, json!({ "body": body }));
        self.0.tell("comment on the merge request", "gitlab_add_mr_note", arguments).await
    }

    async fn edit_comment(
        &self,
        request: &MergeRequestRef,
        edited: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        let action = "edit a comment";
        let said = json!({ "note_id": number(action, &edited.id)?, "body": body });
        self.0.tell(action, "gitlab_update_note", of(request, said)).await
    }

    async fn delete_comment(&self, request: &MergeRequestRef, gone: &CommentRef) -> Result<(), PortError> {
        let action = "take back a comment";
        let arguments = of(request, json!({ "note_id": number(action, &gone.id)? }));
        self.0.tell_gone(action, "gitlab_delete_note", arguments).await
    }

    async fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        resolved: &CommentRef,
    ) -> Result<(), PortError> {
        let arguments = of(request, json!({ "discussion_id": resolved.thread }));
        self.0.tell("resolve a thread", "gitlab_resolve_discussion", arguments).await
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        let arguments = json!({ "project": project.as_str(), "sha": commit.as_str() });
        let read: Statuses =
            self.0.read("read commit statuses", "gitlab_get_commit_statuses", arguments).await?;
        Ok(newest_of_each(read.statuses, commit))
    }

    async fn set_status(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        let mut arguments = json!({
            "project": project.as_str(), "sha": status.commit.as_str(), "state": state_word(status.state),
            "name": status.name, "description": status.title,
        });
        if let Some(url) = &status.url {
            arguments["target_url"] = json!(url);
        }
        self.0.tell("set the commit status", "gitlab_create_commit_status", arguments).await
    }

    tools_of_the_server!();
}
