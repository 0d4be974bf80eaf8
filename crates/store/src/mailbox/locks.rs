use std::ffi::{OsStr, OsString};
use std::time::Duration;

use domain::tasks::{Held, TaskId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Mailbox;
use super::error::Result;
use super::folder::{Content, Folder, Identity};
use super::layout::Layout;
use super::malformed::{Why, set_aside};

const LARGEST_LOCK: u64 = 4096;
const OURS: &str = "countersign";

/// What our own lock files say.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holding {
    holder: String,
    token: i64,
    since: Timestamp,
    written_by: String,
}

/// A lock file as it is found.
#[derive(Debug)]
enum Lock {
    None,
    Ours(Identity, Holding),
    /// Another program works on the task.
    Foreign,
    /// Another program did, and is probably gone.
    Stale,
}

impl Mailbox {
    /// Tasks that another program has locked, by a file that is not ours and not stale.
    ///
    /// A file of such a task is not taken in before the lock is gone. One that is in the store already can
    /// still be claimed, for the store knows nothing of files: a worker asks here before it begins what it
    /// has claimed, and gives it back if its id is among these.
    pub fn foreign_locks(&self) -> Result<Vec<TaskId>> {
        let layout = Layout::open(&self.root)?;
        let mut locked = Vec::new();
        for name in layout.locks.names()? {
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".lock")) else { continue };
            let Ok(id) = TaskId::parse(id) else { continue };
            if self.is_locked_by_others(&layout, &id)? {
                locked.push(id);
            }
        }
        Ok(locked)
    }

    pub(super) fn is_locked_by_others(&self, layout: &Layout, id: &TaskId) -> Result<bool> {
        Ok(matches!(find(&layout.locks, id, self.stale_after)?, Lock::Foreign))
    }

    /// Makes the lock of a task stand exactly while it is held. A lock of others is left to them until it is
    /// stale.
    pub(super) fn show_lock(&self, layout: &Layout, id: &TaskId, held: &Held) -> Result<()> {
        let content = Holding {
            holder: held.holder.clone(),
            token: held.token,
            since: held.since,
            written_by: OURS.to_owned(),
        };
        match find(&layout.locks, id, self.stale_after)? {
            Lock::Foreign => return Ok(()),
            Lock::Ours(_, found) if found == content => return Ok(()),
            Lock::Stale => {
                set_aside(layout, &layout.locks, &file_name(id), &Why::StaleLock)?;
            }
            Lock::Ours(..) | Lock::None => {}
        }
        let text = serde_json::json!(content).to_string() + "\n";
        layout.locks.write(&file_name(id), text.as_bytes()).map(|_| ())
    }

    pub(super) fn remove_lock(&self, layout: &Layout, id: &TaskId) -> Result<()> {
        match find(&layout.locks, id, self.stale_after)? {
            Lock::Ours(identity, _) => layout.locks.remove_if_same(&file_name(id), &identity),
            Lock::None | Lock::Foreign | Lock::Stale => Ok(()),
        }
    }

    /// The tasks that our own lock files name.
    pub(super) fn own_locks(&self, layout: &Layout) -> Result<impl Iterator<Item = TaskId> + Send + use<>> {
        Ok(layout.locks.names()?.filter_map(|name| TaskId::parse(name.to_str()?.strip_suffix(".lock")?).ok()))
    }
}

fn file_name(id: &TaskId) -> OsString {
    OsString::from(format!("{id}.lock"))
}

fn find(locks: &Folder, id: &TaskId, stale_after: Duration) -> Result<Lock> {
    let name = file_name(id);
    let Some(entry) = locks.look(&name)? else { return Ok(Lock::None) };
    if let Content::Whole(bytes, identity) = locks.read(OsStr::new(&name), LARGEST_LOCK)
        && let Ok(content) = serde_json::from_slice::<Holding>(&bytes)
        && content.written_by == OURS
    {
        return Ok(Lock::Ours(identity, content));
    }
    // One that is dated far in the future would never grow old.
    let age = (i128::from(Timestamp::now().as_millisecond()) - entry.identity.modified_ms()).unsigned_abs();
    Ok(if age > stale_after.as_millis() { Lock::Stale } else { Lock::Foreign })
}
