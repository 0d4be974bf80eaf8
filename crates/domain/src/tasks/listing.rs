use jiff::Timestamp;
use serde::Serialize;

use super::{Task, TaskId};
use crate::cycle::{Cycle, TaskStatus};

/// Which tasks to list. Whatever is left open matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    pub status: Option<TaskStatus>,
    pub agent: Option<String>,
}

/// Where the last page ended. Pages do not shift when tasks are added between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(pub i64);

/// Some tasks, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub tasks: Vec<StoredTask>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// How many tasks of a queue are not over, or ended in a way that somebody should look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct QueueCounts {
    pub pending: u32,
    pub in_progress: u32,
    pub failed: u32,
    pub escalated: u32,
}

impl QueueCounts {
    /// Nobody counts further: such a number means at least as many.
    pub const MOST: u32 = 10_000;
}

/// A task with its standing in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTask {
    /// Its `status` and `retry_count` are the present ones.
    pub task: Task,
    /// Where the task stands when nobody holds it. While somebody does, it is where it was claimed.
    pub cycle: Cycle,
    pub held: Option<Held>,
    /// Why it failed, was released or was escalated last.
    pub reason: Option<String>,
    /// Nobody may claim it earlier.
    pub not_before: Option<Timestamp>,
    pub updated_at: Timestamp,
    /// The dependencies that have not completed.
    pub waits_for: Vec<Dependency>,
}

/// Who works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub holder: String,
    pub since: Timestamp,
    pub until: Timestamp,
    pub token: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub id: TaskId,
    /// Nothing if a task that is yet to come was named.
    pub status: Option<TaskStatus>,
}

impl Dependency {
    /// It came to an end that is not completion: what depends on it will not run as things stand.
    pub fn is_in_the_way(&self) -> bool {
        match self.status {
            Some(TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::Escalated) => true,
            Some(TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Completed) | None => false,
        }
    }
}

impl StoredTask {
    /// Why it is not run although it is pending; nothing if it merely waits its turn.
    pub fn blocked_because(&self) -> Option<String> {
        let culprit = self.waits_for.iter().find(|dependency| dependency.is_in_the_way())?;
        let fate = match culprit.status? {
            TaskStatus::Failed => "has failed",
            TaskStatus::Cancelled => "was cancelled",
            TaskStatus::Escalated => "is escalated and waits for a human",
            TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Completed => return None,
        };
        Some(format!("its dependency {} {fate}", culprit.id))
    }
}
