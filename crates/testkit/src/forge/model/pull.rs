use super::account::User;
use super::anchor::Anchor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullState {
    Open,
    Closed,
    Merged,
}

/// One push to a pull request, as GitLab counts them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub id: u64,
    pub head: String,
    /// The merge base.
    pub base: String,
    /// Where the target branch stood.
    pub start: String,
    pub created_at: u64,
}

/// A pull request or merge request.
#[derive(Debug, Clone)]
pub struct Pull {
    pub id: u64,
    pub number: u64,
    pub author: User,
    pub title: String,
    pub body: Option<String>,
    pub state: PullState,
    pub draft: bool,
    /// `owner/name` of the repository the change comes from; a fork's, if it is one.
    pub head_repository: String,
    pub head_branch: String,
    pub head_sha: String,
    pub base_branch: String,
    pub base_sha: String,
    pub versions: Vec<Version>,
    pub comments: Vec<Comment>,
    pub threads: Vec<Thread>,
    pub reviews: Vec<Review>,
    pub labels: Vec<String>,
    pub created_at: u64,
    pub updated_at: u64,
    pub closed_at: Option<u64>,
    pub merge_commit: Option<String>,
    pub(in crate::forge) hidden_for: u32,
}

/// Something said: on the pull request as a whole, in a thread on a line, or on a ticket.
#[derive(Debug, Clone)]
pub struct Comment {
    pub id: u64,
    pub author: User,
    pub body: String,
    pub created_at: u64,
    pub updated_at: u64,
    /// Why it was hidden, in GitHub's words (`OUTDATED`, `RESOLVED`, …).
    pub minimized: Option<String>,
    /// The review it was made in.
    pub review: Option<u64>,
    pub(in crate::forge) hidden_for: u32,
}

/// A conversation about a line, or about nothing in particular (GitLab only).
#[derive(Debug, Clone)]
pub struct Thread {
    pub id: u64,
    pub anchor: Option<Anchor>,
    pub comments: Vec<Comment>,
    pub resolved_by: Option<User>,
}

impl Thread {
    pub fn is_resolved(&self) -> bool {
        self.resolved_by.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewState {
    Pending,
    Commented,
    Approved,
    ChangesRequested,
    Dismissed,
}

#[derive(Debug, Clone)]
pub struct Review {
    pub id: u64,
    pub author: User,
    pub body: String,
    pub state: ReviewState,
    pub commit: String,
    pub submitted_at: Option<u64>,
    pub(in crate::forge) hidden_for: u32,
}

impl Pull {
    pub fn is_open(&self) -> bool {
        self.state == PullState::Open
    }

    pub fn is_from_fork(&self, repository: &str) -> bool {
        self.head_repository != repository
    }

    /// Every inline comment, in the order they were made.
    pub fn inline_comments(&self) -> Vec<(&Thread, &Comment)> {
        let mut all: Vec<_> = self
            .threads
            .iter()
            .flat_map(|thread| thread.comments.iter().map(move |comment| (thread, comment)))
            .collect();
        all.sort_by_key(|(_, comment)| comment.id);
        all
    }

    /// Everything anybody has said here, for assertions about what must or must not have been said.
    pub fn everything_said(&self) -> Vec<&str> {
        let reviews = self.reviews.iter().map(|review| review.body.as_str());
        let comments = self.comments.iter().map(|comment| comment.body.as_str());
        let inline = self.inline_comments().into_iter().map(|(_, comment)| comment.body.as_str());
        reviews.chain(comments).chain(inline).collect()
    }

    pub(in crate::forge) fn version(&self) -> &Version {
        self.versions.last().expect("a pull request has a version from its first moment")
    }
}
