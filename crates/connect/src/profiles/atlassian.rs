//! mcp-atlassian 0.23 (PyPI).

use domain::forge::{DocsPage, Identity, Issue, IssueKey, ReviewSummary, TicketComment, Transition};
use domain::ports::{DocsPort, PortError, PortErrorKind, TrackerPort};
use domain::publish::{addresses, ticket_summary};
use domain::text::short_line;
use domain::tools::McpTool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::server::tools_of_the_server;
use super::shapes::{unreadable, web_address, word};

#[derive(Debug)]
pub struct AtlassianTracker(pub Server);

#[derive(Debug)]
pub struct AtlassianDocs(pub Server);

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Person {
    account_id: Option<String>,
    name: Option<String>,
    display_name: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    body: String,
    author: Option<Person>,
}

#[derive(Deserialize)]
struct IssueShape {
    key: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    description: Option<String>,
    browse_url: Option<String>,
    url: Option<String>,
    status: Option<Named>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    components: Vec<Value>,
    #[serde(default)]
    comments: Vec<Said>,
}

#[derive(Deserialize)]
struct Found {
    issues: Vec<IssueShape>,
}

#[derive(Deserialize)]
struct TransitionShape {
    id: Value,
    name: String,
    to_status: Option<String>,
}

/// It answers with an object that has an `error` in it, and does not call that an error.
#[derive(Deserialize)]
struct PageAnswer {
    error: Option<String>,
    metadata: Option<PageShape>,
}

#[derive(Deserialize)]
struct PageShape {
    id: Value,
    title: String,
    #[serde(default)]
    url: Option<String>,
    content: Option<ContentShape>,
}

#[derive(Deserialize)]
struct ContentShape {
    value: String,
}

