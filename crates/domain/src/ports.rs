//! What the engine needs from outside. Adapters implement these; nothing here does I/O.

mod activity_log;
mod assignment_store;
mod author;
mod branches;
mod docs;
mod effect_store;
mod epic_store;
mod port_error;
mod task_locks;
mod task_store;
mod tracker;
mod vcs;

use bytes::Bytes;

use crate::change::{Change, FileChange, RepoPath, Side};
use crate::config::Config;
use crate::review::{Evidence, Finding};
use crate::work::WorkOrder;

pub use activity_log::{ActivityLog, LogLevel, LogLine};
pub use assignment_store::{AssignmentError, AssignmentStore};
pub use author::{Author, AuthorError, AuthorJob, AuthorReport};
pub use branches::Branches;
pub use docs::DocsPort;
pub use effect_store::{Begun, Effect, EffectStore};
pub use epic_store::{EpicError, EpicHold, EpicStore};
pub use port_error::{Happened, PortError, PortErrorKind};
pub use task_locks::{Locked, NoLocks, TaskLocks};
pub use task_store::{Delivery, OutboxEntry, Pulse, Registered, StoreError, TaskStore};
pub use tracker::TrackerPort;
pub use vcs::VcsPort;

/// Reads whole files of either side of a change.
///
/// `Ok(None)` means the file does not exist on that side. Reading never changes anything, and two reads of
/// the same side give the same bytes while the change is committed.
pub trait Sources: Sync {
    fn read(&self, file: &FileChange, side: Side) -> Result<Option<Bytes>, SourceError>;

    /// Hands a whole file to `take` in pieces, in their order, however large it is. Returns whether there is such a file.
    /// `take` must not read through the same sources.
    fn stream(
        &self,
        file: &FileChange,
        side: Side,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, SourceError> {
        let content = self.read(file, side)?;
        content.iter().for_each(|content| take(content));
        Ok(content.is_some())
    }

    /// A file that the change need not touch, such as the policy at the base commit.
    fn read_path(&self, path: &RepoPath, side: Side) -> Result<Option<Bytes>, SourceError>;

    /// The files directly inside a folder of the base commit; none if there is no such folder.
    fn list_base(&self, folder: &RepoPath) -> Result<Vec<RepoPath>, SourceError>;

    /// The files inside a folder of the base commit and in the folders below it, upper ones first; the empty path is the
    /// root. A sample: no more than `most`, and what would take long to find is left out.
    fn list_base_below(&self, folder: &RepoPath, most: usize) -> Result<Vec<RepoPath>, SourceError> {
        let mut files = self.list_base(folder)?;
        files.truncate(most);
        Ok(files)
    }

    /// The messages of the commits of the change, the newest first. Empty where the change is no branch of commits.
    fn messages(&self) -> Result<String, SourceError> {
        Ok(String::new())
    }

    /// Whether a word stands anywhere in the newest release that the base contains. `None` where there is no release.
    fn is_released(&self, _word: &str) -> Result<Option<bool>, SourceError> {
        Ok(None)
    }
}

#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot read {path}: {reason}")]
pub struct SourceError {
    pub path: String,
    pub reason: String,
}

/// Everything a reviewer may know. Earlier rounds are not part of it: each review is fresh.
#[derive(Clone, Copy)]
pub struct ReviewRequest<'a> {
    pub change: &'a Change,
    pub sources: &'a dyn Sources,
    /// From the base commit.
    pub config: &'a Config,
    pub order: &'a WorkOrder,
    /// What has been proved already, by the built-in rules: evidence for reviewers that judge.
    pub known: &'a [Finding],
}

/// Turns a request into evidence. Blocking; whoever needs concurrency calls it on a thread of its own.
///
/// A reviewer that could not finish says so in `Evidence::troubles` and hands over what it has; `Err` is
/// for what makes any further review of this request pointless.
pub trait Reviewer: Sync {
    /// `rules`, or the name of a model or agent.
    fn name(&self) -> &str;

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError>;
}

#[derive(Debug, Clone, thiserror::Error)]
#[error("the {reviewer} reviewer failed: {reason}")]
pub struct ReviewerError {
    pub reviewer: String,
    pub reason: String,
}

impl std::fmt::Debug for ReviewRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReviewRequest").field("scope", &self.change.scope).finish_non_exhaustive()
    }
}
