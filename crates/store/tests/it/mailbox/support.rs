use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use domain::ports::TaskStore;
use domain::tasks::{QueueLimit, StoredTask, Task, TaskFilter, TaskId};
use serde_json::{Value, json};
use store::Store;
use store::mailbox::{Changes, Mailbox, TakenIn};
use tempfile::TempDir;

pub(crate) const LIMIT: QueueLimit = QueueLimit::AtMost(100);
pub(crate) const LEASE: Duration = Duration::from_secs(3600);
/// Whoever takes longer hangs, however busy the machine is.
pub(crate) const HANGS: Duration = Duration::from_secs(60);

/// A mailbox and its store, in a directory of their own.
pub(crate) struct Post {
    pub(crate) directory: TempDir,
    pub(crate) store: Store,
    pub(crate) mailbox: Mailbox,
}

impl Post {
    pub(crate) async fn open() -> Post {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open_sqlite(&directory.path().join("tasks.db")).await.unwrap();
        let mailbox = Mailbox::open(directory.path().join("mail")).unwrap();
        Post { directory, store, mailbox }
    }

    /// The same, from another process's point of view.
    pub(crate) async fn again(&self) -> (Store, Mailbox) {
        let store = Store::open_sqlite(&self.directory.path().join("tasks.db")).await.unwrap();
        (store, Mailbox::open(self.directory.path().join("mail")).unwrap())
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join("mail").join(path)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(path)).unwrap()).unwrap()
    }

    pub(crate) fn status(&self, path: &str) -> String {
        self.json(path)["status"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn tend(&self) -> TakenIn {
        self.mailbox.tend(&self.store, LIMIT).await.unwrap()
    }

    /// Tends whenever something changes.
    pub(crate) async fn tend_until_known(&self, changes: &mut Changes, id: &str) {
        let known = async {
            while self.get(id).await.is_none() {
                changes.next().await;
                self.tend().await;
            }
        };
        tokio::time::timeout(HANGS, known).await.unwrap();
    }

    /// Tends until nothing has to settle any more.
    pub(crate) async fn settle(&self) -> TakenIn {
        let mut all = TakenIn::default();
        let begun = Instant::now();
        while begun.elapsed() < HANGS {
            let taken = self.tend().await;
            all.added.extend(taken.added);
            all.set_aside.extend(taken.set_aside);
            if taken.waiting == 0 {
                return all;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the mailbox does not come to rest");
    }

    pub(crate) async fn get(&self, id: &str) -> Option<StoredTask> {
        self.store.get(&TaskId::parse(id).unwrap()).await.unwrap()
    }

    pub(crate) async fn tasks(&self) -> usize {
        self.store.list(&TaskFilter::default(), None, 1000).await.unwrap().tasks.len()
    }

    /// Name and content of everything in `malformed/` but the explanations.
    pub(crate) fn malformed(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path("malformed"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.ends_with(".reason.txt"))
            .collect();
        names.sort();
        names
    }

    /// The only thing in `malformed/`, with the reason that lies beside it.
    pub(crate) fn only_malformed(&self) -> (PathBuf, String) {
        let names = self.malformed();
        assert_eq!(names.len(), 1, "{names:?}");
        let path = self.path("malformed").join(&names[0]);
        let reason = fs::read_to_string(self.path(&format!("malformed/{}.reason.txt", names[0]))).unwrap();
        (path, reason)
    }
}

pub(crate) fn task(id: &str) -> Value {
    json!({ "id": id, "type": "review", "title": format!("Review {id}"), "assigned_to": "qa" })
}

pub(crate) fn text(id: &str) -> String {
    task(id).to_string()
}

pub(crate) fn new(id: &str) -> domain::tasks::NewTask {
    let task = Task::new(TaskId::parse(id).unwrap(), "other", "qa", "Something to do");
    domain::tasks::NewTask::new(task, domain::cycle::Limits::default()).unwrap()
}
