//! Bringing two commits together without touching anybody's checkout, and moving branches to the result.

use std::path::PathBuf;

use domain::change::{Oid, RepoPath};

use crate::error::GitError;
use crate::program::Call;
use crate::repository::Repository;
use crate::version::Version;
use crate::workshop::{full_name, identity, one_oid};

/// Since then git merges trees without a working tree.
const MERGES_TREES: Version = Version { major: 2, minor: 38, patch: 0 };

/// What two commits came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// A commit with both as parents. No branch points to it.
    Commit(Oid),
    /// The one already holds the other.
    AlreadyIn,
    Conflict(Conflict),
}

/// Both sides changed the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub files: Vec<RepoPath>,
    /// The merged tree, with conflict markers where people have to decide.
    tree: Oid,
}

impl Repository {
    /// Merges `theirs` into `ours` as a commit that no branch points to.
    ///
    /// Merge drivers that the repository or its user configured are not run: what needs one is a conflict.
    pub fn merge(&self, ours: &Oid, theirs: &Oid, message: &str) -> Result<Merged, GitError> {
        if self.is_ancestor(theirs, ours)? {
            return Ok(Merged::AlreadyIn);
        }
        match self.merged_tree(ours, theirs)? {
            Ok(tree) => Ok(Merged::Commit(self.committed(&tree, &[ours, theirs], message)?)),
            Err(conflict) => Ok(Merged::Conflict(conflict)),
        }
    }

    /// The work of `theirs` on top of `onto`, as one commit that no branch points to; with conflict markers in it
    /// where both sides changed the same.
    pub fn put_on_top(
        &self,
        onto: &Oid,
        theirs: &Oid,
        message: &str,
    ) -> Result<(Oid, Vec<RepoPath>), GitError> {
        let (tree, files) = match self.merged_tree(onto, theirs)? {
            Ok(tree) => (tree, Vec::new()),
            Err(Conflict { files, tree }) => (tree, files),
        };
        Ok((self.committed(&tree, &[onto], message)?, files))
    }

    /// The files of `commit` as one commit after `parent`, whatever lies between.
    pub fn squashed(&self, commit: &Oid, parent: &Oid, message: &str) -> Result<Oid, GitError> {
        let tree = one_oid(
            &self.program,
            &Call::new(["rev-parse", "--verify", format!("{commit}^{{tree}}").as_str()]),
        )?;
        self.committed(&tree, &[parent], message)
    }

    /// Makes a branch at `at`. Done already, it does nothing; somebody else's branch is left alone.
    pub fn make_branch(&self, branch: &str, at: &Oid) -> Result<(), GitError> {
        let call = Call::new(["check-ref-format", full_name(branch).as_str()]);
        if self.program.run(&call)?.code != Some(0) {
            return Err(GitError::BadRevision {
                name: branch.to_owned(),
                reason: "it is no name for a branch",
            });
        }
        match self.commit(&full_name(branch))? {
            Some(tip) if tip.oid == *at => Ok(()),
            Some(_) => Err(GitError::BranchMoved(branch.to_owned())),
            None => self.restore_branch(branch, at),
        }
    }

    /// Moves a branch that is at `from` to any other commit. Done already, it does nothing. Refused where the
    /// branch is checked out: its files would then look changed.
    pub fn reset_branch(&self, branch: &str, from: &Oid, to: &Oid) -> Result<(), GitError> {
        let now = self.branch_tip(branch)?;
        if now == *to {
            return Ok(());
        }
        self.refuse_if_checked_out(branch)?;
        self.put_back(branch, from, to)
    }

    /// Removes a branch that is at `from`.
    pub fn remove_branch(&self, branch: &str, from: &Oid) -> Result<(), GitError> {
        self.refuse_if_checked_out(branch)?;
        let call = Call::new(["update-ref", "-d"]).args([full_name(branch).as_str(), from.as_str()]);
        match self.program.run(&call)?.code {
            Some(0) => Ok(()),
            _ => Err(GitError::BranchMoved(branch.to_owned())),
        }
    }

    /// Where a local branch is, if there is one.
    pub fn find_branch(&self, branch: &str) -> Result<Option<Oid>, GitError> {
        Ok(self.commit(&full_name(branch))?.map(|commit| commit.oid))
    }

    /// The commit that a person's word for a branch, tag or commit stands for.
    pub fn commit_of(&self, name: &str) -> Result<Oid, GitError> {
        Ok(self.named_commit(name)?.oid)
    }

    /// A path as the repository names it, if it lies in the working tree.
    pub fn path_inside(&self, path: &std::path::Path) -> Option<RepoPath> {
        let tree = self.work_tree()?;
        let real = |path: &std::path::Path| path.canonicalize().ok();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let whole: PathBuf = real(folder.unwrap_or(std::path::Path::new(".")))?.join(path.file_name()?);
        let inside = whole.strip_prefix(real(tree)?).ok()?;
        Some(RepoPath::from_bytes(inside.as_os_str().as_encoded_bytes().to_vec()))
    }

    pub(crate) fn merged_tree(&self, ours: &Oid, theirs: &Oid) -> Result<Result<Oid, Conflict>, GitError> {
        if self.version()? < MERGES_TREES {
            let detail = format!("git {MERGES_TREES} or later is needed to merge");
            return Err(GitError::Failed { command: "merge-tree".into(), detail });
        }
        let call = Call::new(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"])
            .args([ours.as_str(), theirs.as_str()])
            .config(&self.silenced_drivers()?);
        let ran = self.program.run(&call)?;
        if !matches!(ran.code, Some(0 | 1)) {
            return Err(ran.into_error(&self.program.dir));
        }
        let mut records = ran.stdout.split(|byte| *byte == 0);
        let first = String::from_utf8_lossy(records.next().unwrap_or_default()).into_owned();
        let tree = Oid::parse(first.trim()).ok_or_else(|| GitError::Unexpected {
            command: "merge-tree".into(),
            detail: crate::text::complaint(&ran.stdout),
        })?;
        let mut files: Vec<RepoPath> = records
            .filter(|record| !record.is_empty())
            .map(|path| RepoPath::from_bytes(path.to_vec()))
            .collect();
        files.dedup();
        Ok(if ran.code == Some(0) { Ok(tree) } else { Err(Conflict { files, tree }) })
    }

    /// A driver that always fails, in the place of each that is configured.
    fn silenced_drivers(&self) -> Result<Vec<(String, String)>, GitError> {
        let call = Call::new(["config", "-z", "--name-only", "--get-regexp", r"^merge\..*\.driver$"]);
        let keys = self.program.run(&call)?.stdout;
        let keys = String::from_utf8_lossy(&keys).into_owned();
        Ok(keys
            .split('\0')
            .filter(|key| !key.is_empty())
            .map(|key| (key.to_owned(), "false".into()))
            .collect())
    }

    fn committed(&self, tree: &Oid, parents: &[&Oid], message: &str) -> Result<Oid, GitError> {
        let parents = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let call = Call::new(["commit-tree", tree.as_str()])
            .args(parents)
            .args(["-F", "-"])
            .input(message.as_bytes().to_vec())
            .config(&identity(&self.program)?);
        one_oid(&self.program, &call)
    }
}
