//! What changed between two states of a repository, as git shows it.

mod file;
mod hunk;
mod path;
mod scope;

pub use file::{Attributes, Content, FileChange, FileSide, Mode, Status};
pub use hunk::{Hunk, Line, LineKind, Lines, Span};
pub use path::{BadPath, RepoPath};
pub use scope::{Change, Oid, Scope, Target};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which side of a diff a line number belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Old,
    New,
}
