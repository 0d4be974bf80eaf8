//! A worker: takes tasks off a queue, has them handled and stores what came of it.
//!
//! What a worker promises, however it ends:
//! - A task is finished by whoever holds its lease, in one transaction with the tasks that follow from it. A
//!   worker that dies before that has changed nothing but its lease; after that, everything is there once.
//! - A lease that was lost stops the work, and nothing of it is stored.
//! - Nothing a handler does ends the worker: what it says, how it fails, that it hangs or panics.

mod attempt;
mod conclude;
mod finish;
mod follow_up;
mod handler;
mod run;

pub use conclude::{Judgement, PastReview};
pub use follow_up::{ENGINEER, Origin, fix_task, next_review_task};
pub use handler::{Handled, Handlers, Handling, Job, TaskHandler};
pub use run::run_agent;
