use serde_json::Value;

use super::account::User;
use super::pull::Comment;

/// The kind of Jira that is played. It decides what `serverInfo` says and how a caller may sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jira {
    /// Answers under `/rest/api/3` and `/rest/api/2`; e-mail and token by Basic only.
    Cloud,
    /// Answers under `/rest/api/2`; user and password by Basic, or a personal token by Bearer.
    Server,
}

/// A text as it was written. Both APIs can read both kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum Text {
    Wiki(String),
    /// Atlassian's document format.
    Document(Value),
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::Wiki(text.to_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::Wiki(text)
    }
}

impl From<Value> for Text {
    fn from(document: Value) -> Text {
        Text::Document(document)
    }
}

#[derive(Debug, Clone)]
pub struct Ticket {
    pub id: u64,
    pub key: String,
    pub summary: String,
    pub description: Option<Text>,
    pub status: String,
    pub kind: String,
    pub labels: Vec<String>,
    pub reporter: User,
    pub comments: Vec<Remark>,
    pub links: Vec<RemoteLink>,
    /// Every status it has been in, the present one last.
    pub history: Vec<String>,
    /// Answers to fields of Jira's own making, such as `customfield_10010`.
    pub custom: serde_json::Map<String, Value>,
    pub created_at: u64,
    pub updated_at: u64,
}

/// A comment whose text may be a document.
#[derive(Debug, Clone)]
pub struct Remark {
    pub comment: Comment,
    pub text: Text,
}

#[derive(Debug, Clone)]
pub struct RemoteLink {
    pub id: u64,
    /// The caller's own name for it: a second link with the same one replaces the first.
    pub global_id: Option<String>,
    pub url: String,
    pub title: String,
    pub relationship: Option<String>,
}

/// A way from one status to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    pub id: u64,
    pub name: String,
    /// From every status, if none is named.
    pub from: Vec<String>,
    pub to: String,
}

impl Ticket {
    /// What the comments say, documents read as wiki text.
    pub fn said(&self) -> Vec<&str> {
        self.comments.iter().map(|remark| remark.comment.body.as_str()).collect()
    }

    pub fn project(&self) -> &str {
        self.key.split('-').next().unwrap_or(&self.key)
    }
}
