use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::environment::Environment;
use crate::error::GitError;
use crate::objects::Objects;
use crate::program::{Call, Program};
use crate::version::Version;

/// A repository as found on disk. Holding one holds nothing open but, once it was needed, a
/// `git cat-file` process, which ends with the last user of it.
#[derive(Debug)]
pub struct Repository {
    pub(crate) program: Program,
    pub(crate) objects: Arc<Objects>,
    pub(crate) place: Place,
}

#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) git_dir: PathBuf,
    pub(crate) common_dir: PathBuf,
    pub(crate) work_tree: Option<PathBuf>,
    pub(crate) prefix: PathBuf,
    pub(crate) history: History,
    pub(crate) format: ObjectFormat,
    pub(crate) attributes: AttributeSource,
    pub(crate) local_attributes: LocalAttributes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum History {
    Complete,
    Shallow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectFormat {
    Sha1,
    Sha256,
}

/// Whether this git can be told where to read `.gitattributes` from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttributeSource {
    Choosable,
    WhateverIsCheckedOut,
}

/// Whether `.git/info/attributes` says anything. Git puts it above every other source and cannot be told
/// to leave it out, and whoever made the change may have written it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalAttributes {
    None,
    Present,
}

impl ObjectFormat {
    /// Known to git without being stored anywhere.
    pub(crate) fn empty_tree(self) -> &'static str {
        match self {
            ObjectFormat::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            ObjectFormat::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }
}

impl Repository {
    /// The repository around `path`, with the environment of this process.
    pub fn discover(path: &Path) -> Result<Repository, GitError> {
        Repository::discover_in(path, &Environment::of_this_process())
    }

    /// The repository around `path`, with no more of an environment than given.
    pub fn discover_in(path: &Path, environment: &Environment) -> Result<Repository, GitError> {
        let (program, place) = crate::discover::discover(path, environment)?;
        let objects = Arc::new(Objects::new(program.clone()));
        Ok(Repository { program, objects, place })
    }

    /// Where this repository keeps its own state; for a linked worktree, that worktree's part of it.
    pub fn git_dir(&self) -> &Path {
        &self.place.git_dir
    }

    /// Where this repository and its linked worktrees keep what they share.
    pub fn common_dir(&self) -> &Path {
        &self.place.common_dir
    }

    /// `None` for a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.place.work_tree.as_deref()
    }

    pub fn is_bare(&self) -> bool {
        self.place.work_tree.is_none()
    }

    pub fn is_shallow(&self) -> bool {
        self.place.history == History::Shallow
    }

    /// Where in the working tree the discovery began, relative to its root.
    pub fn prefix(&self) -> &Path {
        &self.place.prefix
    }

    pub fn version(&self) -> Result<Version, GitError> {
        crate::discover::version(&self.program)
    }

    /// Whether anything is staged, modified or untracked and not ignored.
    pub fn has_uncommitted_changes(&self) -> Result<bool, GitError> {
        self.require_work_tree("uncommitted")?;
        let call = Call::new(["status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames"])
            .args(["--ignore-submodules=dirty"])
            .config(&self.silenced_filters()?);
        Ok(!self.program.output(&call)?.is_empty())
    }

    pub(crate) fn require_work_tree(&self, wanted: &'static str) -> Result<&Path, GitError> {
        let missing = || GitError::NoWorkTree { repository: self.place.git_dir.clone(), wanted };
        self.work_tree().ok_or_else(missing)
    }

    /// Configuration under which no clean, smudge or process filter runs: needed wherever git compares
    /// with the working tree.
    pub(crate) fn silenced_filters(&self) -> Result<Vec<(String, String)>, GitError> {
        let ran =
            self.program.run(&Call::new(["config", "-z", "--name-only", "--get-regexp", r"^filter\."]))?;
        if !matches!(ran.code, Some(0 | 1)) {
            return Err(ran.into_error(&self.program.dir));
        }
        let keys = String::from_utf8_lossy(&ran.stdout).into_owned();
        let mut names: Vec<&str> = keys
            .split('\0')
            .filter_map(|key| key.strip_prefix("filter.")?.rsplit_once('.'))
            .map(|(name, _)| name)
            .collect();
        names.sort_unstable();
        names.dedup();
        let settings = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        Ok(names
            .iter()
            .flat_map(|name| settings.map(|(key, value)| (format!("filter.{name}.{key}"), value.to_owned())))
            .collect())
    }

    /// `--attr-source` for attributes out of `tree`, where this git knows it.
    pub(crate) fn attributes_of(&self, tree: &str) -> Option<String> {
        match self.place.attributes {
            AttributeSource::Choosable => Some(format!("--attr-source={tree}")),
            AttributeSource::WhateverIsCheckedOut => None,
        }
    }
}
