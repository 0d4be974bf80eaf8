use std::future::Future;

use serde_json::Value;

use super::PortError;
use crate::change::Oid;
use crate::forge::{
    Branch, CommentRef, CommitStatus, CreatedMergeRequest, DiffRefs, Editing, Identity, InlineComment,
    MergeRequest, MergeRequestDiff, MergeRequestRef, NewMergeRequest, PostedComment, Project, Provider,
    Published, ReviewPost,
};
use crate::tools::McpTool;

/// A forge. What holds for every method:
///
/// - It is done by tools of an MCP server and in no other way.
/// - Reading changes nothing and may be repeated. What is not there is `None`, not an error.
/// - A writing call that answered has taken effect. One that failed says in its error whether it may have
///   ([`PortError::may_have_happened`]): look before repeating it. Nothing is repeated here.
/// - What comes back was written by others and is not cleaned.
pub trait VcsPort: Send + Sync {
    fn provider(&self) -> Provider;

    /// Whether [`VcsPort::edit_comment`] works here.
    fn editing(&self) -> Editing;

    /// Who we are there: the author of what we post. `None` if the token belongs to nobody in particular, or the
    /// server has no tool to ask.
    fn get_identity(&self) -> impl Future<Output = Result<Option<Identity>, PortError>> + Send;

    fn get_branch(
        &self,
        project: &Project,
        name: &str,
    ) -> impl Future<Output = Result<Option<Branch>, PortError>> + Send;

    fn get_merge_request(
        &self,
        request: &MergeRequestRef,
    ) -> impl Future<Output = Result<Option<MergeRequest>, PortError>> + Send;

    /// The newest open one from this branch.
    fn find_merge_request(
        &self,
        project: &Project,
        source_branch: &str,
    ) -> impl Future<Output = Result<Option<MergeRequest>, PortError>> + Send;

    /// Between the merge base and the head, as the forge shows it.
    fn get_merge_request_diff(
        &self,
        request: &MergeRequestRef,
    ) -> impl Future<Output = Result<MergeRequestDiff, PortError>> + Send;

    /// Asked again, it answers with the one that is there.
    fn create_merge_request(
        &self,
        new: &NewMergeRequest,
    ) -> impl Future<Output = Result<CreatedMergeRequest, PortError>> + Send;

    /// All comments, the oldest first. If there are more than can be listed, that is an error: half a list would
    /// have us post twice.
    fn get_comments(
        &self,
        request: &MergeRequestRef,
    ) -> impl Future<Output = Result<Vec<PostedComment>, PortError>> + Send;

    /// Posts comments as one review. A forge that takes them all or none answers `Rejected` for one bad place; one
    /// that takes them one by one names those that it refused.
    fn publish_review(
        &self,
        request: &MergeRequestRef,
        post: &ReviewPost,
    ) -> impl Future<Output = Result<Published, PortError>> + Send;

    /// Posts a single comment at its place.
    fn add_inline_comment(
        &self,
        request: &MergeRequestRef,
        refs: &DiffRefs,
        comment: &InlineComment,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// Posts into the conversation.
    fn add_comment(
        &self,
        request: &MergeRequestRef,
        body: &str,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// May be repeated.
    fn edit_comment(
        &self,
        request: &MergeRequestRef,
        comment: &CommentRef,
        body: &str,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// Takes back a comment that we posted ourselves, so that nobody sees it any more. May be repeated: what is not there
    /// has gone.
    fn delete_comment(
        &self,
        request: &MergeRequestRef,
        comment: &CommentRef,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// Resolves the thread that a comment opened. May be repeated.
    fn resolve_thread(
        &self,
        request: &MergeRequestRef,
        comment: &CommentRef,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// The newest of each name.
    fn get_statuses(
        &self,
        project: &Project,
        commit: &Oid,
    ) -> impl Future<Output = Result<Vec<CommitStatus>, PortError>> + Send;

    /// Replaces what the same name said about the same commit. May be repeated.
    fn set_status(
        &self,
        project: &Project,
        status: &CommitStatus,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// What the server offers, unfiltered: [`crate::tools::sort`] says what a model gets to see.
    fn get_mcp_tools(&self) -> impl Future<Output = Result<Vec<McpTool>, PortError>> + Send;

    /// Makes a call for a model. It is held against the policy first, whoever checked it before.
    fn execute_tool(
        &self,
        name: &str,
        arguments: &Value,
    ) -> impl Future<Output = Result<String, PortError>> + Send;
}