/// `Code Review`, `code_review` and `CODE-REVIEW` are one status.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// It takes Markdown, makes wiki markup or a document of it, and knows no way to write a character of either as it is. So
/// whatever could become markup, a mention or a link is written with its full-width twin, which looks like it. Addresses of
/// ours are written as links of Markdown: it puts backslashes into bare ones.
fn defused(text: &str) -> String {
    let ours = addresses(text);
    let line = |line: &str| match ours.iter().find(|address| line.ends_with(**address)) {
        Some(address) => format!("{}{}", twins(&line[..line.len() - address.len()]), linked(address)),
        None => twins(line),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn linked(address: &str) -> String {
    match address.contains(['(', ')', '[', ']', '|']) {
        true => address.to_owned(),
        false => format!("[{address}]({address})"),
    }
}

fn twins(line: &str) -> String {
    const FULL_WIDTH: u32 = 0xFEE0;
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    let item = line.starts_with("- ");
    while let Some(c) = chars.next() {
        let before = out.chars().next_back();
        let inside =
            before.is_some_and(char::is_alphanumeric) && chars.peek().is_some_and(|c| c.is_alphanumeric());
        let twin = match c {
            '[' | ']' | '{' | '}' | '|' | '`' | '~' | '^' | '#' | '<' | '>' | '!' | '\\' | '@' => true,
            '-' if out.is_empty() && item => false,
            '*' | '_' | '-' | '+' => !inside,
            ':' => chars.peek() == Some(&'/') || out.ends_with("mailto"),
            '?' => chars.peek() == Some(&'?') || before == Some('\u{FF1F}'),
            _ => false,
        };
        out.push(if twin { char::from_u32(u32::from(c) + FULL_WIDTH).unwrap_or(c) } else { c });
    }
    out
}

impl IssueShape {
    fn into_issue(self, action: &str) -> Result<Issue, PortError> {
        let component = |value: &Value| value.get("name").map_or_else(|| word(value), word);
        Ok(Issue {
            key: IssueKey::parse(&self.key).map_err(|bad| unreadable(action, &bad.to_string()))?,
            url: web_address(self.browse_url.or(self.url).unwrap_or_default()),
            summary: self.summary,
            description: self.description.unwrap_or_default(),
            status: self.status.map(|status| status.name).unwrap_or_default(),
            labels: self.labels,
            components: self.components.iter().map(component).collect(),
        })
    }
}

impl AtlassianTracker {
    async fn issue(
        &self,
        action: &str,
        key: &IssueKey,
        comments: u32,
    ) -> Result<Option<IssueShape>, PortError> {
        let arguments = json!({ "issue_key": key.as_str(), "comment_limit": comments });
        self.0.find(action, "jira_get_issue", arguments).await
    }
}

impl TrackerPort for AtlassianTracker {
    /// It has no tool that says.
    async fn get_identity(&self) -> Result<Option<Identity>, PortError> {
        Ok(None)
    }

    async fn get_issue(&self, key: &IssueKey) -> Result<Option<Issue>, PortError> {
        let action = "read the ticket";
        self.issue(action, key, 0).await?.map(|issue| issue.into_issue(action)).transpose()
    }

    async fn get_comments(&self, key: &IssueKey) -> Result<Vec<TicketComment>, PortError> {
        const MOST: u32 = 100;
        let issue = self.issue("read the comments of the ticket", key, MOST).await?;
        let ours = |said: Said| {
            let author =
                said.author.and_then(|person| person.account_id.or(person.name).or(person.display_name));
            TicketComment {
                id: said.id.unwrap_or_default(),
                author: author.unwrap_or_default(),
                body: said.body,
            }
        };
        Ok(issue.map(|issue| issue.comments.into_iter().map(ours).collect()).unwrap_or_default())
    }

    async fn add_comment(&self, key: &IssueKey, body: &str) -> Result<(), PortError> {
        let arguments = json!({ "issue_key": key.as_str(), "body": defused(body) });
        self.0.tell("comment on the ticket", "jira_add_comment", arguments).await
    }

    async fn edit_comment(&self, key: &IssueKey, id: &str, body: &str) -> Result<(), PortError> {
        let arguments = json!({ "issue_key": key.as_str(), "comment_id": id, "body": defused(body) });
        self.0.tell("edit a comment on the ticket", "jira_edit_comment", arguments).await
    }

    async fn post_review_summary(&self, key: &IssueKey, summary: &ReviewSummary) -> Result<(), PortError> {
        self.add_comment(key, &ticket_summary(summary)).await
    }

    /// It moves tickets by the number of a transition, so the name is looked up first.
    async fn transition_issue(&self, key: &IssueKey, status: &str) -> Result<Transition, PortError> {
        let action = "move the ticket";
        let issue = self.get_issue(key).await?;
        let from = issue.map(|issue| issue.status).unwrap_or_default();
        if folded(&from) == folded(status) {
            return Ok(Transition::AlreadyThere { status: from });
        }
        let arguments = json!({ "issue_key": key.as_str() });
        let possible: Vec<TransitionShape> = self.0.read(action, "jira_get_transitions", arguments).await?;
        let leads_there = |transition: &&TransitionShape| {
            let to = transition.to_status.as_deref().unwrap_or_default();
            folded(to) == folded(status) || folded(&transition.name) == folded(status)
        };
        let Some(transition) = possible.iter().find(leads_there) else {
            let names: Vec<_> = possible.iter().map(|transition| transition.name.as_str()).collect();
            let reason = format!("from {from} there is no way to {status}; there are: {}", names.join(", "));
            let hint = match possible.iter().any(|transition| transition.to_status.is_some()) {
                true => "set the names of your statuses in countersign.yaml: connect.statuses",
                false => {
                    "this server does not say where transitions lead: name them in countersign.yaml: connect.statuses"
                }
            };
            return Err(PortError::new(PortErrorKind::Rejected, action, &reason, hint));
        };
        let arguments = json!({ "issue_key": key.as_str(), "transition_id": word(&transition.id) });
        self.0.write(action, "jira_transition_issue", arguments).await?;
        let to = transition.to_status.clone().unwrap_or_else(|| short_line(status));
        Ok(Transition::Moved { from, to })
    }

    async fn link(&self, key: &IssueKey, url: &str, title: &str) -> Result<(), PortError> {
        let arguments = json!({ "issue_key": key.as_str(), "url": url, "title": title });
        self.0.tell("link the ticket", "jira_create_remote_issue_link", arguments).await
    }

    async fn search_issues(&self, query: &str, most: u32) -> Result<Vec<Issue>, PortError> {
        let action = "search tickets";
        let arguments = json!({ "jql": query, "limit": most.clamp(1, 50) });
        let found: Found = self.0.read(action, "jira_search", arguments).await?;
        found.issues.into_iter().map(|issue| issue.into_issue(action)).collect()
    }

    tools_of_the_server!();
}

/// In its own words, or in those of the Confluence behind it.
fn is_missing(error: &str) -> bool {
    ["not found", "404", "There is no content with the given id"].iter().any(|words| error.contains(words))
}

impl AtlassianDocs {
    async fn page(&self, action: &str, arguments: Value) -> Result<Option<DocsPage>, PortError> {
        let Some(answer): Option<PageAnswer> = self.0.find(action, "confluence_get_page", arguments).await?
        else {
            return Ok(None);
        };
        match (answer.metadata, answer.error) {
            (Some(page), _) => Ok(Some(DocsPage {
                id: word(&page.id),
                title: page.title,
                url: web_address(page.url.unwrap_or_default()),
                body: page.content.map(|content| content.value).unwrap_or_default(),
            })),
            (None, Some(error)) if is_missing(&error) => Ok(None),
            (None, error) => {
                Err(unreadable(action, error.as_deref().unwrap_or("there is no page in the answer")))
            }
        }
    }
}

impl DocsPort for AtlassianDocs {
    /// By title: the first page that the search finds.
    async fn get_project_context(&self, service_name: &str) -> Result<Option<DocsPage>, PortError> {
        let action = "read the page about the service";
        let quoted = service_name.replace(['"', '\\'], " ");
        let arguments = json!({ "query": format!("type=page AND title ~ \"{quoted}\""), "limit": 1 });
        let found: Vec<PageShape> = self.0.read(action, "confluence_search", arguments).await?;
        match found.first() {
            Some(page) => self.page(action, json!({ "page_id": word(&page.id) })).await,
            None => Ok(None),
        }
    }

    async fn get_architecture_context(&self, page_id: &str) -> Result<Option<DocsPage>, PortError> {
        self.page("read the page", json!({ "page_id": page_id })).await
    }

    tools_of_the_server!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_markup_is_shown_by_its_twin_and_our_address_stays() {
        let text = "Code review failed: changes are requested.\nReview: https://git.example/a_b/7\n\
                    Reason: {code} [~admin] `x` >= 90! https://evil.example @all\n- in code_review_params";
        insta::assert_snapshot!(defused(text), @r"
        Code review failed: changes are requested.
        Review: [https://git.example/a_b/7](https://git.example/a_b/7)
        Reason: ｛code｝ ［～admin］ ｀x｀ ＞= 90！ https：//evil.example ＠all
        - in code_review_params
        ");
    }
}
