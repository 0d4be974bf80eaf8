use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Jira;
use super::dialect::Dialect;
use super::issues::account;
use crate::rest::{Ask, Fields as _, MOST_ENTRIES, Trouble};
use crate::servers::ids::{Digits, IssueKey};
use crate::servers::tool::{Answer, Hints, Tool};

const PAGE: usize = 100;

pub(crate) struct GetComments;
pub(crate) struct AddComment;
pub(crate) struct UpdateComment;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfIssue {
    issue_key: IssueKey,
    /// 1 to 5000; 5000 if left out.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Comments {
    comments: Vec<Comment>,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Comment {
    id: String,
    author: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author_id: Option<String>,
    body: String,
    created: String,
    updated: String,
    url: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewComment {
    issue_key: IssueKey,
    /// Markdown in the cloud, wiki markup on a server, unless `format` is plain.
    body: String,
    #[serde(default)]
    format: Format,
    /// Addresses in a plain body that may be followed, each between white space. None if left out, 20 at most.
    #[serde(default)]
    links: Vec<String>,
}

/// Plain: readers see each character as it is.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    #[default]
    Markup,
    Plain,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewText {
    issue_key: IssueKey,
    comment_id: Digits,
    body: String,
    #[serde(default)]
    format: Format,
    #[serde(default)]
    links: Vec<String>,
}

impl Tool for GetComments {
    const NAME: &'static str = "jira_get_comments";
    const DESCRIPTION: &'static str = "The comments on an issue, the oldest first.";
    const HINTS: Hints = Hints::Reads;
    type Of = Jira;
    type Input = OfIssue;
    type Output = Comments;

    async fn call(jira: &Jira, input: OfIssue) -> Answer<Comments> {
        let limit = input.limit.unwrap_or(MOST_ENTRIES);
        if !(1..=MOST_ENTRIES).contains(&limit) {
            return Err(Trouble::invalid(
                "limit: is a number from 1 to 5000",
                "call again with one of those",
            ));
        }
        let path = jira.of_issue(&input.issue_key).await?.join(&"comment");
        let mut comments = Vec::new();
        loop {
            let wanted = PAGE.min(limit - comments.len());
            let ask = Ask::get(path.clone()).query("startAt", comments.len()).query("maxResults", wanted);
            let page = jira.rest.json(&ask).await?;
            let found = page.list("/comments");
            for comment in found {
                comments.push(jira.comment(input.issue_key.as_str(), comment)?);
            }
            let total = page.number("/total")?;
            let complete = comments.len() as u64 >= total;
            if complete || found.is_empty() || comments.len() >= limit {
                return Ok(Comments { comments, complete });
            }
        }
    }
}

impl Tool for AddComment {
    const NAME: &'static str = "jira_add_comment";
    const DESCRIPTION: &'static str = "Write a comment on an issue.";
    const HINTS: Hints = Hints::Adds;
    type Of = Jira;
    type Input = NewComment;
    type Output = Comment;

    async fn call(jira: &Jira, input: NewComment) -> Answer<Comment> {
        let body = jira.body(&input.body, input.format, &input.links).await?;
        let ask = Ask::post(jira.of_issue(&input.issue_key).await?.join(&"comment"), body);
        jira.comment(input.issue_key.as_str(), &jira.rest.json(&ask).await?)
    }
}

impl Tool for UpdateComment {
    const NAME: &'static str = "jira_update_comment";
    const DESCRIPTION: &'static str = "Put another text in the place of a comment.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Jira;
    type Input = NewText;
    type Output = Comment;

    async fn call(jira: &Jira, input: NewText) -> Answer<Comment> {
        let body = jira.body(&input.body, input.format, &input.links).await?;
        let path = jira.of_issue(&input.issue_key).await?.join(&"comment").join(&input.comment_id);
        jira.comment(input.issue_key.as_str(), &jira.rest.json(&Ask::put(path, body)).await?)
    }
}

impl Jira {
    async fn body(&self, text: &str, format: Format, links: &[String]) -> Answer<Value> {
        let dialect = self.dialect().await?;
        Ok(json!({"body": match format {
            Format::Markup => dialect.to_wire(text),
            Format::Plain => dialect.literally(text, links),
        }}))
    }

    fn comment(&self, key: &str, value: &Value) -> Answer<Comment> {
        let id = value.text("/id")?;
        Ok(Comment {
            url: format!("{}?focusedCommentId={id}", self.browse(key)?),
            id,
            author: value.text_or_empty("/author/displayName"),
            author_id: account(value, "/author"),
            body: value.pointer("/body").map(Dialect::to_text).unwrap_or_default(),
            created: value.text_or_empty("/created"),
            updated: value.text_or_empty("/updated"),
        })
    }
}
