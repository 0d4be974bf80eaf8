use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SkipReason;
use crate::change::{Change, RepoPath, Span};

/// Every file and hunk of a change and who saw it: the proof that nothing was passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    pub files: Vec<FileCoverage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileCoverage {
    pub path: RepoPath,
    /// Present if the file was left out on purpose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skipped: Option<SkipReason>,
    pub hunks: Vec<HunkCoverage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkCoverage {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// The review calls that saw it, by name.
    pub seen_by: Vec<String>,
}

impl Coverage {
    /// The list of what has to be seen: nothing of it has been, yet.
    pub fn plan(change: &Change) -> Coverage {
        let file = |file: &crate::change::FileChange| FileCoverage {
            path: file.path().clone(),
            skipped: SkipReason::of(file),
            hunks: file.hunks().iter().map(|hunk| HunkCoverage::unseen(hunk.old, hunk.new)).collect(),
        };
        Coverage { files: change.files.iter().map(file).collect() }
    }

    /// Hunks that had to be seen and were not, with their files.
    pub fn unseen(&self) -> impl Iterator<Item = (&RepoPath, &HunkCoverage)> {
        self.reviewed_files()
            .flat_map(|file| file.hunks.iter().map(move |hunk| (&file.path, hunk)))
            .filter(|(_, hunk)| hunk.seen_by.is_empty())
    }

    pub fn reviewed_files(&self) -> impl Iterator<Item = &FileCoverage> {
        self.files.iter().filter(|file| file.skipped.is_none())
    }

    pub fn skipped_files(&self) -> impl Iterator<Item = (&RepoPath, SkipReason)> {
        self.files.iter().filter_map(|file| file.skipped.map(|reason| (&file.path, reason)))
    }

    /// Seen and required hunks.
    pub fn counts(&self) -> (usize, usize) {
        let hunks = || self.reviewed_files().flat_map(|file| &file.hunks);
        (hunks().filter(|hunk| !hunk.seen_by.is_empty()).count(), hunks().count())
    }
}

impl FileCoverage {
    /// Notes that `reviewer` looked at the whole file.
    pub fn see(&mut self, reviewer: &str) {
        for hunk in &mut self.hunks {
            hunk.seen_by.push(reviewer.to_owned());
        }
    }
}

impl HunkCoverage {
    fn unseen(old: Span, new: Span) -> Self {
        HunkCoverage {
            old_start: old.start,
            old_lines: old.len,
            new_start: new.start,
            new_lines: new.len,
            seen_by: Vec::new(),
        }
    }
}
