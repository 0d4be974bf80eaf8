use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::RepoPath;
use crate::text::is_invisible;

/// A correction: exactly these lines of the new file become those.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Patch {
    pub path: RepoPath,
    pub start: u32,
    /// Without line feeds.
    pub old: Vec<String>,
    /// Without line feeds; empty to remove the lines.
    pub new: Vec<String>,
}

impl Patch {
    /// The last line that goes.
    pub fn end(&self) -> u32 {
        let more = u32::try_from(self.old.len()).unwrap_or(u32::MAX).saturating_sub(1);
        self.start.saturating_add(more)
    }

    /// Whether people see all there is to it: nothing invisible, and no end of a line in the middle.
    pub fn is_plain(&self) -> bool {
        let hidden = |c: char| is_invisible(c) || (c.is_control() && c != '\t');
        !self.new.iter().chain(&self.old).any(|line| line.chars().any(hidden))
    }

    /// The longest run of backticks in what it shows, which a fence around it has to be longer than.
    pub fn longest_run(&self) -> usize {
        let runs = self.new.iter().chain(&self.old).flat_map(|line| line.split(|c| c != '`'));
        runs.map(str::len).max().unwrap_or(0)
    }
}
