use crate::tasks::{Held, TaskId};

/// Locks that programs which know nothing of the store put on tasks.
///
/// The store keeps its users from one another; this keeps them from everybody else. A worker that has claimed
/// a task takes its lock before it begins.
pub trait TaskLocks: Send + Sync {
    /// Takes the lock for whoever the store says holds the task, unless somebody else has it. Brief: it is
    /// called between two steps of a worker. Called again for the same holding, it is still ours. The lock goes
    /// when the task is given up, by whoever shows the store's tasks, so a worker that dies leaves it to them.
    fn acquire(&self, task: &TaskId, held: &Held) -> Locked;
}

/// What came of taking a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locked {
    Ours,
    /// Another program works on the task, or did until a moment ago.
    Foreign,
    /// It could not be found out. The lease in the store stands all the same.
    Unknown {
        reason: String,
    },
}

/// Where nobody but the store's users works.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLocks;

impl TaskLocks for NoLocks {
    fn acquire(&self, _: &TaskId, _: &Held) -> Locked {
        Locked::Ours
    }
}
