//! What is left in files when the work is done.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use domain::cycle::TaskStatus;

use super::judge::{Offence, Record};
use super::workshop::Workshop;

/// Events that a dead process had taken from the outbox are handed out again after a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until the mailbox says what the store says, no more and no less; what is wrong if it never does.
pub(crate) fn wait_for_order(workshop: &Workshop, records: &[Record]) -> Vec<(Offence, String)> {
    let expected = expected(records);
    let begun = Instant::now();
    loop {
        let wrong = disorder(&workshop.mailbox(), &expected);
        if wrong.is_empty() || begun.elapsed() > PATIENCE {
            return wrong.into_iter().map(|what| (Offence::Disorder, what)).collect();
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Nobody left anything in the repository that is under review.
pub(crate) fn in_repository(workshop: &Workshop) -> Vec<(Offence, String)> {
    let repo = workshop.repo();
    let mut wrong: Vec<String> = repo.git(&["status", "--porcelain"]).lines().map(str::to_owned).collect();
    wrong.extend(repo.git(&["worktree", "list"]).lines().skip(1).map(str::to_owned));
    let is_lock = |path: &String| path.ends_with(".lock");
    wrong.extend(files_below(&repo.path().join(".git"), "").into_iter().filter(is_lock));
    wrong.into_iter().map(|what| (Offence::Disorder, format!("in the repository: {what}"))).collect()
}

/// Path in the mailbox and the status that stands there.
fn expected(records: &[Record]) -> BTreeMap<String, &'static str> {
    let path = |record: &Record| {
        let task = &record.stored.task;
        let shelf = match task.status {
            TaskStatus::Completed | TaskStatus::Cancelled => "completed",
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Failed | TaskStatus::Escalated => {
                "queues"
            }
        };
        (format!("{shelf}/{}/{}.json", task.assigned_to, task.id), task.status.as_str())
    };
    records.iter().map(path).collect()
}

fn disorder(mailbox: &Path, expected: &BTreeMap<String, &'static str>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, status) in expected {
        let text = fs::read(mailbox.join(path)).unwrap_or_default();
        let said = serde_json::from_slice::<serde_json::Value>(&text).unwrap_or_default();
        if said["status"] != *status {
            wrong.push(format!("{path} says {}, the store says {status}", said["status"]));
        }
    }
    for folder in ["queues", "completed", "locks", "malformed"] {
        let found = files_below(&mailbox.join(folder), folder);
        wrong.extend(
            found
                .into_iter()
                .filter(|path| !expected.contains_key(path))
                .map(|path| format!("left: {path}: {}", beginning_of(&mailbox.join(&path)))),
        );
    }
    wrong
}

/// Enough to see why it is there.
fn beginning_of(file: &Path) -> String {
    String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).chars().take(300).collect()
}

/// Relative to the folder, which goes by `name`.
fn files_below(folder: &Path, name: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = format!("{name}/{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path(), &path)),
            _ => files.push(path),
        }
    }
    files
}
