//! What the loop has to know of branches, and how it moves one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use domain::change::{Oid, RepoPath, Scope, Target};

use crate::error::GitError;
use crate::program::Call;
use crate::repository::Repository;
use crate::workshop::full_name;

/// Who has a branch checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    Nowhere,
    /// In the working tree this repository was found by.
    Here(PathBuf),
    Elsewhere(PathBuf),
}

/// Before each attempt to move a branch. Whoever holds a lock for longer does not mean to give it back.
const PAUSES: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(400), Duration::from_millis(1600)];

impl Repository {
    /// The local branch that is checked out here.
    pub fn current_branch(&self) -> Result<String, GitError> {
        match self.refs()?.current() {
            Some(branch) => Ok(branch.short().to_owned()),
            None if self.commit("HEAD")?.is_some() => Err(GitError::Detached),
            None => Err(GitError::UnbornBranch),
        }
    }

    /// Where a local branch is.
    pub fn branch_tip(&self, branch: &str) -> Result<Oid, GitError> {
        match self.commit(&full_name(branch))? {
            Some(commit) => Ok(commit.oid),
            None => Err(GitError::NoBranch { name: branch.to_owned(), near: self.names_near(branch)? }),
        }
    }

    /// What `base` means for a branch that is to go there: `origin/main` where there is one, else `main` itself.
    pub fn base_of(&self, base: &str) -> Result<(String, Oid), GitError> {
        let remote = format!("refs/remotes/origin/{base}");
        if let Ok(Some(commit)) = self.commit(&remote) {
            return Ok((format!("origin/{base}"), commit.oid));
        }
        Ok((base.to_owned(), self.named_commit(base)?.oid))
    }

    /// Every local branch and where it is.
    pub fn branches(&self) -> Result<BTreeMap<String, Oid>, GitError> {
        let all = self.refs()?.all.into_iter();
        let local = all.filter_map(|entry| {
            Some((entry.name.strip_prefix("refs/heads/")?.to_owned(), entry.oid.clone()))
        });
        Ok(local.collect())
    }

    pub fn held(&self, branch: &str) -> Result<Held, GitError> {
        let full = full_name(branch);
        let here = self.work_tree().and_then(|tree| tree.canonicalize().ok());
        let trees = self.worktrees()?;
        let holders = trees.into_iter().filter(|tree| tree.branch.as_deref() == Some(full.as_str()));
        let mut held = Held::Nowhere;
        for tree in holders {
            let path = tree.path.canonicalize().unwrap_or(tree.path);
            match Some(&path) == here.as_ref() {
                true if held == Held::Nowhere => held = Held::Here(path),
                true => {}
                false => held = Held::Elsewhere(path),
            }
        }
        Ok(held)
    }

    /// Files that are staged, modified or untracked and not ignored.
    pub fn uncommitted(&self) -> Result<Vec<RepoPath>, GitError> {
        self.require_work_tree("uncommitted")?;
        let call = Call::new(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"])
            .args(["--ignore-submodules=dirty"])
            .config(&self.silenced_filters()?);
        let printed = self.program.output(&call)?;
        let paths = printed.split(|byte| *byte == 0).filter_map(|entry| entry.get(3..));
        Ok(paths.map(|path| RepoPath::from_bytes(path.to_vec())).collect())
    }

    /// Whether `older` is `newer` or an ancestor of it.
    pub fn is_ancestor(&self, older: &Oid, newer: &Oid) -> Result<bool, GitError> {
        Ok(self.merge_base(older, newer)?.as_ref() == Some(older))
    }

    /// Whether the repository holds this commit.
    pub fn has_commit(&self, oid: &Oid) -> Result<bool, GitError> {
        Ok(self.commit(oid.as_str())?.is_some())
    }

    /// What one commit changes with regard to another.
    pub fn between(&self, from: &Oid, to: &Oid) -> Scope {
        Scope {
            base: Some(from.clone()),
            base_name: from.short().to_owned(),
            head: Target::Commit(to.clone()),
            head_name: to.short().to_owned(),
            notes: Vec::new(),
        }
    }

    /// The differences of two commits as text, for people.
    pub fn patch(&self, from: &Oid, to: &Oid) -> Result<String, GitError> {
        let options = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "-M", "-U3"];
        let call = Call::new(["diff-tree", "-r", "-p"])
            .args(options)
            .args(["--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"])
            .args([from.as_str(), to.as_str(), "--"]);
        Ok(String::from_utf8_lossy(&self.program.output(&call)?).into_owned())
    }

