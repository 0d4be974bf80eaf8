//! What GitHub says about pull requests and comments, in the words of our tools.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::rest::{Fields as _, Trouble};

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pull {
    pub(super) number: u64,
    title: String,
    body: String,
    /// open or closed
    state: String,
    draft: bool,
    merged: bool,
    url: String,
    author: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author_association: Option<String>,
    pub(super) head: End,
    pub(super) base: End,
    from_fork: bool,
    labels: Vec<String>,
    created_at: String,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    additions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed_files: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct End {
    pub(super) branch: String,
    pub(super) sha: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Comment {
    id: u64,
    author: String,
    body: String,
    url: String,
    created_at: String,
    updated_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewComment {
    #[serde(flatten)]
    comment: Comment,
    #[serde(skip_serializing_if = "Option::is_none")]
    review_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to_id: Option<u64>,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_side: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_line: Option<u64>,
    commit_id: String,
    original_commit_id: String,
    /// The line it was written about is no longer in the diff.
    outdated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Review {
    id: u64,
    author: String,
    state: String,
    body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_at: Option<String>,
    url: String,
}

impl Pull {
    pub(super) fn of(value: &Value) -> Result<Pull, Trouble> {
        let (head, base) = (End::of(value, "/head")?, End::of(value, "/base")?);
        Ok(Pull {
            number: value.number("/number")?,
            title: value.text("/title")?,
            body: value.text_or_empty("/body"),
            state: value.text("/state")?,
            draft: value.is("/draft"),
            merged: value.is("/merged") || value.text_if("/merged_at").is_some(),
            url: value.text_or_empty("/html_url"),
            author: author(value),
            author_association: value.text_if("/author_association"),
            // No repository: the fork is gone.
            from_fork: head.repo.is_none() || head.repo != base.repo,
            head,
            base,
            labels: value.texts("/labels", "/name"),
            created_at: value.text_or_empty("/created_at"),
            updated_at: value.text_or_empty("/updated_at"),
            additions: value.number_if("/additions"),
            deletions: value.number_if("/deletions"),
            changed_files: value.number_if("/changed_files"),
        })
    }
}

impl End {
    fn of(value: &Value, place: &str) -> Result<End, Trouble> {
        Ok(End {
            branch: value.text(&format!("{place}/ref"))?,
            sha: value.text(&format!("{place}/sha"))?,
            repo: value.text_if(&format!("{place}/repo/full_name")),
        })
    }
}

impl Comment {
    pub(super) fn of(value: &Value) -> Result<Comment, Trouble> {
        Ok(Comment {
            id: value.number("/id")?,
            author: author(value),
            body: value.text_or_empty("/body"),
            url: value.text_or_empty("/html_url"),
            created_at: value.text_or_empty("/created_at"),
            updated_at: value.text_or_empty("/updated_at"),
        })
    }
}

impl ReviewComment {
    pub(super) fn of(value: &Value) -> Result<ReviewComment, Trouble> {
        let on_file = value.text_if("/subject_type").as_deref() == Some("file");
        let line = value.number_if("/line");
        Ok(ReviewComment {
            comment: Comment::of(value)?,
            review_id: value.number_if("/pull_request_review_id"),
            in_reply_to_id: value.number_if("/in_reply_to_id"),
            path: value.text("/path")?,
            line,
            start_line: value.number_if("/start_line"),
            side: value.text_if("/side"),
            start_side: value.text_if("/start_side"),
            original_line: value.number_if("/original_line"),
            commit_id: value.text_or_empty("/commit_id"),
            original_commit_id: value.text_or_empty("/original_commit_id"),
            outdated: line.is_none() && !on_file,
        })
    }
}

impl Review {
    pub(super) fn of(value: &Value) -> Result<Review, Trouble> {
        Ok(Review {
            id: value.number("/id")?,
            author: author(value),
            state: value.text_or_empty("/state"),
            body: value.text_or_empty("/body"),
            commit_id: value.text_if("/commit_id"),
            submitted_at: value.text_if("/submitted_at"),
            url: value.text_or_empty("/html_url"),
        })
    }
}

/// Accounts that are gone are called so by GitHub as well.
fn author(value: &Value) -> String {
    value.text_if("/user/login").unwrap_or_else(|| "ghost".to_owned())
}
