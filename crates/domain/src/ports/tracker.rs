use std::future::Future;

use serde_json::Value;

use super::PortError;
use crate::forge::{Identity, Issue, IssueKey, ReviewSummary, TicketComment, Transition};
use crate::tools::McpTool;

/// A tracker of tickets. What [`VcsPort`](super::VcsPort) promises of its methods holds here, too.
pub trait TrackerPort: Send + Sync {
    /// Whose name [`TicketComment::author`] has on what we post, where that can be found out.
    fn get_identity(&self) -> impl Future<Output = Result<Option<Identity>, PortError>> + Send;

    fn get_issue(&self, key: &IssueKey) -> impl Future<Output = Result<Option<Issue>, PortError>> + Send;

    /// The oldest first.
    fn get_comments(
        &self,
        key: &IssueKey,
    ) -> impl Future<Output = Result<Vec<TicketComment>, PortError>> + Send;

    /// `body` is plain text that may quote anybody: readers see each character of it, and nothing in it becomes markup, a
    /// mention or a link but what [`crate::publish::addresses`] finds.
    fn add_comment(&self, key: &IssueKey, body: &str) -> impl Future<Output = Result<(), PortError>> + Send;

    /// Puts another text in the place of a comment of ours. May be repeated.
    fn edit_comment(
        &self,
        key: &IssueKey,
        id: &str,
        body: &str,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// Tells the ticket how a review went.
    fn post_review_summary(
        &self,
        key: &IssueKey,
        summary: &ReviewSummary,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// By the name of a status or transition. One that does not exist is `Rejected`, and the reason names those that
    /// do. May be repeated.
    fn transition_issue(
        &self,
        key: &IssueKey,
        status: &str,
    ) -> impl Future<Output = Result<Transition, PortError>> + Send;

    /// Shows an address with the ticket. May be repeated.
    fn link(
        &self,
        key: &IssueKey,
        url: &str,
        title: &str,
    ) -> impl Future<Output = Result<(), PortError>> + Send;

    /// At most `most` tickets.
    fn search_issues(
        &self,
        query: &str,
        most: u32,
    ) -> impl Future<Output = Result<Vec<Issue>, PortError>> + Send;

    /// What the server offers, unfiltered: [`crate::tools::sort`] says what a model gets to see.
    fn get_mcp_tools(&self) -> impl Future<Output = Result<Vec<McpTool>, PortError>> + Send;

    /// Makes a call for a model. It is held against the policy first, whoever checked it before.
    fn execute_tool(
        &self,
        name: &str,
        arguments: &Value,
    ) -> impl Future<Output = Result<String, PortError>> + Send;
}
