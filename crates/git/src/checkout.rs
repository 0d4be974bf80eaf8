//! A place where somebody may work on a commit, and from which the work is taken without moving any branch.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::change::{Oid, RepoPath};

use crate::error::GitError;
use crate::program::{Call, Program};
use crate::repository::Repository;
use crate::workshop::{identity, one_oid, tree_of};

/// Whoever was at work there may need a moment to be gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// A linked worktree at a commit, detached. It goes away with this value.
#[derive(Debug)]
pub struct Checkout<'a> {
    repository: &'a Repository,
    program: Program,
    folder: PathBuf,
    start: Oid,
}

/// What was left in a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// A commit on top of the one it began with. No branch points to it.
    Commit(Oid),
    /// All files are as they were.
    Nothing,
}

/// What whoever worked in a checkout made of its HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TheirHead {
    Untouched,
    /// Commits of their own, on top of the start.
    Ahead,
    /// Something that does not come after the start.
    Rewritten,
}

impl Repository {
    /// A worktree of `commit` in `folder`. What is there is removed first.
    pub fn checkout(&self, commit: &Oid, folder: &Path) -> Result<Checkout<'_>, GitError> {
        self.clear_checkout(folder)?;
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
        }
        let add = Call::new(["worktree", "add", "--quiet", "--detach"])
            .args([folder.as_os_str(), OsStr::new(commit.as_str())])
            .config(&self.silenced_filters()?);
        self.program.output(&add)?;
        let program = self.program.in_dir(folder);
        Ok(Checkout { repository: self, program, folder: folder.to_owned(), start: commit.clone() })
    }

    /// Removes a checkout that a process which died has left, if there is one. `folder` is nobody else's.
    pub fn clear_checkout(&self, folder: &Path) -> Result<(), GitError> {
        let started = Instant::now();
        loop {
            match fs::remove_dir_all(folder) {
                Ok(()) => break,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
                Err(error) if started.elapsed() > PATIENCE => return Err(unwritable(folder, &error)),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
        let lost = |path: &Path| path == folder || same_place(path, folder);
        for tree in self.worktrees()?.into_iter().filter(|tree| lost(&tree.path)) {
            let call = Call::new(["worktree", "remove", "--force", "--force"]).args([tree.path.as_os_str()]);
            self.program.run(&call)?;
        }
        Ok(())
    }
}

/// The folder is gone, so only its parent can be looked at.
fn same_place(path: &Path, folder: &Path) -> bool {
    let parent = |path: &Path| path.parent().and_then(|parent| parent.canonicalize().ok());
    path.file_name() == folder.file_name() && parent(path).is_some_and(|one| Some(one) == parent(folder))
}

fn unwritable(path: &Path, error: &std::io::Error) -> GitError {
    GitError::Unwritable { path: path.to_owned(), reason: error.to_string() }
}

impl Checkout<'_> {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn start(&self) -> &Oid {
        &self.start
    }

    /// Takes everything that is not ignored as one commit on top of the start, whatever its author committed there.
    pub fn take(&self, message: &str) -> Result<Left, GitError> {
        let filters = self.repository.silenced_filters()?;
        let tree = tree_of(&self.program, &self.folder, &filters)?;
        let before = format!("{}^{{tree}}", self.start);
        if tree == one_oid(&self.repository.program, &Call::new(["rev-parse", "--verify", before.as_str()]))?
        {
            return Ok(Left::Nothing);
        }
        let commit = Call::new(["commit-tree", tree.as_str(), "-p", self.start.as_str(), "-F", "-"])
            .input(message.as_bytes().to_vec())
            .config(&identity(&self.program)?);
        Ok(Left::Commit(one_oid(&self.program, &commit)?))
    }

    /// Undoes whatever was done to files other than these, files that are new included.
    pub fn keep_only(&self, kept: &BTreeSet<RepoPath>) -> Result<(), GitError> {
        let filters = self.repository.silenced_filters()?;
        tree_of(&self.program, &self.folder, &filters)?;
        let call = Call::new(["diff-index", "--cached", "--name-only", "--no-renames", "-z", "-r"]);
        let printed = self.program.output(&call.args([self.start.as_str(), "--"]))?;
        let others: Vec<&[u8]> = printed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty() && !kept.contains(&RepoPath::from_bytes(path.to_vec())))
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let mut input = others.join(&0);
        input.push(0);
        // In the index first: what is not in the start is then unknown, and can be cleaned away.
        let paths = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let literal = Call::new(["--literal-pathspecs", "restore", "--staged", "--worktree"]);
        let source = format!("--source={}", self.start);
        let call = literal.args([source.as_str()]).args(paths).input(input).config(&filters);
        self.program.output(&call).map(drop)
    }

    pub fn their_head(&self) -> Result<TheirHead, GitError> {
        let head = one_oid(&self.program, &Call::new(["rev-parse", "--verify", "HEAD^{commit}"]))?;
        Ok(match head == self.start {
            true => TheirHead::Untouched,
            false if self.repository.is_ancestor(&self.start, &head)? => TheirHead::Ahead,
            false => TheirHead::Rewritten,
        })
    }
}

impl Drop for Checkout<'_> {
    /// As far as it can be done; [`Repository::clear_checkout`] removes what is left.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        let call = Call::new(["worktree", "remove", "--force", "--force"]).args([self.folder.as_os_str()]);
        let _ = self.repository.program.run(&call);
    }
}
