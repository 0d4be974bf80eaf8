use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SkipReason;
use crate::change::{Change, RepoPath, Span};

/// What the built-in rules are called among those who saw something.
pub const RULES: &str = "rules";

/// What a linter, or whoever left a report, is called among them.
pub fn tool_seen(name: &str) -> String {
    format!("{TOOL}{name}")
}

const TOOL: &str = "tool:";

/// The name of the program, if it was one.
pub fn tool_of(seen_by: &str) -> Option<&str> {
    seen_by.strip_prefix(TOOL)
}

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
    /// Who saw it, by name: the calls of a model or an agent, `rules`, and programs as `tool:NAME`.
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

    /// Adds who else looked, at what counts as seen: what nobody here has seen stays unseen, whoever else looked.
    pub fn also_seen_in(&mut self, other: &Coverage) {
        let files: HashMap<&RepoPath, &FileCoverage> =
            other.files.iter().map(|file| (&file.path, file)).collect();
        for file in &mut self.files {
            let Some(other) = files.get(&file.path) else { continue };
            for (hunk, other) in file.hunks.iter_mut().zip(&other.hunks) {
                if !hunk.seen_by.is_empty() && hunk.span() == other.span() {
                    hunk.seen_by.extend(other.seen_by.iter().cloned());
                }
            }
        }
    }

    /// As [`Coverage::also_seen_in`], of somebody who looked at everything.
    pub fn also_seen_by(&mut self, name: &str) {
        let hunks = self.files.iter_mut().flat_map(|file| &mut file.hunks);
        hunks.filter(|hunk| !hunk.seen_by.is_empty()).for_each(|hunk| hunk.seen_by.push(name.to_owned()));
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
    /// Where it is on either side.
    pub fn span(&self) -> (u32, u32, u32, u32) {
        (self.old_start, self.old_lines, self.new_start, self.new_lines)
    }

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
