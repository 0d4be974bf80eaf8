//! What tests share. Everything here fails loudly: a test that cannot be set up is a failed test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "only tests use this crate"
)]

pub mod forge;
pub mod model_server;
pub mod pgbouncer;
mod port;
pub mod postgres;
mod repo;
mod skip;
mod snapshot;
pub mod tls;

pub use port::Port;
pub use repo::Repo;
pub use skip::{SKIPS, installed, skip};
pub use snapshot::Snapshot;

/// As [`git_is_old`], for a test that then returns. Countersign works with an old git, which is what many have, so
/// this is noted and fails nowhere.
pub fn skip_with_old_git() -> bool {
    if git_is_old() {
        skip::note("git is older than 2.41");
    }
    git_is_old()
}

/// Whether the git here is too old (before 2.41) to read attributes from the base commit. What rests on that
/// cannot be tested with it; everything else can.
pub fn git_is_old() -> bool {
    let output = std::process::Command::new("git").arg("version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers =
        text.trim_start_matches("git version ").split('.').map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) < (Some(2), Some(41))
}
