use std::path::PathBuf;

use domain::change::RepoPath;

use crate::text;
use crate::version::Version;

/// Why git could not tell. The message says what is the matter, [`GitError::hint`] how to go on.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the git program was not found in PATH")]
    GitNotInstalled,
    #[error("git {0} is too old")]
    GitTooOld(Version),
    #[error("{} does not exist", .0.display())]
    NoSuchPath(PathBuf),
    #[error("{} is not inside a git repository", .0.display())]
    NotARepository(PathBuf),
    #[error("git does not trust {}: it belongs to another user", .0.display())]
    DubiousOwnership(PathBuf),
    #[error("{} has no working tree, so there is nothing {} in it", .repository.display(), .wanted)]
    NoWorkTree { repository: PathBuf, wanted: &'static str },
    #[error("there are no commits yet")]
    NoCommits,
    #[error("the current branch has no commits yet, other branches do")]
    UnbornBranch,
    #[error("`{}` is not a revision: {reason}", text::clean_line(.name))]
    BadRevision { name: String, reason: &'static str },
    #[error("there is no revision `{}`", text::clean_line(.name))]
    UnknownRevision { name: String, near: Vec<String> },
    #[error("`{}` is ambiguous: more than one object has a name that starts so", text::clean_line(.0))]
    AmbiguousRevision(String),
    #[error("a head (`{}`) makes no sense for staged changes or the working tree", text::clean_line(.0))]
    HeadNotApplicable(String),
    #[error("{base} and {head} have no common ancestor")]
    NoMergeBase { base: String, head: String },
    #[error("this clone is shallow, and {missing} lies beyond what it holds")]
    Shallow { missing: String },
    #[error("objects of this repository are missing: {detail}")]
    MissingObjects { detail: String },
    #[error("cannot read {path}: {reason}")]
    Unreadable { path: RepoPath, reason: String },
    #[error("{path} is too large to review: {size} bytes")]
    TooLarge { path: RepoPath, size: u64 },
    #[error("cannot write {}: {reason}", .path.display())]
    Unwritable { path: PathBuf, reason: String },
    #[error("branch `{}` is checked out in {}", text::clean_line(.branch), .at.display())]
    BranchInUse { branch: String, at: PathBuf },
    #[error("branch `{}` was moved by somebody else meanwhile", text::clean_line(.0))]
    BranchMoved(String),
    #[error("branch `{}` cannot be moved in its checkout {}: {reason}", text::clean_line(.branch), .at.display())]
    CheckoutInTheWay { branch: String, at: PathBuf, reason: String },
    #[error("{} has uncommitted changes: {}", .at.display(), text::first_few(.files))]
    Dirty { at: PathBuf, files: Vec<RepoPath> },
    #[error("there is no branch `{}` here", text::clean_line(.name))]
    NoBranch { name: String, near: Vec<String> },
    #[error("HEAD is detached")]
    Detached,
    #[error("there is a repository inside the worktree, at {}", .0.display())]
    NestedRepository(PathBuf),
    #[error("`{0}` is no address that commits can be fetched from")]
    BadRemote(String),
    #[error("{url} does not have what was asked for: {detail}")]
    NotThere { url: String, detail: String },
    #[error("{url} does not let us in: {detail}")]
    NotLetIn { url: String, detail: String },
    #[error("nothing can be fetched from {url}: {detail}")]
    Unreachable { url: String, detail: String },
    #[error("git {command} failed: {detail}")]
    Failed { command: String, detail: String },
    #[error("git {command} said something unexpected: {detail}")]
    Unexpected { command: String, detail: String },
}

impl GitError {
    /// One line that says how to go on.
    pub fn hint(&self) -> String {
        match self {
            GitError::GitNotInstalled => "install git, or put it into PATH".into(),
            GitError::GitTooOld(_) => format!("git {} or later is needed", Version::OLDEST),
            GitError::NoSuchPath(_) => "check the path".into(),
            GitError::NotARepository(_) => "run it inside a repository, name one with --repo, or make one with `git init`".into(),
            GitError::DubiousOwnership(path) => format!(
                "if you trust it: git config --global --add safe.directory {}",
                text::shell_word(&path.to_string_lossy())
            ),
            GitError::NoWorkTree { .. } => {
                "review commits with --base and --head, or run it in a checkout".into()
            }
            GitError::NoCommits => "no commits yet to review: use --staged or --worktree".into(),
            GitError::UnbornBranch => {
                "name a branch with --head BRANCH, or review uncommitted files with --worktree and no --base".into()
            }
            GitError::BadRevision { .. } => "name a branch, a tag or a commit".into(),
            GitError::UnknownRevision { near, .. } if near.is_empty() => {
                "`git branch --all` lists the branches there are; `git fetch` brings new ones".into()
            }
            GitError::UnknownRevision { near, .. } => format!("did you mean {}?", near.join(" or ")),
            GitError::AmbiguousRevision(_) => "give more digits of the commit id".into(),
            GitError::HeadNotApplicable(_) => "leave out --head, or --staged and --worktree".into(),
            GitError::NoMergeBase { .. } => "name a related base with --base".into(),
            GitError::Shallow { .. } => "fetch the rest of the history: git fetch --unshallow".into(),
            GitError::MissingObjects { .. } => {
                "in a partial clone, `git diff --stat <base> <head>` fetches what is missing; otherwise try `git fsck`"
                    .into()
            }
            GitError::Unreadable { .. } => "make it readable, ignore it in .gitignore, or use --staged".into(),
            GitError::TooLarge { .. } => "ignore it in .gitignore, or mark it `-diff` in the .gitattributes of the base".into(),
            GitError::Unwritable { .. } => "make room there, and check its permissions".into(),
            GitError::BranchInUse { .. } => {
                "switch that checkout to another branch: nobody's checkout is changed under their hands".into()
            }
            GitError::BranchMoved(_) => "try again from where it is now".into(),
            GitError::CheckoutInTheWay { .. } => {
                "commit, stash or move away what is in the way there, then go on".into()
            }
            GitError::Dirty { .. } => "commit, stash or ignore them, untracked files too: nobody's work is mixed with that of an agent".into(),
            GitError::NoBranch { near, .. } if near.is_empty() => {
                "name a local branch; `git branch` lists them, and `git switch NAME` makes one of a remote's".into()
            }
            GitError::NoBranch { near, .. } => format!("did you mean {}?", near.join(" or ")),
            GitError::Detached => "name the branch with --branch, or `git switch` to it".into(),
            GitError::NestedRepository(_) => "remove it, or make it a submodule by hand".into(),
            GitError::BadRemote(_) => "use an https address".into(),
            GitError::NotThere { .. } => "the branch may be gone, or the request closed: look at it there".into(),
            GitError::NotLetIn { .. } => "check that the token is valid and may read this repository".into(),
            GitError::Unreachable { .. } => "check the address and the network, then try again".into(),
            GitError::Failed { .. } => "`git fsck` says whether the repository is sound".into(),
            GitError::Unexpected { .. } => "this is a fault in Countersign: please report it".into(),
        }
    }
}
