use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AssignmentStatus, BadLimits, Blocker, Cause, Chain, Counters, Done, Lifecycle, Limits, ReviewMode, State,
    StoryStatus, TaskKind, TaskStatus, TicketStatus, WaitsFor, Work,
};

/// One item on its way through the review cycle. Changes only by [`Cycle::apply`]; what is read back from
/// storage is checked to be something the machine could have written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Cycle {
    pub(super) lifecycle: Lifecycle,
    pub(super) limits: Limits,
    pub(super) state: State,
    pub(super) counters: Counters,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCycle {
    #[error(transparent)]
    Limits(#[from] BadLimits),
    #[error("a {0} is never in this state")]
    State(&'static str),
    #[error("the counters are past their limits")]
    Counters,
}

/// The status in the words of the item's own lifecycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ticket(TicketStatus),
    Assignment(AssignmentStatus),
    Story(StoryStatus),
    Task(TaskStatus),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Cycle", deny_unknown_fields)]
struct Stored {
    lifecycle: Lifecycle,
    limits: Limits,
    state: State,
    counters: Counters,
}

impl Cycle {
    pub fn ticket(review: ReviewMode, limits: Limits) -> Result<Cycle, BadLimits> {
        Cycle::new(Lifecycle::Ticket { review }, limits, Chain::FIRST)
    }

    pub fn assignment(limits: Limits) -> Result<Cycle, BadLimits> {
        Cycle::new(Lifecycle::Assignment, limits, Chain::FIRST)
    }

    pub fn story(limits: Limits) -> Result<Cycle, BadLimits> {
        Cycle::new(Lifecycle::Story, limits, Chain::FIRST)
    }

    /// `chain` is [`Chain::FIRST`] unless an effect of another task asked for this one.
    pub fn task(task: TaskKind, limits: Limits, chain: Chain) -> Result<Cycle, BadLimits> {
        Cycle::new(Lifecycle::Task { task }, limits, chain)
    }

    /// A chain from outside may claim anything; more than the hard cap it does not get.
    fn new(lifecycle: Lifecycle, limits: Limits, chain: Chain) -> Result<Cycle, BadLimits> {
        limits.validate()?;
        let granted = chain.granted.min(limits.hard_cap - lifecycle.base_reviews(&limits));
        let most = lifecycle.base_reviews(&limits) + granted;
        let counters = Counters {
            attempt: chain.review_attempt.clamp(lifecycle.first_attempt(), most),
            granted,
            ..Counters::default()
        };
        Ok(Cycle { lifecycle, limits, state: State::Pending, counters })
    }

    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Reviews made before this one, as tickets count.
    pub fn revision_count(&self) -> u32 {
        self.counters.attempt - 1
    }

    /// The present review cycle from 1, as assignments count.
    pub fn review_attempt(&self) -> u32 {
        self.counters.attempt
    }

    /// The present round from 1, as stories count. While the fixer works it is the round whose findings it
    /// fixes.
    pub fn round(&self) -> u32 {
        self.counters.attempt
    }

    /// Crashes since work was last submitted, as tasks count (`retry_count`).
    pub fn retry_count(&self) -> u32 {
        self.counters.execution_failures
    }

    /// How many reviews it may have in all, with what humans granted.
    pub fn max_reviews(&self) -> u32 {
        self.lifecycle.base_reviews(&self.limits) + self.counters.granted
    }

    pub fn view(&self) -> Status {
        match self.lifecycle {
            Lifecycle::Ticket { .. } => Status::Ticket(TicketStatus::of(&self.state)),
            Lifecycle::Assignment => Status::Assignment(AssignmentStatus::of(&self.state)),
            Lifecycle::Story => Status::Story(StoryStatus::of(&self.state)),
            Lifecycle::Task { .. } => Status::Task(TaskStatus::of(&self.state)),
        }
    }

    /// The status as its lifecycle writes it.
    pub fn status(&self) -> &'static str {
        match self.view() {
            Status::Ticket(status) => status.as_str(),
            Status::Assignment(status) => status.as_str(),
            Status::Story(status) => status.as_str(),
            Status::Task(status) => status.as_str(),
        }
    }

    pub fn waits_for(&self) -> WaitsFor {
        match &self.state {
            State::Pending | State::Queued => WaitsFor::Scheduler,
            State::Accepted | State::Working { .. } | State::SentBack => WaitsFor::Author,
            State::Validating => WaitsFor::Validation,
            State::Reviewing => WaitsFor::Reviewer,
            State::Blocked { by: Blocker::Dependencies { .. } } => WaitsFor::Dependencies,
            State::Blocked { by: Blocker::Human { .. } } | State::Escalated { .. } | State::Failed { .. } => {
                WaitsFor::Human
            }
            State::Done { .. } | State::Closed => WaitsFor::Nobody,
        }
    }

    /// Why it stopped, in a sentence; nothing unless it failed, was escalated or was blocked by a human.
    pub fn failure_reason(&self) -> Option<String> {
        match &self.state {
            State::Failed { cause }
            | State::Escalated { cause }
            | State::Blocked { by: Blocker::Human { cause } } => Some(self.explain(cause)),
            State::Pending
            | State::Queued
            | State::Accepted
            | State::Working { .. }
            | State::Validating
            | State::Reviewing
            | State::SentBack
            | State::Done { .. }
            | State::Blocked { by: Blocker::Dependencies { .. } }
            | State::Closed => None,
        }
    }

    pub(super) fn explain(&self, cause: &Cause) -> String {
        let limits = &self.limits;
        let with = |text: String, reason: &str| {
            if reason.is_empty() { text } else { format!("{text}: {reason}") }
        };
        match cause {
            Cause::ReviewLimit => match self.lifecycle {
                Lifecycle::Ticket { .. } => {
                    format!("Review failed after {}", counted(limits.max_revisions, "revision"))
                }
                Lifecycle::Assignment | Lifecycle::Task { .. } => {
                    format!("Review failed after {}", counted(self.max_reviews(), "review cycle"))
                }
                Lifecycle::Story => {
                    format!("Review failed after {}", counted(self.max_reviews(), "review round"))
                }
            },
            Cause::Stuck { reason } => with("Review leads nowhere".to_owned(), reason),
            Cause::Inconclusive { reason } => {
                with(format!("Review inconclusive after {}", retries(limits.inconclusive_retries)), reason)
            }
            Cause::Validation { reason } => with(
                format!("Validation failed after {}", counted(limits.max_validation_failures, "correction")),
                reason,
            ),
            Cause::Merge { reason } => with(
                format!("Merge failed after {}", counted(limits.max_validation_failures, "correction")),
                reason,
            ),
            Cause::Execution { reason } if self.counters.execution_failures < limits.max_retries => {
                with("Execution failed, and another try would end the same way".to_owned(), reason)
            }
            Cause::Execution { reason } => {
                with(format!("Execution failed after {}", retries(limits.max_retries)), reason)
            }
        }
    }
}

fn counted(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn retries(number: u32) -> String {
    if number == 1 { "1 retry".to_owned() } else { format!("{number} retries") }
}

impl Lifecycle {
    pub fn as_str(self) -> &'static str {
        match self {
            Lifecycle::Ticket { .. } => "ticket",
            Lifecycle::Assignment => "assignment",
            Lifecycle::Story => "story",
            Lifecycle::Task { .. } => "task",
        }
    }

    /// Reviews without anybody's special permission.
    fn base_reviews(self, limits: &Limits) -> u32 {
        match self {
            Lifecycle::Ticket { .. } => limits.max_revisions + 1,
            Lifecycle::Assignment | Lifecycle::Task { .. } => limits.max_review_cycles,
            Lifecycle::Story => limits.max_rounds,
        }
    }

    /// Reviews are counted from 1; a fix may come before the first of them.
    fn first_attempt(self) -> u32 {
        match self {
            Lifecycle::Task { task: TaskKind::Fix } => 0,
            Lifecycle::Task { task: TaskKind::Review | TaskKind::Other }
            | Lifecycle::Ticket { .. }
            | Lifecycle::Assignment
            | Lifecycle::Story => 1,
        }
    }

    /// Whether an item of this kind can be in `state` at all.
    fn knows(self, state: &State) -> bool {
        use Lifecycle::{Assignment, Story, Task, Ticket};
        match state {
            State::Pending => true,
            State::Queued | State::Validating => matches!(self, Ticket { .. }),
            State::Accepted => matches!(self, Assignment),
            State::Working { work: Work::Build } => !matches!(self, Story),
            State::Working { work: Work::Revise } => true,
            State::Working { work: Work::Repair | Work::Rebase } => matches!(self, Ticket { .. }),
            State::Reviewing => {
                matches!(self, Ticket { review: ReviewMode::On } | Assignment | Story)
                    || matches!(self, Task { task: TaskKind::Review })
            }
            State::SentBack => matches!(self, Ticket { .. } | Assignment),
            State::Done { outcome: Done::Approved } => true,
            State::Done { outcome: Done::Accepted } => !matches!(self, Ticket { .. }),
            State::Done { outcome: Done::Unreviewed } => matches!(self, Ticket { .. } | Task { .. }),
            State::Done { outcome: Done::HandedOn } => matches!(self, Task { .. }),
            State::Failed { .. } => matches!(self, Ticket { .. } | Task { .. }),
            State::Blocked { by: Blocker::Dependencies { .. } } => matches!(self, Ticket { .. }),
            State::Blocked { by: Blocker::Human { .. } } => matches!(self, Story),
            State::Escalated { .. } => !matches!(self, Ticket { .. }),
            State::Closed => matches!(self, Assignment | Task { .. }),
        }
    }
}

impl From<Cycle> for Stored {
    fn from(Cycle { lifecycle, limits, state, counters }: Cycle) -> Self {
        Stored { lifecycle, limits, state, counters }
    }
}

impl TryFrom<Stored> for Cycle {
    type Error = BadCycle;

    fn try_from(Stored { lifecycle, limits, state, counters }: Stored) -> Result<Self, Self::Error> {
        limits.validate()?;
        if !lifecycle.knows(&state) {
            return Err(BadCycle::State(lifecycle.as_str()));
        }
        let most = lifecycle.base_reviews(&limits).saturating_add(counters.granted);
        let in_bounds = most <= limits.hard_cap
            && (lifecycle.first_attempt()..=most).contains(&counters.attempt)
            && counters.inconclusive <= limits.inconclusive_retries
            && counters.validation_failures <= limits.max_validation_failures
            && counters.execution_failures <= limits.max_retries
            && counters.merge_failures <= limits.max_validation_failures;
        if in_bounds { Ok(Cycle { lifecycle, limits, state, counters }) } else { Err(BadCycle::Counters) }
    }
}
