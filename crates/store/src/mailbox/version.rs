use domain::tasks::{Invalid, StoredTask, Task, TaskId};

use super::folder::Identity;

/// Clocks of file systems and stores differ a little.
const CLOCK_SLACK_MS: i128 = 2_000;

/// A file beside the task it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// It says what the store says, in whatever formatting.
    Current,
    /// It says what the store has said before: nobody has caught up with it yet.
    Outdated,
    /// Somebody changed it.
    Edited,
}

/// No task is larger, and there is room for what the store adds to it.
pub(super) const LARGEST_FILE: u64 = 1024 * 1024 + 64 * 1024;

/// As a task shows in the mailbox: for people, unless indenting would make it larger than a task may be.
pub(super) fn render(task: &Task) -> Result<Vec<u8>, Invalid> {
    let failed = |error: serde_json::Error| Invalid::new("task", error.to_string());
    let mut bytes = serde_json::to_vec_pretty(task).map_err(failed)?;
    if bytes.len() as u64 >= LARGEST_FILE {
        bytes = serde_json::to_vec(task).map_err(failed)?;
    }
    bytes.push(b'\n');
    Ok(bytes)
}

pub(super) fn file_name(id: &TaskId) -> String {
    format!("{id}.json")
}

/// What a file may turn out to be once it was read.
#[derive(Debug)]
pub(super) enum Parsed {
    Task(Box<Task>),
    /// It breaks off: most likely the rest is still to come.
    Incomplete(Invalid),
    /// No task can begin like this, but whoever writes it may begin anew.
    Unreadable(Invalid),
    /// It is all there, and wrong.
    Wrong(Invalid),
}

/// Only a whole JSON object ends in a way that nothing can follow.
pub(super) fn parse(bytes: &[u8]) -> Parsed {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let invalid = Invalid::new("task", format!("is not UTF-8: {error}"));
            let breaks_off = error.error_len().is_none();
            return if breaks_off { Parsed::Incomplete(invalid) } else { Parsed::Unreadable(invalid) };
        }
    };
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Object(fields)) => match Task::try_from(fields) {
            Ok(task) => Parsed::Task(Box::new(task)),
            Err(invalid) => Parsed::Wrong(invalid),
        },
        Ok(_) => Parsed::Unreadable(Invalid::new("task", "is not a JSON object")),
        Err(error) => {
            let invalid = Invalid::new("task", format!("is not JSON: {error}"));
            if error.is_eof() { Parsed::Incomplete(invalid) } else { Parsed::Unreadable(invalid) }
        }
    }
}

/// The folder decides whose task it is; what the file said instead is noted in the task.
pub(super) fn assigned_by_folder(mut task: Task, agent: &str) -> Task {
    if task.assigned_to != agent {
        if !task.assigned_to.is_empty() {
            let said = domain::text::short_line(&task.assigned_to);
            task.notes.push(format!("assigned_to said {said}; it was put into the queue of {agent}"));
        }
        agent.clone_into(&mut task.assigned_to);
    }
    task
}

/// Status and retries are the store's business, and notes are added there, too: a file that differs in nothing else and is not newer than
/// the last change in the store is one that we, or its writer, left behind.
pub(super) fn compare(file: &Task, seen: &Identity, stored: &StoredTask) -> Version {
    let mut expected = stored.task.clone();
    expected.status = file.status;
    expected.retry_count = file.retry_count;
    if stored.task.notes.starts_with(&file.notes) {
        expected.notes.clone_from(&file.notes);
    }
    if file.created_at.is_empty() {
        expected.created_at.clear();
    }
    if *file != expected {
        return Version::Edited;
    }
    if file.status == stored.task.status && file.notes == stored.task.notes {
        return Version::Current;
    }
    let changed = i128::from(stored.updated_at.as_millisecond());
    if seen.modified_ms() <= changed + CLOCK_SLACK_MS { Version::Outdated } else { Version::Edited }
}
