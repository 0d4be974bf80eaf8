use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cause, Resolution, Work};

/// What has to be done because of a transition. The machine has no clock and no hands: whoever applies the
/// event performs these in order, in the transaction that stores the new state or from its outbox, and
/// performing one twice must do no harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Start a ticket's builder; with [`Work::Revise`] it is given ticket and review feedback.
    SpawnBuilder {
        work: Work,
        after_seconds: u32,
    },
    /// Start a story's fixer on the findings of `round`.
    SpawnFixer {
        round: u32,
        after_seconds: u32,
    },
    /// Have review number `attempt` made, in a fresh context.
    SpawnReviewer {
        attempt: u32,
        reviewer: ReviewerChoice,
        after_seconds: u32,
    },
    RunValidation,
    /// Whoever claims it next may do so only after the wait.
    RetryAfter {
        seconds: u32,
    },

    /// `review_started_at`.
    RecordReviewStarted,
    /// `review_completed_at`, and the report into the review history.
    RecordReviewCompleted {
        attempt: u32,
    },
    /// `review_approved`. From here on a countersignature may be written.
    RecordReviewApproved,
    /// Keep what the reviewer said where the author will find it.
    RecordFeedback {
        attempt: u32,
    },
    /// Put ticket, report and instructions together for revision number `revision_count`.
    PrepareRevisionContext {
        revision_count: u32,
    },
    /// `completed_at`.
    RecordCompleted,
    /// `completed_at` holds no longer.
    ClearCompleted,
    /// Which findings a human took along, and who.
    RecordAcceptedFindings,
    /// `failure_reason`.
    RecordFailure {
        reason: String,
    },

    /// Tell every item that depends on this one that it cannot complete.
    BlockDependents,
    /// Tell them that it can again.
    FreeDependents,

    /// Write the action to the activity log.
    LogActivity {
        action: Activity,
    },
    /// Write the marked line to the log.
    LogReview {
        mark: ReviewMark,
        attempt: u32,
        max_cycles: u32,
    },

    /// Create a `fix` task for `engineer` with the findings.
    QueueFixTask {
        chain: Chain,
    },
    /// Create a `review` task for `qa` of what the fix changed.
    QueueReviewTask {
        chain: Chain,
    },

    /// Open an escalation with the whole story; `options` are what its human may answer. None are offered
    /// where the item already ended and only its retry is left.
    HandToHuman {
        cause: Cause,
        options: Vec<Resolution>,
    },
}

/// Who reviews next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewerChoice {
    Any,
    /// Somebody who has not reviewed this item before, if there is anybody.
    Another,
}

/// What links a review task, its fix task and the next review task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// From 1. A fix task carries the number of the review it answers: 0 if it answers none.
    pub review_attempt: u32,
    /// Reviews that humans allowed beyond the limit.
    pub granted: u32,
}

/// Actions of the activity log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    SubmittedReviewResult,
    EscalatedForHumanReview,
}

/// How a line about a review begins in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewMark {
    Approved,
    Rejected,
    Escalation,
}

impl Chain {
    pub const FIRST: Chain = Chain { review_attempt: 1, granted: 0 };
    /// Of a fix that somebody asked for without a review: the review that follows is the first.
    pub const UNREVIEWED: Chain = Chain { review_attempt: 0, granted: 0 };
}

impl Activity {
    pub fn as_str(self) -> &'static str {
        match self {
            Activity::SubmittedReviewResult => "submitted_review_result",
            Activity::EscalatedForHumanReview => "escalated_for_human_review",
        }
    }
}

impl ReviewMark {
    pub fn prefix(self) -> &'static str {
        match self {
            ReviewMark::Approved => "[REVIEW-APPROVED]",
            ReviewMark::Rejected => "[REVIEW-REJECTED]",
            ReviewMark::Escalation => "[REVIEW-ESCALATION]",
        }
    }
}
