use domain::change::Oid;
use domain::forge::{
    Branch, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity, InlineComment,
    MergeRequest, MergeRequestDiff, MergeRequestRef, NewMergeRequest, PostedComment, Project, Provider,
    Published, ReviewPost,
};
use domain::ports::{PortError, VcsPort};
use domain::tools::McpTool;
use serde_json::Value;

use crate::profiles::{Github, GithubOfficial, Gitlab, GitlabZereight};

/// A forge.
#[derive(Debug)]
pub enum Vcs {
    /// `countersign mcp github`
    Github(Github),
    /// `countersign mcp gitlab`
    Gitlab(Gitlab),
    /// GitHub's own server
    GithubOfficial(GithubOfficial),
    /// @zereight/mcp-gitlab
    GitlabZereight(GitlabZereight),
}

macro_rules! either {
    ($self:ident, $port:ident => $call:expr) => {
        match $self {
            Vcs::Github($port) => $call,
            Vcs::Gitlab($port) => $call,
            Vcs::GithubOfficial($port) => $call,
            Vcs::GitlabZereight($port) => $call,
        }
    };
}

impl VcsPort for Vcs {
    fn provider(&self) -> Provider {
        either!(self, port => port.provider())
    }

    fn editing(&self) -> Editing {
        either!(self, port => port.editing())
    }

    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        either!(self, port => port.get_identity().await)
    }

    async fn get_branch(&self, project: &Project, name: &str) -> Result<Option<Branch>, PortError> {
        either!(self, port => port.get_branch(project, name).await)
    }

    async fn get_merge_request(&self, request: &MergeRequestRef) -> Result<Option<MergeRequest>, PortError> {
        either!(self, port => port.get_merge_request(request).await)
    }

    async fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> Result<Option<MergeRequest>, PortError> {
        either!(self, port => port.find_merge_request(project, source_branch).await)
    }

    async fn get_merge_request_diff(&self, request: &MergeRequestRef) -> Result<MergeRequestDiff, PortError> {
        either!(self, port => port.get_merge_request_diff(request).await)
    }

    async fn create_merge_request(&self, new: &NewMergeRequest) -> Result<CreatedMergeRequest, PortError> {
        either!(self, port => port.create_merge_request(new).await)
    }

    async fn get_comments(&self, request: &MergeRequestRef) -> Result<Vec<PostedComment>, PortError> {
        either!(self, port => port.get_comments(request).await)
    }

    async fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> Result<Published, PortError> {
        either!(self, port => port.publish_review(request, post).await)
    }

    async fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> Result<(), PortError> {
        either!(self, port => port.add_inline_comment(request, refs, comment).await)
    }

    async fn add_comment(&self, request: &MergeRequestRef, body: &str) -> Result<(), PortError> {
        either!(self, port => port.add_comment(request, body).await)
    }

    async fn edit_comment(
        &self,
        request: &MergeRequestRef,
        comment: &CommentRef,
        body: &str,
    ) -> Result<(), PortError> {
        either!(self, port => port.edit_comment(request, comment, body).await)
    }

    async fn delete_comment(&self, request: &MergeRequestRef, comment: &CommentRef) -> Result<(), PortError> {
        either!(self, port => port.delete_comment(request, comment).await)
    }

    async fn resolve_thread(&self, request: &MergeRequestRef, comment: &CommentRef) -> Result<(), PortError> {
        either!(self, port => port.resolve_thread(request, comment).await)
    }

    async fn get_statuses(&self, project: &Project, commit: &Oid) -> Result<Vec<CommitStatus>, PortError> {
        either!(self, port => port.get_statuses(project, commit).await)
    }

    async fn set_status(&self, project: &Project, status: &CommitStatus) -> Result<(), PortError> {
        either!(self, port => port.set_status(project, status).await)
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        either!(self, port => port.get_mcp_tools().await)
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        either!(self, port => port.execute_tool(name, arguments).await)
    }
}
