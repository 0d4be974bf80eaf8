use std::ffi::OsStr;
use std::path::Path;

use domain::tasks::TaskId;

use super::folder::Folder;

const MOST_FILES: usize = 1_000;

/// What the files of a queue are called: the ids of the tasks they show or, where they have not been taken in,
/// whatever their writers thought of. Nothing is created, and what cannot be looked at holds nothing.
pub fn queued_files(root: &Path, queue: &str) -> Vec<TaskId> {
    let folder = Folder::open(root).and_then(|root| root.child(OsStr::new("queues")));
    let folder = folder.ok().flatten().and_then(|queues| queues.child(OsStr::new(queue)).ok().flatten());
    let names = folder.and_then(|folder| folder.names().ok()).into_iter().flatten();
    names
        .filter_map(|name| TaskId::parse(name.to_str()?.strip_suffix(".json")?).ok())
        .take(MOST_FILES)
        .collect()
}
