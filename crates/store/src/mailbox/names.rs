use std::ffi::OsString;
use std::fs::{File, TryLockError};

use domain::tasks::{Invalid, check_agent_name};

use super::Mailbox;
use super::error::Result;
use super::layout::Layout;

/// More processes than this do not share one mailbox.
const MOST_NAMES: u32 = 10_000;

/// The right to go by a name here, for as long as this lives. The system takes it back from a process that is
/// gone, however it went.
#[derive(Debug)]
pub struct Name {
    name: String,
    _lock: File,
}

impl Name {
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl Mailbox {
    /// The first names of an agent's replicas (`qa-1`, `qa-2`, and so on) that no other process on this
    /// mailbox goes by. Two that shared one would hide each other's heartbeat and be paused together.
    ///
    /// Nothing that has to be right depends on it: a lease is told by its token, not by its holder's name.
    pub fn take_names(&self, agent: &str, count: u32) -> Result<Vec<Name>> {
        check_agent_name("agent", agent)?;
        let folder = Layout::open(&self.root)?.heartbeats;
        let mut names = Vec::new();
        for number in 1..=MOST_NAMES {
            if names.len() >= count as usize {
                return Ok(names);
            }
            let name = format!("{agent}-{number}");
            let lock = folder.open_or_create(&OsString::from(format!(".{name}.lock")))?;
            match lock.try_lock() {
                // Where files cannot be locked at all, names are not guarded.
                Ok(()) | Err(TryLockError::Error(_)) => names.push(Name { name, _lock: lock }),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        Err(Invalid::new("agent", format!("all {MOST_NAMES} names of {agent} are taken")).into())
    }
}
