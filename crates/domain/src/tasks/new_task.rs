use super::{Invalid, Note, Task, TaskId};
use crate::cycle::{Chain, Cycle, Limits, TaskKind};

/// A task that was found fit for the store, with the cycle it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    task: Task,
    cycle: Cycle,
    key: Option<String>,
    missing_dependencies: MissingDependencies,
}

/// What becomes of a task that depends on one that the store does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingDependencies {
    Refused,
    /// The task waits until the other one has come and is completed.
    WaitedFor,
}

/// What became of a task that was to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    Created(TaskId),
    /// One with the same key was added before, under this id.
    AlreadyThere(TaskId),
}

/// How many unfinished tasks an agent's queue may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueLimit {
    AtMost(u32),
    Unlimited,
}

impl NewTask {
    /// The first of its chain of reviews and fixes. `limits` are the project's; the task may have its own number of
    /// reviews, which holds for its whole chain.
    pub fn new(task: Task, limits: Limits) -> Result<NewTask, Invalid> {
        let max_review_cycles = task.max_review_cycles.unwrap_or(limits.max_review_cycles);
        let limits = Limits { max_review_cycles, ..limits };
        let chain = match task.cycle_kind() {
            TaskKind::Fix => Chain::UNREVIEWED,
            TaskKind::Review | TaskKind::Other => Chain::FIRST,
        };
        NewTask::in_chain(task, limits, chain)
    }

    /// For a task that an effect of another one asked for.
    pub fn in_chain(mut task: Task, limits: Limits, chain: Chain) -> Result<NewTask, Invalid> {
        task.validate()?;
        let cycle = Cycle::task(task.cycle_kind(), limits, chain)
            .map_err(|bad| Invalid::new(limiting_field(&task), bad.to_string()))?;
        task.retry_count = 0;
        Ok(NewTask { task, cycle, key: None, missing_dependencies: MissingDependencies::Refused })
    }

    /// However often a task with this key is added, there is one.
    pub fn once(self, key: impl Into<String>) -> NewTask {
        NewTask { key: Some(key.into()), ..self }
    }

    /// For a task whose dependencies may come after it, as files do.
    pub fn waiting_for_missing(self) -> NewTask {
        NewTask { missing_dependencies: MissingDependencies::WaitedFor, ..self }
    }

    /// With a note for whoever works on it first.
    pub fn noted(mut self, note: &Note) -> Result<NewTask, Invalid> {
        self.task.notes.push(note.as_str().to_owned());
        self.task.validate()?;
        Ok(self)
    }

    pub fn task(&self) -> &Task {
        &self.task
    }

    pub fn cycle(&self) -> &Cycle {
        &self.cycle
    }

    pub fn missing_dependencies(&self) -> MissingDependencies {
        self.missing_dependencies
    }

    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

/// What to change where the limits cannot be kept.
fn limiting_field(task: &Task) -> &'static str {
    if task.max_review_cycles.is_some() { "max_review_cycles" } else { "limits" }
}

impl Added {
    pub fn id(&self) -> &TaskId {
        match self {
            Added::Created(id) | Added::AlreadyThere(id) => id,
        }
    }
}
