//! A place where somebody may change a branch without touching anybody's checkout.
//!
//! This is the one part of the crate that writes to a repository: the administration of a linked worktree, the
//! objects of one commit, and one branch. Hooks and filters are not run here either, and nothing is pushed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use domain::change::Oid;

use crate::disk::os_path;
use crate::error::GitError;
use crate::program::{Call, Program};
use crate::repository::Repository;

/// Who commits where git knows nobody.
pub(crate) const NOBODY: [(&str, &str); 2] =
    [("user.name", "Countersign"), ("user.email", "countersign@localhost")];
/// Deeper than any sensible tree.
const DEEPEST: usize = 200;

/// A linked worktree at the tip of a branch, detached from it. It goes away with this value; what was not committed
/// is lost with it.
#[derive(Debug)]
pub struct Workshop<'a> {
    repository: &'a Repository,
    program: Program,
    folder: PathBuf,
    branch: String,
    /// Where the branch was; nothing if it is to be made.
    before: Option<Oid>,
    start: Oid,
    /// Held for as long as somebody works here. The kernel takes it back from whoever dies.
    _lock: File,
}

/// What became of the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// The branch is there now.
    At(Oid),
    /// All files are as they were, and so is the branch.
    NothingChanged,
}

impl Repository {
    /// A worktree of the local branch `branch` in `folder`, which does not exist yet. A branch that does not exist
    /// either begins at `base`.
    ///
    /// Refused if the branch is checked out anywhere: moving it would leave that checkout with changes nobody made.
    pub fn workshop<'a>(
        &'a self,
        branch: &str,
        base: Option<&str>,
        folder: &Path,
    ) -> Result<Workshop<'a>, GitError> {
        let full = full_name(branch);
        let bad = |reason| GitError::BadRevision { name: branch.to_owned(), reason };
        if self.program.run(&Call::new(["check-ref-format", &full]))?.code != Some(0) {
            return Err(bad("it is no name for a branch"));
        }
        self.forget_lost_workshops(folder.parent().unwrap_or(folder))?;
        self.refuse_if_checked_out(branch)?;
        let before = self.commit(&full)?.map(|commit| commit.oid);
        let start = match (&before, base) {
            (Some(tip), _) => tip.clone(),
            (None, Some(base)) => self.named_commit(base)?.oid,
            (None, None) => self.named_commit(&full)?.oid,
        };
        let lock = lock(folder)?;
        let add = Call::new(["worktree", "add", "--quiet", "--detach"])
            .args([folder.as_os_str(), OsStr::new(start.as_str())])
            .config(&self.silenced_filters()?);
        self.program.output(&add)?;
        let program = self.program.in_dir(folder);
        let (folder, branch) = (folder.to_owned(), branch.to_owned());
        Ok(Workshop { repository: self, program, folder, branch, before, start, _lock: lock })
    }

    pub(crate) fn refuse_if_checked_out(&self, branch: &str) -> Result<(), GitError> {
        let full = full_name(branch);
        match self.worktrees()?.into_iter().find(|tree| tree.branch.as_deref() == Some(full.as_str())) {
            Some(tree) => Err(GitError::BranchInUse { branch: branch.to_owned(), at: tree.path }),
            None => Ok(()),
        }
    }

    /// Of workshops whose process died: those whose directory is gone, since somebody tidied up, and those that are there
    /// and that nobody holds. A worktree without a lock of ours beside it is somebody else's, and is left alone.
    pub(crate) fn forget_lost_workshops(&self, root: &Path) -> Result<(), GitError> {
        let parent = root.parent().unwrap_or(root);
        for tree in self.worktrees()?.into_iter().filter(|tree| tree.path.starts_with(parent)) {
            // Held until the end of this turn, so that of several who tidy up one does.
            let lock = abandoned(&tree.path);
            let (here, has_lock) = (tree.path.exists(), lock_of(&tree.path).exists());
            if lock.is_none() && (here || has_lock) {
                continue;
            }
            // What cannot be removed yet, since the last of a dead agent is still about, is left for the next time.
            if here && fs::remove_dir_all(&tree.path).is_err() {
                continue;
            }
            // Git itself locks a worktree while it makes it, and may have been killed at that.
            let force = if lock.is_some() { ["--force", "--force"] } else { ["--force", "--"] };
            let call = Call::new(["worktree", "remove"]).args(force).args([tree.path.as_os_str()]);
            self.program.run(&call)?;
            if lock.is_some() {
                let _ = fs::remove_file(lock_of(&tree.path));
            }
        }
        Ok(())
    }

    pub(crate) fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let printed = self.program.output(&Call::new(["worktree", "list", "--porcelain"]))?;
        let mut trees: Vec<Worktree> = Vec::new();
        for line in printed.split(|byte| *byte == b'\n') {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                trees.push(Worktree { path: PathBuf::from(os_path(path).into_owned()), branch: None });
            } else if let (Some(branch), Some(tree)) = (line.strip_prefix(b"branch "), trees.last_mut()) {
                tree.branch = Some(String::from_utf8_lossy(branch).into_owned());
            }
        }
        Ok(trees)
    }
}

