use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect::Dialect;
use super::{Jira, OneIssue};
use crate::rest::{Ask, Fields as _, Trouble};
use crate::servers::tool::{Answer, Hints, Nothing, Tool};

const FIELDS: &str = "summary,description,status,issuetype,priority,assignee,reporter,project,parent,labels,components,\
                      created,updated";

pub(crate) struct GetMe;
pub(crate) struct GetIssue;
pub(crate) struct SearchIssues;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Me {
    id: String,
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Issue {
    key: String,
    id: String,
    url: String,
    summary: String,
    description: String,
    /// markdown or wiki
    description_format: &'static str,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reporter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_key: Option<String>,
    labels: Vec<String>,
    components: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    jql: String,
    /// 1 to 100; 50 if left out.
    #[serde(default)]
    limit: Option<u32>,
    /// next_page_token of the page before.
    #[serde(default)]
    page_token: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page {
    issues: Vec<Issue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

impl Tool for GetMe {
    const NAME: &'static str = "jira_get_me";
    const DESCRIPTION: &'static str = "Whose token this server uses.";
    const HINTS: Hints = Hints::Reads;
    type Of = Jira;
    type Input = Nothing;
    type Output = Me;

    async fn call(jira: &Jira, _: Nothing) -> Answer<Me> {
        let value = jira.rest.json(&Ask::get(jira.api().await?.join(&"myself"))).await?;
        let id = account(&value, "").ok_or_else(|| Trouble::unreadable("the answer names nobody"))?;
        Ok(Me { id, name: value.text_or_empty("/displayName") })
    }
}

impl Tool for GetIssue {
    const NAME: &'static str = "jira_get_issue";
    const DESCRIPTION: &'static str = "One issue: summary, description as text, status, people, labels.";
    const HINTS: Hints = Hints::Reads;
    type Of = Jira;
    type Input = OneIssue;
    type Output = Issue;

    async fn call(jira: &Jira, input: OneIssue) -> Answer<Issue> {
        let ask = Ask::get(jira.of_issue(&input.issue_key).await?).query("fields", FIELDS);
        let value = jira.rest.json(&ask).await?;
        jira.issue(&value).await
    }
}

impl Tool for SearchIssues {
    const NAME: &'static str = "jira_search_issues";
    const DESCRIPTION: &'static str = "Issues that fit a JQL query.";
    const HINTS: Hints = Hints::Reads;
    type Of = Jira;
    type Input = Query;
    type Output = Page;

    async fn call(jira: &Jira, input: Query) -> Answer<Page> {
        let limit = input.limit.unwrap_or(50);
        if !(1..=100).contains(&limit) {
            return Err(Trouble::invalid("limit: is a number from 1 to 100", "call again with one of those"));
        }
        let api = jira.api().await?.join(&"search");
        let token = input.page_token.as_deref();
        let ask = match jira.dialect().await? {
            Dialect::Cloud => Ask::get(api.join(&"jql")).query_if("nextPageToken", token),
            Dialect::Server => Ask::get(api).query_if("startAt", token),
        };
        let ask = ask.query("jql", &input.jql).query("maxResults", limit).query("fields", FIELDS);
        let value = jira.rest.json(&ask).await?;
        let mut issues = Vec::new();
        for issue in value.list("/issues") {
            issues.push(jira.issue(issue).await?);
        }
        Ok(Page { issues, next_page_token: next(&value) })
    }
}

impl Jira {
    async fn issue(&self, value: &Value) -> Answer<Issue> {
        let key = value.text("/key")?;
        Ok(Issue {
            url: self.browse(&key)?,
            key,
            id: value.text_or_empty("/id"),
            summary: value.text_or_empty("/fields/summary"),
            description: value.pointer("/fields/description").map(Dialect::to_text).unwrap_or_default(),
            description_format: self.dialect().await?.format(),
            status: value.text("/fields/status/name")?,
            status_category: value.text_if("/fields/status/statusCategory/key"),
            issue_type: value.text_if("/fields/issuetype/name"),
            priority: value.text_if("/fields/priority/name"),
            assignee: value.text_if("/fields/assignee/displayName"),
            reporter: value.text_if("/fields/reporter/displayName"),
            project_key: value.text_if("/fields/project/key"),
            parent_key: value.text_if("/fields/parent/key"),
            labels: value.texts("/fields/labels", "/name"),
            components: value.texts("/fields/components", "/name"),
            created: value.text_if("/fields/created"),
            updated: value.text_if("/fields/updated"),
        })
    }
}

/// By token in the cloud, by number on a server.
fn next(page: &Value) -> Option<String> {
    if let Some(token) = page.text_if("/nextPageToken") {
        return Some(token);
    }
    let after = page.number_if("/startAt")?.saturating_add(page.list("/issues").len() as u64);
    (!page.list("/issues").is_empty() && after < page.number_if("/total")?).then(|| after.to_string())
}

/// What stays the same when somebody changes their name.
pub(super) fn account(value: &Value, place: &str) -> Option<String> {
    ["accountId", "name", "key"].iter().find_map(|name| value.text_if(&format!("{place}/{name}")))
}
