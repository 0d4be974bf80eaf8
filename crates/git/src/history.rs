//! What a branch holds.

use domain::change::Oid;

use crate::error::GitError;
use crate::program::Call;
use crate::repository::Repository;

/// A commit, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub oid: Oid,
    pub tree: Oid,
    pub parents: Vec<Oid>,
    /// As whoever made it wrote it: not cleaned.
    pub subject: String,
}

impl Repository {
    /// What is in `tip` and in none of `without`, the newest first and no more than `most`.
    pub fn commits(&self, tip: &Oid, without: &[Oid], most: usize) -> Result<Vec<Listed>, GitError> {
        let call = Call::new(["log", "--no-color", "--no-decorate", "--no-show-signature", "--no-notes"])
            .args(["--format=tformat:%H %T %P%x09%s", format!("--max-count={most}").as_str(), tip.as_str()])
            .args(without.iter().map(|oid| format!("^{oid}")))
            .args(["--"]);
        let printed = self.program.output(&call)?;
        let lines = String::from_utf8_lossy(&printed).into_owned();
        Ok(lines.lines().filter_map(read).collect())
    }

    /// Whether it brings two commits together as git does by itself, and adds nothing of its own.
    pub fn is_plain_merge(&self, commit: &Listed) -> Result<bool, GitError> {
        let [ours, theirs] = commit.parents.as_slice() else { return Ok(false) };
        Ok(self.merged_tree(ours, theirs)?.is_ok_and(|merged| merged == commit.tree))
    }
}

fn read(line: &str) -> Option<Listed> {
    let (commits, subject) = line.split_once('\t')?;
    let mut commits = commits.split_ascii_whitespace().map(Oid::parse);
    let (oid, tree) = (commits.next()??, commits.next()??);
    Some(Listed { oid, tree, parents: commits.collect::<Option<_>>()?, subject: subject.to_owned() })
}
