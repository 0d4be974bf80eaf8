//! Confinement of agents, by the kernel.
//!
//! Countersign starts itself again as `countersign confine POLICY PROGRAM ARGUMENTS`. That process is the
//! agent's **warden**: it starts a process that confines itself (a Landlock domain, resource limits, no privileges and
//! no way to gain them) and becomes the agent, watches over it from outside the domain, and when the agent has ended,
//! or has to end, or Countersign itself is gone, it ends every process that descends from it. The warden adopts orphans (it is a child subreaper),
//! so leaving the process group or the session is no way out.
//!
//! What an agent can do inside:
//!
//! - read and run what programs need (`/usr`, parts of `/etc`, its own installation), and read its worktree;
//! - write its scratch directory, and its worktree if it is an author;
//! - open TCP connections to the ports it was given, on any host: Landlock knows ports, not names. It may not
//!   listen;
//! - signal its own kind only. `/proc/PID/environ`, `mem` and the like of any process outside the domain are
//!   refused by the kernel, root or not.
//!
//! A repository's `.git` is out of reach for everybody. A reviewer is given an export of the files; an author is given
//! a linked worktree, whose `.git` is a file that points to a place it cannot open, and the engine commits for it.
//!
//! What Landlock leaves open, as of its ABI 7: UDP, named Unix sockets, and changing the mode, times and owner of
//! files that the user owns.

mod enforce;
mod installation;
mod memory;
mod policy;
mod support;
mod system;
mod tree;
mod warden;

pub use installation::installation;
pub use policy::{Limits, Policy, Processes};
pub use support::{Support, support};
pub use warden::{REFUSED, TOO_MANY_PROCESSES, TOO_MUCH_MEMORY, main};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How Countersign is started as a warden: its own path, and the arguments that lead to [`main`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warden {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl Warden {
    /// This very program with `confine`.
    pub fn this_program() -> std::io::Result<Warden> {
        Ok(Warden { program: std::env::current_exe()?, arguments: vec!["confine".into()] })
    }

    /// The arguments with which the warden runs `program` under `policy`.
    pub fn arguments_for(&self, policy: &Policy, program: &Path, arguments: &[OsString]) -> Vec<OsString> {
        let mut all = self.arguments.clone();
        all.push(policy.to_argument().into());
        all.push(program.into());
        all.extend(arguments.iter().cloned());
        all
    }
}
