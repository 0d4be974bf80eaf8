//! Reads a change, and the files on either side of it, out of a git repository; and, where asked to, lets somebody
//! work on a branch in a worktree of their own.
//!
//! # Why the git program
//!
//! The hunks a reviewer sees must be the hunks a developer sees, line for line, or findings land in the
//! wrong place. Driving git itself makes that agreement a matter of construction, and brings every format
//! with it that a repository may have: SHA-256, reftable, sparse index, partial clone, linked worktrees,
//! whatever comes next. A usual review needs five processes of some two milliseconds each.
//!
//! # What is promised
//!
//! - **Nothing in the repository is touched**: no object, no lock, no index refresh, no configuration, no
//!   time stamp. Only commands that read are run, but for a [`Workshop`], a [`Checkout`], [`Repository::advance`] and what
//!   `merge` does, which somebody has to ask for, and a [`Mirror`], which is ours. (One exception is out of reach: in a repository with a
//!   split index, git itself freshens the time stamp of the shared part whenever it reads it.)
//! - **Nothing the repository brings along is run**: hooks, external diff drivers, text conversions, clean
//!   and smudge filters, file system monitors, pagers, credential helpers, fetches into a partial clone.
//! - **The user's configuration does not matter.** Whatever changes how git shows a diff is set explicitly.
//! - **A change cannot hide itself.** Attributes (`binary`, `-diff`, `linguist-generated`) are read from the
//!   base, never from the change's own `.gitattributes`, from `/etc` or from a user's own attributes file.
//!   Where others could have a say after all (`.git/info/attributes`, a git before 2.41), no attribute keeps
//!   a file from being reviewed, and a note says so. A file that git calls binary is shown as a whole if its
//!   new side is text; so is one that comes from a place where it was skipped. Marks in the index
//!   (`--assume-unchanged`, `--skip-worktree`) do not keep the working tree from being looked at.
//! - **What is reviewed is what its name says.** Replaced objects, grafts and the commit graph do not
//!   count.
//! - **No secret of the caller reaches git.** Its environment is built from an allow list, see
//!   [`Environment`].
//! - **Hostile bytes are data.** Paths come from NUL-terminated records, the extent of a hunk from the line
//!   counts in its header, and a section that is not the one announced is an error, never a guess.
//!
//! Every [`GitError`] says in one line what is the matter, and its [`hint`](GitError::hint) how to go on.

mod advance;
mod ahead;
mod attributes;
mod branches;
mod checkout;
mod commit;
mod diff;
mod discover;
mod disk;
mod environment;
mod error;
mod export;
mod flagged;
mod guess;
mod history;
mod listing;
mod locks;
mod merge;
mod merge_base;
mod mirror;
mod objects;
mod program;
mod ref_moves;
mod refs;
mod repository;
mod resolve;
mod sources;
mod text;
mod tidy;
mod tree;
mod unseen;
mod untracked;
mod user;
mod version;
mod whole;
mod workshop;

pub use advance::Held;
pub use checkout::{Checkout, Left, TheirHead};
pub use environment::Environment;
pub use error::GitError;
pub use export::{ExportLimits, Exported};
pub use history::Listed;
pub use merge::{Conflict, Merged};
pub use mirror::{InUse, Mirror, Remote, Wanted};
pub use ref_moves::RefSnapshot;
pub use repository::Repository;
pub use resolve::{Ask, What};
pub use sources::GitSources;
pub use tidy::{Keep, Tidied, tidy_mirrors};
pub use version::Version;
pub use workshop::{Committed, Workshop};
