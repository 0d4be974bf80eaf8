use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::State;

/// A task in an agent's queue. `cancelled` and `escalated` are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
    Cancelled,
    Escalated,
}

impl TaskStatus {
    pub const ALL: [TaskStatus; 6] = [
        TaskStatus::Pending,
        TaskStatus::InProgress,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
        TaskStatus::Escalated,
    ];

    /// States that this lifecycle does not know read as their nearest neighbour.
    pub fn of(state: &State) -> TaskStatus {
        match state {
            State::Pending | State::Queued | State::Accepted | State::SentBack => TaskStatus::Pending,
            State::Working { .. } | State::Validating | State::Reviewing => TaskStatus::InProgress,
            State::Done { .. } => TaskStatus::Completed,
            State::Failed { .. } => TaskStatus::Failed,
            State::Closed => TaskStatus::Cancelled,
            State::Escalated { .. } | State::Blocked { .. } => TaskStatus::Escalated,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
            TaskStatus::Escalated => "escalated",
        }
    }
}
