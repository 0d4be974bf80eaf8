use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose words a cycle speaks, and where the four differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Lifecycle {
    Ticket { review: ReviewMode },
    Assignment,
    Story,
    Task { task: TaskKind },
}

/// Whether a ticket has to be reviewed after it was validated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewMode {
    #[default]
    On,
    Off,
}

/// What a task asks of its agent, as far as the cycle cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// Ends with a verdict.
    Review,
    /// Answers a review; the next review follows from it.
    Fix,
    /// Anything else an agent is given.
    Other,
}

/// Where an item stands. Which of these a lifecycle knows, and by which name, is its view's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum State {
    Pending,
    Queued,
    Accepted,
    Working {
        work: Work,
    },
    Validating,
    Reviewing,
    /// Rejected, waiting for its author to begin the correction.
    SentBack,
    Done {
        outcome: Done,
    },
    Failed {
        cause: Cause,
    },
    Blocked {
        by: Blocker,
    },
    Escalated {
        cause: Cause,
    },
    /// Ended without a result, by a human.
    Closed,
}

/// What the author is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// The first attempt.
    Build,
    /// Correcting what a review found.
    Revise,
    /// Correcting what validation found; no review has been spent on it.
    Repair,
    /// Fitting finished work to what was merged before it.
    Rebase,
}

/// How an item came to its good end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// A review passed it. The only end that may be countersigned.
    Approved,
    /// A human took it with its findings.
    Accepted,
    /// Nobody reviewed it, because nobody was to.
    Unreviewed,
    /// A review task whose verdict was "changes requested": its work is done, a fix task carries on.
    HandedOn,
}

/// Why the machine stopped trying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Cause {
    /// The last allowed review still found something.
    ReviewLimit,
    /// Corrections lead nowhere, though more of them would be allowed.
    Stuck { reason: String },
    /// Reviews kept proving nothing.
    Inconclusive { reason: String },
    /// Validation kept failing.
    Validation { reason: String },
    /// The work kept crashing or timing out.
    Execution { reason: String },
    /// It kept not fitting to what was merged before it.
    Merge { reason: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Blocker {
    /// The dependencies that cannot complete as things stand.
    Dependencies { failed: BTreeSet<String> },
    /// A human took it over and fixes it by hand; `cause` is what it was escalated for.
    Human { cause: Cause },
}

/// What has been used up so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// The present review, from 1. A ticket's `revision_count` is one less.
    pub attempt: u32,
    /// Reviews that humans allowed beyond the limit.
    pub granted: u32,
    /// Inconclusive reviews since the last conclusive one.
    pub inconclusive: u32,
    /// Failed validations since the last passed one.
    pub validation_failures: u32,
    /// Crashes since work was last submitted. A task's `retry_count`.
    pub execution_failures: u32,
    /// Tickets: how often finished work could not be merged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub merge_failures: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Who has to do something before anything happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    Scheduler,
    Author,
    Validation,
    Reviewer,
    Dependencies,
    Human,
    /// It is over.
    Nobody,
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            attempt: 1,
            granted: 0,
            inconclusive: 0,
            validation_failures: 0,
            execution_failures: 0,
            merge_failures: 0,
        }
    }
}
