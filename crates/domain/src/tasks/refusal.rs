use super::TaskId;
use crate::cycle::Illegal;

/// Why the store did not do what it was asked. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("there is already a task {0}")]
    Duplicate(TaskId),
    #[error("the queue of {agent} is full: it holds {limit} tasks that are not finished")]
    QueueFull { agent: String, limit: u32 },
    #[error(
        "task {task} depends on {dependency}, which does not exist; if {dependency} is to wait for {task}, neither can ever run"
    )]
    UnknownDependency { task: TaskId, dependency: TaskId },
    #[error("task {0} would wait for itself through its dependencies")]
    DependencyCycle(TaskId),
    /// Somebody else holds the task by now, or nobody does.
    #[error("the lease on task {task} with token {token} is no longer valid")]
    StaleLease { task: TaskId, token: i64 },
    #[error(transparent)]
    Illegal(#[from] Illegal),
    #[error("there is no task {0}")]
    NotFound(TaskId),
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// A field that cannot be taken as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct Invalid {
    pub field: String,
    pub reason: String,
}

impl Invalid {
    pub fn new(field: &str, reason: impl Into<String>) -> Invalid {
        Invalid { field: field.to_owned(), reason: reason.into() }
    }
}
