use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::State;

/// A ticket of an epic, as `epic-state.json` writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TicketStatus {
    Pending,
    Queued,
    Executing,
    Validating,
    Reviewing,
    NeedsRevision,
    Completed,
    Failed,
    Blocked,
}

impl TicketStatus {
    pub const ALL: [TicketStatus; 9] = [
        TicketStatus::Pending,
        TicketStatus::Queued,
        TicketStatus::Executing,
        TicketStatus::Validating,
        TicketStatus::Reviewing,
        TicketStatus::NeedsRevision,
        TicketStatus::Completed,
        TicketStatus::Failed,
        TicketStatus::Blocked,
    ];

    /// States that this lifecycle does not know read as their nearest neighbour.
    pub fn of(state: &State) -> TicketStatus {
        match state {
            State::Pending => TicketStatus::Pending,
            State::Queued | State::Accepted => TicketStatus::Queued,
            State::Working { .. } => TicketStatus::Executing,
            State::Validating => TicketStatus::Validating,
            State::Reviewing => TicketStatus::Reviewing,
            State::SentBack => TicketStatus::NeedsRevision,
            State::Done { .. } => TicketStatus::Completed,
            State::Failed { .. } | State::Escalated { .. } | State::Closed => TicketStatus::Failed,
            State::Blocked { .. } => TicketStatus::Blocked,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            TicketStatus::Pending => "pending",
            TicketStatus::Queued => "queued",
            TicketStatus::Executing => "executing",
            TicketStatus::Validating => "validating",
            TicketStatus::Reviewing => "reviewing",
            TicketStatus::NeedsRevision => "needs_revision",
            TicketStatus::Completed => "completed",
            TicketStatus::Failed => "failed",
            TicketStatus::Blocked => "blocked",
        }
    }
}
