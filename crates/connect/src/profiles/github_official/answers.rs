//! What GitHub's server answers where that is not what GitHub's REST interface says.

use domain::change::{Mode, Status};
use domain::forge::{CommentKind, PostedComment, ThreadState};
use serde::Deserialize;
use serde_json::Value;

use super::marker::restored;
use crate::profiles::files::FilePart;
use crate::profiles::shapes::{Named, comment, thread_state, word};

/// In the conversation.
#[derive(Deserialize)]
pub(super) struct Said {
    id: Value,
    body: Option<String>,
    user: Option<Named>,
}

impl From<Said> for PostedComment {
    fn from(said: Said) -> PostedComment {
        let words = (name(said.user), restored(said.body.unwrap_or_default()));
        comment(word(&said.id), CommentKind::Conversation, None, words, ThreadState::NotResolvable)
    }
}

fn name(person: Option<Named>) -> String {
    person.map(Named::into_name).unwrap_or_default()
}

#[derive(Deserialize)]
pub(super) struct ReviewShape {
    state: String,
}

impl ReviewShape {
    /// Seen by nobody but the account that writes it.
    pub(super) fn is_draft(&self) -> bool {
        self.state == "PENDING"
    }
}

/// A page of threads. Versions before 1.0 write names as Go does.
#[derive(Deserialize)]
pub(super) struct Threads {
    #[serde(alias = "reviewThreads")]
    pub(super) review_threads: Option<Vec<Thread>>,
    #[serde(rename = "pageInfo")]
    pub(super) page: Page,
}

#[derive(Deserialize)]
pub(super) struct Page {
    #[serde(rename = "hasNextPage")]
    has_next: bool,
    #[serde(rename = "endCursor")]
    end: Option<String>,
}

impl Page {
    pub(super) fn next(self) -> Option<String> {
        self.end.filter(|end| self.has_next && !end.is_empty())
    }
}

#[derive(Deserialize)]
pub(super) struct Thread {
    #[serde(alias = "ID")]
    id: String,
    #[serde(alias = "IsResolved")]
    is_resolved: bool,
    #[serde(alias = "Comments")]
    comments: Remarks,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Remarks {
    Listed(Vec<Remark>),
    Nodes {
        #[serde(rename = "Nodes")]
        nodes: Vec<Remark>,
    },
}

#[derive(Deserialize)]
struct Remark {
    #[serde(alias = "Body")]
    body: Option<String>,
    #[serde(alias = "Author")]
    author: Option<Named>,
}

/// Whether the server has a method to resolve threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolving {
    Possible,
    Impossible,
}

impl Thread {
    /// What opened it.
    pub(super) fn into_comment(self, resolving: Resolving) -> Option<PostedComment> {
        let (Remarks::Listed(remarks) | Remarks::Nodes { nodes: remarks }) = self.comments;
        let first = remarks.into_iter().next()?;
        let state = thread_state(resolving == Resolving::Possible, self.is_resolved);
        let words = (name(first.author), restored(first.body.unwrap_or_default()));
        // Comments have no ids here; threads come in the order in which they were opened.
        Some(comment("", CommentKind::Inline, Some(self.id), words, state))
    }
}

#[derive(Deserialize)]
pub(super) struct FileShape {
    filename: String,
    previous_filename: Option<String>,
    status: Option<String>,
    #[serde(default)]
    changes: u64,
    patch: Option<String>,
}

impl FileShape {
    /// Lines changed, and GitHub does not show them.
    pub(super) fn is_withheld(&self) -> bool {
        self.changes > 0 && self.patch.as_ref().is_none_or(String::is_empty)
    }
}

impl From<FileShape> for FilePart {
    fn from(file: FileShape) -> FilePart {
        let status = match file.status.as_deref() {
            Some("added" | "copied") => Status::Added,
            Some("removed") => Status::Deleted,
            Some("renamed") => Status::Renamed(0),
            Some(_) | None => Status::Modified,
        };
        let old = file.previous_filename.filter(|name| !name.is_empty());
        FilePart {
            status,
            old: (old.unwrap_or_else(|| file.filename.clone()), Mode::File),
            new: (file.filename, Mode::File),
            hunks: file.patch.unwrap_or_default(),
        }
    }
}
