use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Role;
use crate::change::Oid;
use crate::cycle::AssignmentStatus;

/// A verdict as it is kept: never changed, never taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub reviewer: String,
    pub role: Role,
    /// Whose work it was.
    pub coder: String,
    pub attempt: u32,
    pub head_commit: Option<Oid>,
    pub outcome: ReviewOutcome,
    /// What became of the assignment.
    pub status: AssignmentStatus,
    pub feedback: Option<String>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOutcome {
    Approved,
    Rejected,
    Inconclusive,
}

impl ReviewOutcome {
    pub const ALL: [ReviewOutcome; 3] =
        [ReviewOutcome::Approved, ReviewOutcome::Rejected, ReviewOutcome::Inconclusive];

    pub fn as_str(self) -> &'static str {
        match self {
            ReviewOutcome::Approved => "approved",
            ReviewOutcome::Rejected => "rejected",
            ReviewOutcome::Inconclusive => "inconclusive",
        }
    }
}
