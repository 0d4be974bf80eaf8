use std::collections::HashMap;
use std::sync::Arc;

use super::checks::{CheckRun, CommitStatus};
use super::pull::Pull;
use crate::forge::bare::Bare;
use crate::forge::diff::FileDiff;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::forge) enum Visibility {
    Public,
    Private,
}

#[derive(Debug)]
pub(in crate::forge) struct Repository {
    pub(in crate::forge) id: u64,
    /// `owner/name`, or with more levels as GitLab has them.
    pub(in crate::forge) path: String,
    pub(in crate::forge) visibility: Visibility,
    pub(in crate::forge) default_branch: String,
    /// The id of the repository it was forked from.
    pub(in crate::forge) parent: Option<u64>,
    pub(in crate::forge) pulls: Vec<Pull>,
    pub(in crate::forge) check_runs: Vec<CheckRun>,
    pub(in crate::forge) statuses: Vec<CommitStatus>,
    pub(in crate::forge) bare: Bare,
    pub(in crate::forge) created_at: u64,
    /// Diffs already made, by base and head commit.
    pub(in crate::forge) diffs: HashMap<(String, String), Arc<Vec<FileDiff>>>,
}

impl Repository {
    pub(in crate::forge) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(in crate::forge) fn owner(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(owner, _)| owner)
    }

    pub(in crate::forge) fn pull(&self, number: u64) -> Option<&Pull> {
        self.pulls.iter().find(|pull| pull.number == number)
    }

    pub(in crate::forge) fn pull_mut(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// The three-dot diff of a pull request: from the merge base to its head.
    pub(in crate::forge) fn diff_of(&mut self, number: u64) -> Arc<Vec<FileDiff>> {
        let Some(pull) = self.pull(number) else { return Arc::default() };
        let version = pull.version();
        let key = (version.base.clone(), version.head.clone());
        self.diff_between(key)
    }

    pub(in crate::forge) fn diff_between(&mut self, key: (String, String)) -> Arc<Vec<FileDiff>> {
        if let Some(known) = self.diffs.get(&key) {
            return Arc::clone(known);
        }
        let made = Arc::new(self.bare.diff(&key.0, &key.1));
        self.diffs.insert(key, Arc::clone(&made));
        made
    }
}
