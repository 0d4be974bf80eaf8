//! Tasks: what agents are given to do, and the words in which the store talks about them.
//!
//! A [`Task`] is the JSON document that people and programs write; a [`NewTask`] is one that was checked; a
//! [`StoredTask`] is one with its standing in the store. Where a task may go from where it is, the
//! [`cycle`](crate::cycle) decides; [`settle`] is the only place where an outcome meets it.

mod audit;
mod id;
mod lease;
mod listing;
mod new_task;
mod note;
mod outcome;
mod refusal;
mod task;
mod validate;

#[cfg(test)]
mod tests;

pub use audit::{AuditEvent, AuditKind};
pub use id::{TaskId, check_agent_name};
pub use lease::Lease;
pub use listing::{Cursor, Dependency, Held, Page, QueueCounts, StoredTask, TaskFilter};
pub use new_task::{Added, MissingDependencies, NewTask, QueueLimit};
pub use note::Note;
pub use outcome::{Expired, Finish, Finished, Outcome, Settled, settle, settle_lost};
pub use refusal::{Invalid, Refusal};
pub use task::Task;
pub(crate) use validate::{check_line, check_size};
