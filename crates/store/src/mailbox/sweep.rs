use std::ffi::OsStr;
use std::time::{Duration, Instant};

use domain::ports::TaskStore;
use jiff::Timestamp;

use super::error::Result;
use super::folder::{Folder, was_being_removed, was_being_written};
use super::layout::Layout;
use super::{Mailbox, State};

const EVERY: Duration = Duration::from_secs(5);
/// Writing a file takes milliseconds. Whoever took longer is gone, or will write it again.
const ABANDONED: Duration = Duration::from_secs(10);

impl Mailbox {
    /// Clears away what processes left behind that were killed in the midst of writing: unfinished files, and
    /// locks of tasks that nobody holds.
    pub(super) async fn sweep_in(
        &self,
        state: &mut State,
        layout: &Layout,
        store: &impl TaskStore,
    ) -> Result<()> {
        if state.swept.is_some_and(|swept| swept.elapsed() < EVERY) {
            return Ok(());
        }
        for folder in [&layout.queues, &layout.completed] {
            for name in folder.names()? {
                if let Ok(Some(agent)) = folder.child(&name) {
                    sweep(&agent, was_being_written)?;
                }
            }
        }
        for folder in [&layout.locks, &layout.heartbeats, &layout.pause, &layout.malformed] {
            sweep(folder, was_being_written)?;
        }
        // Only locks of our own are ever removed that way.
        sweep(&layout.locks, was_being_removed)?;
        for id in self.own_locks(layout)? {
            if store.get(&id).await?.is_some_and(|stored| stored.held.is_none()) {
                self.remove_lock(layout, &id)?;
            }
        }
        state.swept = Some(Instant::now());
        Ok(())
    }
}

fn sweep(folder: &Folder, is_debris: fn(&OsStr) -> bool) -> Result<()> {
    let now = i128::from(Timestamp::now().as_millisecond());
    for name in folder.names()?.filter(|name| is_debris(name)) {
        if let Some(entry) = folder.look(&name)?
            && now - entry.identity.modified_ms() > ABANDONED.as_millis().cast_signed()
        {
            folder.remove(&name)?;
        }
    }
    Ok(())
}
