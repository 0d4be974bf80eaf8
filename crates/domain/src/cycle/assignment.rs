use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cycle, ReviewMark, State};
use crate::text::short_line;

/// What a coder and a reviewer hand to and fro. `completed` is the author's word for "submitted"; `closed`, a
/// human's end to an escalated one, is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssignmentStatus {
    Pending,
    Accepted,
    InProgress,
    Completed,
    Rework,
    Approved,
    Escalated,
    Closed,
}

/// The answer to `submit_review_result`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewResult {
    /// `approved`, `rework` or `escalated`; still `completed` if the review was inconclusive and is repeated.
    pub status: AssignmentStatus,
    pub review_attempt: u32,
    pub max_cycles: u32,
    pub escalated: bool,
    pub message: String,
}

impl AssignmentStatus {
    pub const ALL: [AssignmentStatus; 8] = [
        AssignmentStatus::Pending,
        AssignmentStatus::Accepted,
        AssignmentStatus::InProgress,
        AssignmentStatus::Completed,
        AssignmentStatus::Rework,
        AssignmentStatus::Approved,
        AssignmentStatus::Escalated,
        AssignmentStatus::Closed,
    ];

    /// States that this lifecycle does not know read as their nearest neighbour.
    pub fn of(state: &State) -> AssignmentStatus {
        match state {
            State::Pending | State::Queued => AssignmentStatus::Pending,
            State::Accepted => AssignmentStatus::Accepted,
            State::Working { .. } => AssignmentStatus::InProgress,
            State::Validating | State::Reviewing => AssignmentStatus::Completed,
            State::SentBack => AssignmentStatus::Rework,
            State::Done { .. } => AssignmentStatus::Approved,
            State::Escalated { .. } | State::Failed { .. } | State::Blocked { .. } => {
                AssignmentStatus::Escalated
            }
            State::Closed => AssignmentStatus::Closed,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            AssignmentStatus::Pending => "pending",
            AssignmentStatus::Accepted => "accepted",
            AssignmentStatus::InProgress => "in_progress",
            AssignmentStatus::Completed => "completed",
            AssignmentStatus::Rework => "rework",
            AssignmentStatus::Approved => "approved",
            AssignmentStatus::Escalated => "escalated",
            AssignmentStatus::Closed => "closed",
        }
    }
}

impl AssignmentStatus {
    /// Those that `get_my_assignment` returns to a coder.
    pub fn is_active_for_author(self) -> bool {
        match self {
            AssignmentStatus::Pending
            | AssignmentStatus::Accepted
            | AssignmentStatus::InProgress
            | AssignmentStatus::Rework => true,
            AssignmentStatus::Completed
            | AssignmentStatus::Approved
            | AssignmentStatus::Escalated
            | AssignmentStatus::Closed => false,
        }
    }
}

impl ReviewResult {
    /// Of the cycle as it stands after the verdict.
    pub fn of(after: &Cycle) -> ReviewResult {
        let status = AssignmentStatus::of(after.state());
        let (review_attempt, max_cycles) = (after.review_attempt(), after.max_reviews());
        let message = match status {
            AssignmentStatus::Approved => format!("Approved on attempt {review_attempt} of {max_cycles}"),
            AssignmentStatus::Rework => {
                format!("Sent back for rework; attempt {review_attempt} of {max_cycles} comes next")
            }
            AssignmentStatus::Escalated => {
                let reason = after.failure_reason().unwrap_or_default();
                format!("Escalated for human review. {reason}")
            }
            AssignmentStatus::Completed => {
                format!("Inconclusive; attempt {review_attempt} of {max_cycles} is reviewed again")
            }
            AssignmentStatus::Pending
            | AssignmentStatus::Accepted
            | AssignmentStatus::InProgress
            | AssignmentStatus::Closed => "Not under review".to_owned(),
        };
        let escalated = status == AssignmentStatus::Escalated;
        ReviewResult { status, review_attempt, max_cycles, escalated, message }
    }
}

/// The line for [`Effect::LogReview`](super::Effect::LogReview). `what` was reviewed, such as `assignment 7`, and
/// `attempt` is the one that was.
pub fn review_log_line(
    mark: ReviewMark,
    what: &str,
    attempt: u32,
    max_cycles: u32,
    feedback: &str,
) -> String {
    let (prefix, what, feedback) = (mark.prefix(), short_line(what), short_line(feedback));
    let line = match mark {
        ReviewMark::Approved => {
            format!("{prefix} {what} approved on attempt {attempt}/{max_cycles}")
        }
        ReviewMark::Rejected => {
            format!("{prefix} {what} needs rework, attempt {attempt}/{max_cycles}")
        }
        ReviewMark::Escalation => {
            format!("{prefix} {what} escalated to human review on attempt {attempt}/{max_cycles}")
        }
    };
    if feedback.is_empty() { line } else { format!("{line}: {feedback}") }
}
