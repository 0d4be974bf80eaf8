//! `countersign mcp jira`.

use domain::forge::{Identity, Issue, IssueKey, ReviewSummary, TicketComment, Transition};
use domain::ports::{PortError, PortErrorKind, TrackerPort};
use domain::publish::{addresses, ticket_summary};
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::server::tools_of_the_server;
use super::shapes::{unreadable, web_address};

#[derive(Debug)]
pub struct Jira(pub Server);

#[derive(Deserialize)]
struct Me {
    id: String,
}

#[derive(Deserialize)]
struct IssueShape {
    key: String,
    url: String,
    summary: String,
    description: String,
    status: String,
    labels: Vec<String>,
    components: Vec<String>,
}

#[derive(Deserialize)]
struct Said {
    id: String,
    author: String,
    author_id: Option<String>,
    body: String,
}

#[derive(Deserialize)]
struct Comments {
    comments: Vec<Said>,
}

#[derive(Deserialize)]
struct Moved {
    from: String,
    to: String,
    changed: bool,
}

#[derive(Deserialize)]
struct Found {
    issues: Vec<IssueShape>,
}

impl IssueShape {
    fn into_issue(self, action: &str) -> Result<Issue, PortError> {
        Ok(Issue {
            key: IssueKey::parse(&self.key).map_err(|bad| unreadable(action, &bad.to_string()))?,
            url: web_address(self.url),
            summary: self.summary,
            description: self.description,
            status: self.status,
            labels: self.labels,
            components: self.components,
        })
    }
}

impl TrackerPort for Jira {
    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        match self.0.read::<Me>("ask who we are", "jira_get_me", json!({})).await {
            Ok(me) => Ok(Some(Identity { login: me.id })),
            Err(error) if error.kind == PortErrorKind::Unauthorised => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn get_issue(&self, key: &IssueKey) -> Result<Option<Issue>, PortError> {
        let action = "read the ticket";
        let found: Option<IssueShape> =
            self.0.find(action, "jira_get_issue", json!({ "issue_key": key.as_str() })).await?;
        found.map(|issue| issue.into_issue(action)).transpose()
    }

    async fn get_comments(&self, key: &IssueKey) -> Result<Vec<TicketComment>, PortError> {
        let arguments = json!({ "issue_key": key.as_str() });
        let read: Comments =
            self.0.read("read the comments of the ticket", "jira_get_comments", arguments).await?;
        let ours = |said: Said| TicketComment {
            id: said.id,
            author: said.author_id.unwrap_or(said.author),
            body: said.body,
        };
        Ok(read.comments.into_iter().map(ours).collect())
    }

    async fn add_comment(&self, key: &IssueKey, body: &str) -> Result<(), PortError> {
        let arguments = json!({
            "issue_key": key.as_str(), "body": body, "format": "plain", "links": addresses(body),
        });
        self.0.tell("comment on the ticket", "jira_add_comment", arguments).await
    }

    async fn edit_comment(&self, key: &IssueKey, id: &str, body: &str) -> Result<(), PortError> {
        let arguments = json!({
            "issue_key": key.as_str(), "comment_id": id, "body": body, "format": "plain", "links": addresses(body),
        });
        self.0.tell("edit a comment on the ticket", "jira_update_comment", arguments).await
    }

    async fn post_review_summary(&self, key: &IssueKey, summary: &ReviewSummary) -> Result<(), PortError> {
        self.add_comment(key, &ticket_summary(summary)).await
    }

    async fn transition_issue(&self, key: &IssueKey, status: &str) -> Result<Transition, PortError> {
        let action = "move the ticket";
        let arguments = json!({ "issue_key": key.as_str(), "status": status });
        let moved: Moved = self.0.write(action, "jira_transition_issue", arguments).await?.read(action)?;
        Ok(match moved.changed {
            true => Transition::Moved { from: moved.from, to: moved.to },
            false => Transition::AlreadyThere { status: moved.to },
        })
    }

    async fn link(&self, key: &IssueKey, url: &str, title: &str) -> Result<(), PortError> {
        let arguments = json!({ "issue_key": key.as_str(), "url": url, "title": title });
        self.0.tell("link the ticket", "jira_add_remote_link", arguments).await
    }

    async fn search_issues(&self, query: &str, most: u32) -> Result<Vec<Issue>, PortError> {
        let action = "search tickets";
        let arguments = json!({ "jql": query, "limit": most.clamp(1, 100) });
        let found: Found = self.0.read(action, "jira_search_issues", arguments).await?;
        found.issues.into_iter().map(|issue| issue.into_issue(action)).collect()
    }

    tools_of_the_server!();
}
