//! The mailbox: tasks as files, for `ls`, `cat` and programs that know nothing of the store.
//!
//! The store is the truth. What the mailbox shows follows from it and is written again if it is deleted;
//! what others put there is handed to the store. No link is followed, nothing is deleted that was not read
//! and stored first, and what cannot be used is moved to `malformed/` with the reason beside it.
//!
//! Any number of processes may tend one mailbox at once, and a store may have any number of mailboxes, on one
//! machine or on many: each is a reader of the outbox of its own. Every step can be cut off and repeated.

mod add;
mod error;
mod folder;
mod heartbeat;
mod layout;
mod locks;
mod malformed;
mod mirror;
mod names;
mod patience;
mod pause;
mod place;
mod queued;
mod reader;
mod sweep;
mod take_in;
mod version;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use domain::cycle::Limits;
use domain::ports::TaskStore;
use domain::tasks::{QueueLimit, TaskId};
use tokio::sync::Mutex;

pub use error::MailboxError;
pub use heartbeat::{Heartbeat, heartbeats, host_name};
pub use malformed::SetAside;
pub use names::{Kept, Name, Sharing};
pub use queued::queued_files;
pub use take_in::{FullQueue, TakenIn};
pub use watch::Changes;

use error::Result;
use layout::Layout;
use patience::Memory;
use pause::Agreed;

const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(600);

/// `.agent-communication/`: queues, archive, locks, heartbeats and pauses.
#[derive(Debug)]
pub struct Mailbox {
    root: PathBuf,
    stale_after: Duration,
    /// By queue, and for all others.
    limits: (BTreeMap<String, Limits>, Limits),
    /// Whose folders are there, however empty.
    queues: BTreeSet<String>,
    state: Mutex<State>,
    /// Something is only worth another look a little later.
    unsettled: Arc<AtomicBool>,
}

/// One piece of work at a time looks at it.
#[derive(Debug, Default)]
struct State {
    memory: Memory,
    agreed: Agreed,
    /// Tasks that were taken in and shown, and whose being added need not be shown again.
    shown_when_added: HashSet<TaskId>,
    swept: Option<Instant>,
    /// Not yet told to anybody.
    set_aside: Vec<SetAside>,
}

impl State {
    /// Kept for the next [`TakenIn`]. Beyond a thousand, `malformed/` itself has to tell.
    fn report(&mut self, set_aside: Option<SetAside>) {
        if self.set_aside.len() < 1000 {
            self.set_aside.extend(set_aside);
        }
    }
}

impl Mailbox {
    /// Creates the folders that are missing. Refused where one of them is a link.
    pub fn open(root: PathBuf) -> Result<Mailbox> {
        Layout::open(&root)?;
        Ok(Mailbox {
            root,
            stale_after: HEARTBEAT_TIMEOUT,
            limits: Default::default(),
            queues: BTreeSet::new(),
            state: Mutex::default(),
            unsettled: Arc::new(AtomicBool::new(false)),
        })
    }

    /// After how long without a change a lock of another program no longer counts: `heartbeat_timeout`.
    pub fn with_stale_after(self, stale_after: Duration) -> Mailbox {
        Mailbox { stale_after, ..self }
    }

    /// How often what comes in as a file may be tried: by queue, and `elsewhere` for all other queues.
    pub fn with_limits(
        self,
        by_queue: impl IntoIterator<Item = (String, Limits)>,
        elsewhere: Limits,
    ) -> Mailbox {
        Mailbox { limits: (by_queue.into_iter().collect(), elsewhere), ..self }
    }

    /// The queues that have agents: anybody may put a file there without making the folder first.
    pub fn with_queues(self, queues: impl IntoIterator<Item = String>) -> Mailbox {
        Mailbox { queues: queues.into_iter().collect(), ..self }
    }

    fn limits_of(&self, queue: &str) -> Limits {
        let (by_queue, elsewhere) = &self.limits;
        by_queue.get(queue).unwrap_or(elsewhere).clone()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All there is to do, in the order in which it has to be done: what the store says shows in the files,
    /// then what the files say goes to the store. To be called whenever [`Changes::next`] returns, and after
    /// this process itself has changed something in the store.
    pub async fn tend(&self, store: &impl TaskStore, limit: QueueLimit) -> Result<TakenIn> {
        let mut state = self.state.lock().await;
        let layout = Layout::open(&self.root)?;
        for queue in &self.queues {
            layout.agent(&layout.queues, queue)?;
            layout.agent(&layout.completed, queue)?;
        }
        self.mirror_in(&mut state, &layout, store).await?;
        let pauses = self.agree_in(&mut state, &layout, store).await?;
        let taken = self.take_in_in(&mut state, &layout, store, limit).await?;
        self.sweep_in(&mut state, &layout, store).await?;
        self.note_unsettled(&state);
        Ok(TakenIn { set_aside: pauses.into_iter().chain(taken.set_aside).collect(), ..taken })
    }

    fn note_unsettled(&self, state: &State) {
        let unsettled = state.memory.is_waiting() || state.agreed.is_waiting();
        self.unsettled.store(unsettled, Ordering::Relaxed);
    }
}
