use std::path::PathBuf;

use domain::config::Sandbox;
use serde::{Deserialize, Serialize};

/// What an agent's process may do. Handed to the warden on its command line: there is nothing secret in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    pub sandbox: Sandbox,
    /// Files and directories it may read and run, besides those of the system.
    pub read: Vec<PathBuf>,
    /// Directories it may do anything in.
    pub write: Vec<PathBuf>,
    /// TCP ports it may connect to.
    pub ports: Vec<u16>,
    pub processes: Processes,
    pub limits: Limits,
    /// A directory that is removed if Countersign is gone before the agent has ended.
    pub abandoned: Option<PathBuf>,
    /// How long it is given to end after it was asked to.
    pub grace_ms: u64,
}

/// Which processes it sees in `/proc`.
///
/// The kernel refuses the memory, environment and open files of all processes outside the domain in either case; what
/// [`Processes::Listed`] adds is their numbers, names and command lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Processes {
    /// Its first process only: a child does not even see itself. Enough for programs that do not start
    /// themselves again.
    #[default]
    Own,
    /// Everybody: runtimes that start themselves again as a child, and break when they cannot look at themselves.
    Listed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Descendants alive at the same time; one more ends the whole run. The kernel's own limit counts all of a
    /// user's threads and does not bind root, so the warden counts, too.
    pub processes: u32,
    /// Processor time of one process.
    pub cpu_seconds: u64,
    /// Size of one file.
    pub file_bytes: u64,
    pub open_files: u64,
    /// What it and its descendants hold in memory together; more ends the whole run. The kernel's own limits count
    /// address space, of which Node reserves more than any machine has, so the warden counts.
    pub memory_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            processes: 400,
            cpu_seconds: 2 * 60 * 60,
            file_bytes: 4 << 30,
            open_files: 8_192,
            memory_bytes: None,
        }
    }
}

impl Policy {
    pub(super) fn to_argument(&self) -> String {
        // Only a path that is not UTF-8 keeps a policy from being written down, and an empty one is refused.
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn from_argument(text: &str) -> Result<Policy, String> {
        serde_json::from_str(text).map_err(|error| format!("the policy cannot be read: {error}"))
    }
}
