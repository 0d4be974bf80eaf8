use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Tally;
use crate::gate::Decision;
use crate::review::Verdict;

/// Something that happened. The log of accepted events is the item's history and can be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A ticket's dependencies are complete and it waits for a free builder.
    Enqueue,
    /// An agent took its assignment.
    Accept,
    /// Work, correction or review begins.
    Start,
    /// The author says it is finished. Nobody believes that yet.
    Submit,
    ValidationPassed,
    ValidationFailed {
        reason: String,
    },
    Reviewed {
        outcome: Outcome,
    },
    /// Crash, timeout or lost lease of whoever was working.
    ExecutionFailed {
        reason: String,
    },
    /// The program that should do the work is not there or may not be run: it is not tried again.
    CannotRun {
        reason: String,
    },
    DependencyFailed {
        dependency: String,
    },
    DependencyRecovered {
        dependency: String,
    },
    /// The work of a finished ticket cannot be merged, or does not stand once it is.
    MergeFailed {
        reason: String,
    },
    Cancel,
    /// A human lets a failed item begin again, with fresh counters.
    Retry,
    /// A human fixed a blocked story by hand.
    Resume,
    /// A human decides about an escalated item.
    Resolve {
        resolution: Resolution,
    },
}

/// What a review came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    /// Nothing must be fixed but what a person accepted, with a name and a reason.
    Accepted,
    Rejected,
    /// Rejected, and another correction would not help: the same findings again, or one that came back.
    Stuck {
        reason: String,
    },
    /// It proves nothing, and costs nothing.
    Inconclusive {
        reason: String,
    },
}

/// What a human may decide about an escalated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Pause and fix by hand. Stories only: option a).
    Block,
    /// Take it with its findings: option b).
    Accept,
    /// One more try of what gave up: option c).
    OneMore,
    /// End it without a result. Assignments and tasks only.
    Close,
}

impl Event {
    /// As it is called in messages and logs; a resolution counts as an event of its own.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Enqueue => "enqueue",
            Event::Accept => "accept",
            Event::Start => "start",
            Event::Submit => "submit",
            Event::ValidationPassed => "validation_passed",
            Event::ValidationFailed { .. } => "validation_failed",
            Event::Reviewed { .. } => "reviewed",
            Event::ExecutionFailed { .. } => "execution_failed",
            Event::CannotRun { .. } => "cannot_run",
            Event::DependencyFailed { .. } => "dependency_failed",
            Event::DependencyRecovered { .. } => "dependency_recovered",
            Event::MergeFailed { .. } => "merge_failed",
            Event::Cancel => "cancel",
            Event::Retry => "retry",
            Event::Resume => "resume",
            Event::Resolve { resolution } => resolution.event_name(),
        }
    }

    pub fn reviewed(outcome: Outcome) -> Event {
        Event::Reviewed { outcome }
    }

    pub fn resolved(resolution: Resolution) -> Event {
        Event::Resolve { resolution }
    }
}

impl Outcome {
    /// What the gate said, with the trouble it named where the review proves nothing.
    pub fn of_decision(decision: &Decision) -> Outcome {
        match decision.verdict {
            Verdict::Pass => Outcome::Passed,
            Verdict::Fail => Outcome::Rejected,
            Verdict::Inconclusive => {
                let trouble = decision.unmet().find(|criterion| criterion.name == "conclusive");
                Outcome::Inconclusive { reason: trouble.map(|c| c.actual.clone()).unwrap_or_default() }
            }
        }
    }

    /// A story's clean state: nothing that must be fixed, whatever else there is. Only for a conclusive
    /// review: findings say nothing about what was not seen.
    pub fn of_tally(tally: &Tally) -> Outcome {
        if tally.must_fix() == 0 { Outcome::Passed } else { Outcome::Rejected }
    }
}

impl Resolution {
    pub const ALL: [Resolution; 4] =
        [Resolution::Block, Resolution::Accept, Resolution::OneMore, Resolution::Close];

    pub fn as_str(self) -> &'static str {
        match self {
            Resolution::Block => "block",
            Resolution::Accept => "accept",
            Resolution::OneMore => "one_more",
            Resolution::Close => "close",
        }
    }

    fn event_name(self) -> &'static str {
        match self {
            Resolution::Block => "resolve_block",
            Resolution::Accept => "resolve_accept",
            Resolution::OneMore => "resolve_one_more",
            Resolution::Close => "resolve_close",
        }
    }
}
