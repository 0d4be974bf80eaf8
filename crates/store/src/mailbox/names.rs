use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::sync::{Mutex, PoisonError};

use domain::tasks::{Invalid, check_agent_name};

use super::Mailbox;
use super::error::Result;
use super::folder::{Folder, is_same_file};
use super::layout::Layout;

/// More processes than this do not share one mailbox.
const MOST_NAMES: u32 = 10_000;
/// As much of a mailbox's name as tells it from a handful of others.
const MAILBOX_PART: usize = 4;

/// The right to go by a name here, for as long as this lives. The system takes it back from a process that is
/// gone, however it went.
#[derive(Debug)]
pub struct Name {
    name: String,
    lock: Mutex<File>,
}

/// Who else may give names to holders in the same store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// The store is this mailbox's own: `qa`, or `qa-1` and `qa-2`.
    Alone,
    /// Other mailboxes may have a `qa-1` as well: `qa-1-3f2a`.
    WithOthers,
}

/// Whether a name is still guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Ours,
    /// Its lock was deleted, and somebody else goes by it since.
    Shared,
}

impl Name {
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl Mailbox {
    /// The first names of an agent's replicas (`qa-1`, `qa-2`, and so on) that no other process on this
    /// mailbox goes by. An agent without replicas has the agent's own name while that is free. Two processes
    /// that shared a name would hide each other's heartbeat and be paused together.
    ///
    /// Nothing that has to be right depends on it: a lease is told by its token, not by its holder's name.
    pub fn take_names(&self, agent: &str, count: u32, sharing: Sharing) -> Result<Vec<Name>> {
        check_agent_name("agent", agent)?;
        let layout = Layout::open(&self.root)?;
        if (count, sharing) == (1, Sharing::Alone)
            && let Some(lock) = take(&layout.heartbeats, agent)?
        {
            return Ok(vec![Name { name: agent.to_owned(), lock: Mutex::new(lock) }]);
        }
        let end = match sharing {
            Sharing::Alone => String::new(),
            Sharing::WithOthers => {
                let reader = layout.reader()?;
                let random = reader.rsplit('-').next().unwrap_or(&reader);
                format!("-{}", random.chars().take(MAILBOX_PART).collect::<String>())
            }
        };
        let mut names = Vec::new();
        for number in 1..=MOST_NAMES {
            if names.len() >= count as usize {
                return Ok(names);
            }
            let name = format!("{agent}-{number}{end}");
            if let Some(lock) = take(&layout.heartbeats, &name)? {
                names.push(Name { name, lock: Mutex::new(lock) });
            }
        }
        Err(Invalid::new("agent", format!("all {MOST_NAMES} names of {agent} are taken")).into())
    }

    /// Makes the lock of a name again if somebody deleted it. To be called now and then.
    pub fn keep_name(&self, name: &Name) -> Result<Kept> {
        let folder = Layout::open(&self.root)?.heartbeats;
        let mut lock = name.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if is_same_file(&lock, &folder, &lock_file(&name.name))? {
            return Ok(Kept::Ours);
        }
        match take(&folder, &name.name)? {
            Some(taken) => {
                *lock = taken;
                Ok(Kept::Ours)
            }
            None => Ok(Kept::Shared),
        }
    }
}

/// Nothing if another process has it.
fn take(folder: &Folder, name: &str) -> Result<Option<File>> {
    let lock = folder.open_or_create(&lock_file(name))?;
    match lock.try_lock() {
        // Where files cannot be locked at all, names are not guarded.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
    }
}

fn lock_file(name: &str) -> OsString {
    OsString::from(format!(".{name}.lock"))
}