pub(crate) struct Worktree {
    pub(crate) path: PathBuf,
    pub(crate) branch: Option<String>,
}

impl Workshop<'_> {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The commit it began with.
    pub fn start(&self) -> &Oid {
        &self.start
    }

    /// Commits everything that is not ignored, and moves the branch there, if it is where it was and still checked out
    /// nowhere.
    pub fn commit(&self, message: &str) -> Result<Committed, GitError> {
        let filters = self.repository.silenced_filters()?;
        let tree = tree_of(&self.program, &self.folder, &filters)?;
        if tree == one_oid(&self.program, &Call::new(["rev-parse", "--verify", "HEAD^{tree}"]))? {
            return Ok(Committed::NothingChanged);
        }
        let commit = Call::new(["commit-tree", tree.as_str(), "-p", self.start.as_str(), "-F", "-"])
            .input(message.as_bytes().to_vec())
            .config(&identity(&self.program)?);
        let commit = one_oid(&self.program, &commit)?;
        self.repository.refuse_if_checked_out(&self.branch)?;
        self.move_branch(&commit)?;
        Ok(Committed::At(commit))
    }

    fn move_branch(&self, to: &Oid) -> Result<(), GitError> {
        let none = "0".repeat(to.as_str().len());
        let before = self.before.as_ref().map_or(none.as_str(), Oid::as_str);
        let call = Call::new(["update-ref", "-m", "countersign: work of an agent"]).args([
            full_name(&self.branch).as_str(),
            to.as_str(),
            before,
        ]);
        match self.program.run(&call)?.code {
            Some(0) => Ok(()),
            _ => Err(GitError::BranchMoved(self.branch.clone())),
        }
    }
}

/// Nothing where git is configured to know who commits.
pub(crate) fn identity(program: &Program) -> Result<Vec<(String, String)>, GitError> {
    for (key, _) in NOBODY {
        let value = program.run(&Call::new(["config", "--get", key]))?.stdout;
        if value.trim_ascii().is_empty() {
            return Ok(NOBODY.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec());
        }
    }
    Ok(Vec::new())
}

pub(crate) fn one_oid(program: &Program, call: &Call) -> Result<Oid, GitError> {
    let printed = program.output(call)?;
    let text = String::from_utf8_lossy(&printed);
    Oid::parse(text.trim()).ok_or_else(|| GitError::Unexpected {
        command: "plumbing".into(),
        detail: crate::text::complaint(&printed),
    })
}

/// The tree of everything in `folder` that is not ignored.
pub(crate) fn tree_of(
    program: &Program,
    folder: &Path,
    filters: &[(String, String)],
) -> Result<Oid, GitError> {
    if let Some(nested) = nested_repository(folder, 0) {
        return Err(GitError::NestedRepository(nested));
    }
    program.output(&Call::new(["add", "--all", "--", "."]).config(filters))?;
    // Whoever writes the index looks at files again that were changed within the same tick.
    one_oid(program, &Call::new(["write-tree"]).config(filters))
}

impl Drop for Workshop<'_> {
    /// As far as it can be done; [`Repository::workshop`] forgets what is left.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        let call = Call::new(["worktree", "remove", "--force"]).args([self.folder.as_os_str()]);
        let _ = self.repository.program.run(&call);
        let _ = fs::remove_file(lock_of(&self.folder));
    }
}

/// Beside the worktree, where whoever works in it has no business.
fn lock_of(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    folder.with_file_name(name)
}

/// Says that somebody works in `folder`, from before it is there.
fn lock(folder: &Path) -> Result<File, GitError> {
    let path = lock_of(folder);
    let unwritable = |reason: String| GitError::Unwritable { path: path.clone(), reason };
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(error.to_string()))?;
    }
    let file = File::create(&path).map_err(|error| unwritable(error.to_string()))?;
    file.try_lock().map_err(|error| unwritable(error.to_string()))?;
    Ok(file)
}

/// The lock of a workshop that nobody holds any more, which is ours from then on.
fn abandoned(folder: &Path) -> Option<File> {
    let file = File::open(lock_of(folder)).ok()?;
    file.try_lock().ok().map(|()| file)
}

pub(crate) fn full_name(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// A repository that was put into the worktree. Git would go into it and obey its settings.
pub(crate) fn nested_repository(folder: &Path, depth: usize) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let is_git = entry.file_name().to_str().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        if is_git && depth > 0 {
            return Some(entry.path());
        }
        if !is_git && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let nested = match depth < DEEPEST {
                true => nested_repository(&entry.path(), depth + 1),
                false => Some(entry.path()),
            };
            if nested.is_some() {
                return nested;
            }
        }
    }
    None
}
