use std::path::{Path, PathBuf};

use brain::agents::default_scratch_root;
use domain::text::file_name_part;
use git::Repository;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// Where a loop keeps what it knows, and where its agents work. One per branch.
///
/// What it knows is beside the repository's own state, where it dirties nobody's files and is shared by all worktrees.
/// Its agents work below the user's cache: whatever is left there belongs to this loop alone, and goes when it starts.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) id: String,
    pub(crate) folder: PathBuf,
    pub(crate) scratch: PathBuf,
}

impl Place {
    pub(crate) fn of_branch(repository: &Repository, branch: &str) -> Place {
        Place::named(repository, format!("{}-{}", file_name_part(branch), digest(branch.as_bytes())))
    }

    pub(crate) fn named(repository: &Repository, id: String) -> Place {
        let common = repository.common_dir();
        let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
        let whose = digest(common.as_os_str().as_encoded_bytes());
        let scratch = default_scratch_root(|name| std::env::var_os(name))
            .with_file_name("loops")
            .join(format!("{whose}-{id}"));
        Place { folder: Place::root(repository).join(&id), scratch, id }
    }

    /// Below it, each loop has a folder.
    pub(crate) fn root(repository: &Repository) -> PathBuf {
        repository.common_dir().join("countersign").join("loops")
    }

    pub(crate) fn story(&self) -> PathBuf {
        self.folder.join("story.json")
    }

    /// Where the fixer works.
    pub(crate) fn tree(&self) -> PathBuf {
        self.scratch.join("tree")
    }

    /// Where a correction is checked.
    pub(crate) fn check_tree(&self) -> PathBuf {
        self.scratch.join("check")
    }

    /// Removes what a process that died has left. Only for whoever holds the lock.
    pub(crate) fn clear(&self, repository: &Repository) -> Result<(), Failure> {
        repository.clear_checkout(&self.tree())?;
        repository.clear_checkout(&self.check_tree())?;
        repository.clear_checkout(&self.scratch)?;
        Ok(())
    }
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(3).map(|byte| format!("{byte:02x}")).collect()
}

/// As much of a path as helps: relative to the working tree if it is below.
pub(super) fn shown(path: &Path, repository: &Repository) -> String {
    let tree = repository.work_tree();
    let inside = tree.and_then(|tree| path.strip_prefix(tree).ok());
    inside.unwrap_or(path).to_string_lossy().into_owned()
}
