use std::time::Duration;

use serde_json::Value;

use super::{Added, NewTask, TaskId};
use crate::cycle::{self, Cycle, Effect, Event, Illegal, TaskStatus};
use crate::text::short_line;

/// How a holder parts with its task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The work is done. A review task ends with a verdict instead.
    Completed,
    /// The verdict of a review task.
    Reviewed(cycle::Outcome),
    /// It crashed or timed out. Tried again after `retry_after`, or after the wait of the task's own limits,
    /// until its retries are used up.
    Failed { reason: String, retry_after: Option<Duration> },
    /// What should do the work cannot be run at all: not tried again.
    CannotRun { reason: String },
    /// Given back as it was, at no cost.
    Released,
    /// Given back as it was, at no cost, and not to be had again for a while: something is in the way.
    Postponed { reason: String, wait: Duration },
}

/// All that a finishing transaction stores at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    pub outcome: Outcome,
    /// Added whatever the limit of their queue says: what follows from finished work is not turned away.
    pub follow_ups: Vec<NewTask>,
    /// Kept with the event.
    pub detail: Value,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub status: TaskStatus,
    pub effects: Vec<Effect>,
    pub follow_ups: Vec<Added>,
}

/// A task whose holder was gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expired {
    pub task: TaskId,
    pub holder: String,
    /// `pending` again, or `failed` if that happened too often.
    pub status: TaskStatus,
}

/// Where a claimed task goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub cycle: Cycle,
    pub effects: Vec<Effect>,
    pub retry_after: Duration,
    pub reason: Option<String>,
}

impl From<Outcome> for Finish {
    fn from(outcome: Outcome) -> Finish {
        Finish { outcome, follow_ups: Vec::new(), detail: Value::Null }
    }
}

impl Finish {
    pub fn followed_by(mut self, task: NewTask) -> Finish {
        self.follow_ups.push(task);
        self
    }
}

impl Settled {
    pub fn status(&self) -> TaskStatus {
        TaskStatus::of(self.cycle.state())
    }
}

/// Applies an outcome to the cycle of a claimed task. `resting` is the cycle as it was claimed.
pub fn settle(resting: &Cycle, outcome: &Outcome) -> Result<Settled, Illegal> {
    match outcome {
        Outcome::Completed => step(resting, &Event::Submit, None),
        Outcome::Reviewed(verdict) => step(resting, &Event::reviewed(verdict.clone()), None),
        Outcome::Failed { reason, retry_after } => {
            step(resting, &Event::ExecutionFailed { reason: short_line(reason) }, *retry_after)
        }
        Outcome::CannotRun { reason } => {
            step(resting, &Event::CannotRun { reason: short_line(reason) }, None)
        }
        Outcome::Released => Ok(Settled {
            cycle: resting.clone(),
            effects: Vec::new(),
            retry_after: Duration::ZERO,
            reason: None,
        }),
        Outcome::Postponed { reason, wait } => Ok(Settled {
            cycle: resting.clone(),
            effects: Vec::new(),
            retry_after: *wait,
            reason: Some(short_line(reason)),
        }),
    }
}

/// Applies the loss of the holder: a crash that is tried again at once, for the lease was wait enough.
pub fn settle_lost(resting: &Cycle, holder: &str) -> Result<Settled, Illegal> {
    let reason = short_line(&format!("{holder} stopped answering"));
    step(resting, &Event::ExecutionFailed { reason }, Some(Duration::ZERO))
}

fn step(resting: &Cycle, event: &Event, retry_after: Option<Duration>) -> Result<Settled, Illegal> {
    let (working, _) = resting.apply(&Event::Start)?;
    let (cycle, effects) = working.apply(event)?;
    let waits = effects.iter().find_map(|effect| match effect {
        Effect::RetryAfter { seconds } => Some(Duration::from_secs(u64::from(*seconds))),
        _ => None,
    });
    let retry_after = waits.map(|waits| retry_after.unwrap_or(waits)).unwrap_or_default();
    let reason = cycle.failure_reason().or_else(|| crash_reason(event));
    Ok(Settled { cycle, effects, retry_after, reason })
}

fn crash_reason(event: &Event) -> Option<String> {
    match event {
        Event::ExecutionFailed { reason } | Event::CannotRun { reason } => Some(reason.clone()),
        Event::Reviewed { outcome: cycle::Outcome::Inconclusive { reason } } => Some(short_line(reason)),
        _ => None,
    }
}
