use std::pin::Pin;
use std::time::Duration;

use domain::config::AgentConfig;
use domain::review::Review;
use domain::tasks::Task;
use serde_json::Value;

use crate::stop::Stop;

/// Everything a handler may know. Of a review task it is not shown what earlier reviews of the work said.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    pub task: &'a Task,
    pub agent: &'a AgentConfig,
    /// Who works on it: `qa-1`.
    pub replica: &'a str,
    /// Which review of the work this is, from 1; of a fix, which review it answers.
    pub review_attempt: u32,
    /// A handler that can end early with something worth keeping may listen to it.
    pub stop: &'a Stop,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Handled {
    /// The work is done. Kept with the event; a fix may say here which `head_commit` it left behind.
    Done { detail: Value },
    /// A review that went through the gate.
    Reviewed { review: Box<Review> },
    /// Nothing could be reviewed. It is no verdict, costs no attempt and is tried again.
    Inconclusive { reason: String },
    /// Tried again until the retries are used up.
    Failed { reason: String },
    /// What should do the work cannot be run at all. It is not tried again.
    CannotRun { reason: String },
    /// Not now: somebody outside wants to be left alone for so long. It costs no retry.
    Postponed { reason: String, wait: Duration },
}

pub type Handling<'a> = Pin<Box<dyn Future<Output = Handled> + Send + 'a>>;

/// Does what a task asks for.
///
/// The future is dropped when time is up, the lease is lost or the worker has to stop; whatever it started
/// has to end with it. It runs on the thread that keeps the lease alive, so long computations belong on a
/// thread of their own. A task may be handled more than once: the worker before may have died.
pub trait TaskHandler: Send + Sync {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a>;
}

/// Which handler a task of an agent goes to; [`AgentConfig::handler_for`] says the kind.
pub trait Handlers: Send + Sync {
    fn handler(&self, agent: &AgentConfig, task: &Task) -> &dyn TaskHandler;
}
