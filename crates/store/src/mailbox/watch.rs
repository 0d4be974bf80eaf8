use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::Mailbox;

/// While a file has still to settle.
const SOON: Duration = Duration::from_millis(100);
/// Where the system tells of changes, this only helps against what it forgot, and for what other processes
/// change in the store.
const SAFETY: Duration = Duration::from_millis(500);
/// Where it does not.
const POLL: Duration = Duration::from_millis(200);
/// One write makes several events.
const GATHER: Duration = Duration::from_millis(3);
const MOST_AGENTS: usize = 1_000;

/// Tells when the mailbox is worth a look.
#[derive(Debug)]
pub struct Changes {
    root: PathBuf,
    watcher: Option<RecommendedWatcher>,
    news: mpsc::Receiver<()>,
    watched: HashMap<PathBuf, Birth>,
    unsettled: Arc<AtomicBool>,
}

/// A folder that was deleted and created again is another, though it may have the same inode.
type Birth = (u64, Option<SystemTime>);

impl Mailbox {
    /// What changes from now on is noticed, by the system's own file events or, where there are none, by
    /// looking often.
    pub fn watch(&self) -> Changes {
        let (tell, news) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !is_mere_reading(event.kind)) {
                // Full means that somebody has been told already.
                let _ = tell.try_send(());
            }
        });
        let mut changes = Changes {
            root: self.root.clone(),
            watcher: watcher.ok(),
            news,
            watched: HashMap::new(),
            unsettled: Arc::clone(&self.unsettled),
        };
        changes.refresh();
        changes
    }
}

impl Changes {
    /// Returns when something may have changed, and in any case after half a second.
    pub async fn next(&mut self) {
        self.refresh();
        let patience = match self.watcher {
            _ if self.unsettled.load(Ordering::Relaxed) => SOON,
            Some(_) => SAFETY,
            None => POLL,
        };
        match timeout(patience, self.news.recv()).await {
            Ok(Some(())) => {
                sleep(GATHER).await;
                let _ = self.news.try_recv();
            }
            Ok(None) => sleep(POLL).await,
            Err(_) => {}
        }
        // New folders are watched before the caller looks into them: what comes later is told.
        self.refresh();
    }

    fn refresh(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let queues = self.root.join("queues");
        let agents = std::fs::read_dir(&queues).into_iter().flatten().take(MOST_AGENTS);
        let agents = agents.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        // Not the root: a database in it changes all the time.
        let own = ["locks", "pause"].map(|name| self.root.join(name));
        let folders: HashMap<PathBuf, Birth> = own
            .into_iter()
            .chain([queues.clone()])
            .chain(agents)
            .filter_map(|path| plain_folder(&path).map(|birth| (path, birth)))
            .collect();
        for path in self.watched.keys().filter(|path| self.watched.get(*path) != folders.get(*path)) {
            // The system may have dropped it by itself.
            let _ = watcher.unwatch(path);
        }
        self.watched.retain(|path, birth| folders.get(path) == Some(birth));
        for (path, birth) in folders {
            if !self.watched.contains_key(&path) && watcher.watch(&path, RecursiveMode::NonRecursive).is_ok()
            {
                self.watched.insert(path, birth);
            }
        }
    }
}

/// Our own looking must not make us look again.
fn is_mere_reading(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => false,
    }
}

fn plain_folder(path: &Path) -> Option<Birth> {
    let found = std::fs::symlink_metadata(path).ok()?;
    found.is_dir().then(|| (found.ino(), found.created().ok()))
}