    /// Moves a branch forward from `from` to `to`, which comes after it. Done already, it does nothing.
    ///
    /// Checked out here, the files are brought along, as a fast-forward does: refused, with nothing changed, if an
    /// uncommitted change is in the way. Checked out elsewhere, it is left alone.
    pub fn advance(&self, branch: &str, from: &Oid, to: &Oid) -> Result<(), GitError> {
        let now = self.branch_tip(branch)?;
        if now == *to {
            return Ok(());
        }
        if now != *from {
            return Err(GitError::BranchMoved(branch.to_owned()));
        }
        match self.held(branch)? {
            Held::Nowhere => self.move_ref(branch, from, to),
            Held::Here(at) => self.fast_forward(branch, at, to),
            Held::Elsewhere(at) => Err(GitError::BranchInUse { branch: branch.to_owned(), at }),
        }
    }

    /// Makes a branch that is gone again.
    pub fn restore_branch(&self, branch: &str, at: &Oid) -> Result<(), GitError> {
        let none = "0".repeat(at.as_str().len());
        self.update_ref(branch, at.as_str(), &none)
    }

    /// Moves a branch that is at `from` back to where it was, and nobody's files.
    pub fn put_back(&self, branch: &str, from: &Oid, to: &Oid) -> Result<(), GitError> {
        self.move_ref(branch, from, to)
    }

    /// Whether two commits parted from a third at the same place.
    pub fn part_alike(&self, one: &Oid, other: &Oid, from: &Oid) -> Result<bool, GitError> {
        Ok(self.merge_base(one, from)? == self.merge_base(other, from)?)
    }

    fn move_ref(&self, branch: &str, from: &Oid, to: &Oid) -> Result<(), GitError> {
        self.update_ref(branch, to.as_str(), from.as_str())
    }

    fn update_ref(&self, branch: &str, to: &str, from: &str) -> Result<(), GitError> {
        let name = full_name(branch);
        for pause in PAUSES {
            std::thread::sleep(pause);
            let call = Call::new(["update-ref", "-m", "countersign: work of an agent"]);
            if self.program.run(&call.args([name.as_str(), to, from]))?.code == Some(0) {
                return Ok(());
            }
            // Where it is as it was, somebody had it locked: git itself does while it packs branches.
            let now = self.commit(&name)?.map_or_else(|| "0".repeat(to.len()), |tip| tip.oid.to_string());
            if now != from {
                break;
            }
        }
        Err(GitError::BranchMoved(branch.to_owned()))
    }

    fn fast_forward(&self, branch: &str, at: PathBuf, to: &Oid) -> Result<(), GitError> {
        let call = Call::new(["merge", "--ff-only", "--quiet", "--no-autostash", "--no-verify-signatures"])
            .args([to.as_str()])
            .config(&self.silenced_filters()?);
        let ran = self.program.in_dir(&at).run(&call)?;
        match ran.code {
            Some(0) => Ok(()),
            _ => {
                let files = crate::text::listed(&ran.stderr);
                let complaint = crate::text::complaint(&ran.stderr);
                let reason = match files.is_empty() {
                    true => complaint,
                    false => format!("{complaint} {}", crate::text::first_few(&files)),
                };
                Err(GitError::CheckoutInTheWay { branch: branch.to_owned(), at, reason })
            }
        }
    }
}
