//! What people may do with a task as it stands, in commands that they can type.

use domain::cycle::TaskStatus;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Refusal, StoredTask, TaskId};
use store::Store;

use super::resolve::Decision;
use crate::failure::Failure;

/// What came of asking the store to change a task.
#[derive(Debug)]
pub(super) enum Tried<T> {
    Done(T),
    /// Not where the task stands.
    NotNow(Box<StoredTask>),
}

/// Looks at the task if the answer is that it cannot be changed so.
pub(super) async fn tried<T>(
    store: &Store,
    id: &TaskId,
    answer: Result<T, StoreError>,
) -> Result<Tried<T>, StoreError> {
    match answer {
        Err(StoreError::Refused(Refusal::Illegal(_))) => {
            let stored = store.get(id).await?.ok_or_else(|| Refusal::NotFound(id.clone()))?;
            Ok(Tried::NotNow(Box::new(stored)))
        }
        answer => answer.map(Tried::Done),
    }
}

impl<T> Tried<T> {
    /// `verb` completes "it cannot be ...".
    pub(super) fn or_refuse(self, verb: &str) -> Result<T, Failure> {
        match self {
            Tried::Done(done) => Ok(done),
            Tried::NotNow(stored) => Err(refusal(&stored, verb)),
        }
    }
}

fn refusal(stored: &StoredTask, verb: &str) -> Failure {
    let (id, status) = (&stored.task.id, stored.task.status.as_str());
    Failure::new(format!("task {id} is {status}: it cannot be {verb}"), what_works(stored))
}

/// The commands that a task takes now.
pub(super) fn what_works(stored: &StoredTask) -> String {
    let id = &stored.task.id;
    match stored.task.status {
        TaskStatus::Pending | TaskStatus::InProgress => {
            format!("`countersign task cancel {id}` takes it back")
        }
        TaskStatus::Failed => format!("`countersign task retry {id}` has it begin again"),
        TaskStatus::Escalated => {
            let decisions: Vec<_> = decisions(stored).map(Decision::as_str).collect();
            format!("decide with `countersign task resolve {id} {}`", decisions.join("|"))
        }
        TaskStatus::Completed | TaskStatus::Cancelled => {
            "it is over; `countersign task add` queues a new one".to_owned()
        }
    }
}

/// What a human may decide about an escalated task; nothing about any other.
pub(super) fn decisions(stored: &StoredTask) -> impl Iterator<Item = Decision> {
    stored.cycle.options().into_iter().map(Decision::offered)
}
