use domain::forge::{Identity, Issue, IssueKey, ReviewSummary, TicketComment, Transition};
use domain::ports::{PortError, TrackerPort};
use domain::tools::McpTool;
use serde_json::Value;

use crate::profiles::{AtlassianTracker, Jira};

/// A tracker.
#[derive(Debug)]
pub enum Tracker {
    /// `countersign mcp jira`
    Jira(Jira),
    /// mcp-atlassian
    AtlassianTracker(AtlassianTracker),
}

macro_rules! either {
    ($self:ident, $port:ident => $call:expr) => {
        match $self {
            Tracker::Jira($port) => $call,
            Tracker::AtlassianTracker($port) => $call,
        }
    };
}

impl TrackerPort for Tracker {
    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        either!(self, port => port.get_identity().await)
    }

    async fn get_issue(&self, key: &IssueKey) -> Result<Option<Issue>, PortError> {
        either!(self, port => port.get_issue(key).await)
    }

    async fn get_comments(&self, key: &IssueKey) -> Result<Vec<TicketComment>, PortError> {
        either!(self, port => port.get_comments(key).await)
    }

    async fn add_comment(&self, key: &IssueKey, body: &str) -> Result<(), PortError> {
        either!(self, port => port.add_comment(key, body).await)
    }

    async fn edit_comment(&self, key: &IssueKey, id: &str, body: &str) -> Result<(), PortError> {
        either!(self, port => port.edit_comment(key, id, body).await)
    }

    async fn post_review_summary(&self, key: &IssueKey, summary: &ReviewSummary) -> Result<(), PortError> {
        either!(self, port => port.post_review_summary(key, summary).await)
    }

    async fn transition_issue(&self, key: &IssueKey, status: &str) -> Result<Transition, PortError> {
        either!(self, port => port.transition_issue(key, status).await)
    }

    async fn link(&self, key: &IssueKey, url: &str, title: &str) -> Result<(), PortError> {
        either!(self, port => port.link(key, url, title).await)
    }

    async fn search_issues(&self, query: &str, most: u32) -> Result<Vec<Issue>, PortError> {
        either!(self, port => port.search_issues(query, most).await)
    }

    async fn get_mcp_tools(&self) -> Result<Vec<McpTool>, PortError> {
        either!(self, port => port.get_mcp_tools().await)
    }

    async fn execute_tool(&self, name: &str, arguments: &Value) -> Result<String, PortError> {
        either!(self, port => port.execute_tool(name, arguments).await)
    }
}
