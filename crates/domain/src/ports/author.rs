use std::path::Path;
use std::time::Duration;

use crate::review::Usage;

/// Somebody who writes code: a fixer or a builder. Blocking, as a reviewer is.
///
/// An author changes files in the worktree it is given and nothing else. It does not commit: the engine does,
/// after it has looked at what was changed.
pub trait Author: Sync {
    /// The name of the agent.
    fn name(&self) -> &str;

    fn work(&self, job: &AuthorJob<'_>) -> Result<AuthorReport, AuthorError>;
}

/// What an author is asked to do.
#[derive(Clone, Copy)]
pub struct AuthorJob<'a> {
    /// Everything it is told. Nothing is remembered from an earlier job.
    pub prompt: &'a str,
    /// A linked worktree: its `.git` is a file, and what that points to stays out of the author's reach.
    pub worktree: &'a Path,
    /// The whole of it may take this long.
    pub timeout: Duration,
    /// Told of what it is doing, in one clean line each time.
    pub progress: &'a (dyn Fn(&str) + Sync),
    /// Asked now and then whether anybody still waits for it. If not, it is ended at once.
    pub given_up: &'a (dyn Fn() -> bool + Sync),
}

/// What an author says it did. What it really did is in the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthorReport {
    /// In its own words, cleaned.
    pub summary: String,
    pub usage: Option<Usage>,
    /// What it wanted to use and was not allowed to.
    pub denied_tools: Vec<String>,
    /// What whoever reads about this job has to know: that the author could not be confined, say.
    pub remarks: Vec<String>,
}

/// Why there is no report. The worktree may have been changed all the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{author} did not finish: {reason}")]
pub struct AuthorError {
    pub author: String,
    /// A short stable word, as [`crate::review::Trouble::kind`].
    pub kind: String,
    pub reason: String,
}

impl AuthorError {
    /// Whether another try would end the same way: the author cannot be run at all.
    pub fn is_lasting(&self) -> bool {
        matches!(self.kind.as_str(), "cannot_run" | "not_installed" | "not_confined")
    }
}

impl std::fmt::Debug for AuthorJob<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorJob").field("worktree", &self.worktree).finish_non_exhaustive()
    }
}
