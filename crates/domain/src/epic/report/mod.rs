//! What became of an epic: the last page of its run, for whoever has to answer for it.

mod attention;
mod page;
#[cfg(test)]
mod tests;
mod ticket;

use jiff::Timestamp;
use serde::Serialize;

use super::Stop;
use crate::cycle::{ReviewMode, TicketStatus, Work};
use crate::formats::review_report::{BlockingIssue, DimensionScores, ReportFinding};
use crate::gate::Criterion;
use crate::review::Usage;

pub use attention::{Attention, AttentionKind, attention};
pub use page::markdown;

/// A plain value, put together by whoever ran the epic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpicReport {
    pub epic_id: String,
    pub title: String,
    pub epic_branch: String,
    pub base_branch: Option<String>,
    pub base_commit: Option<String>,
    /// Where the epic branch is now.
    pub epic_commit: Option<String>,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub review: ReviewMode,
    pub tests: Tests,
    /// The overall score a review has to reach.
    pub threshold: u8,
    /// Why the epic came to a halt before all of its tickets were through.
    pub stopped: Option<Stop>,
    pub usage: Usage,
    #[serde(flatten)]
    pub unknown: Unknown,
    /// In the order of the epic.
    pub tickets: Vec<TicketReport>,
    /// Commits in the epic branch that passed no gate, as `3f2a1b0 Subject`.
    pub unreviewed: Vec<String>,
    /// What else is to be known of the run, as that a reviewer could not be confined.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tests {
    Configured,
    /// No command is known, so nothing was run.
    NotConfigured,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TicketReport {
    pub id: String,
    pub title: String,
    pub status: TicketStatus,
    pub branch: Option<String>,
    pub base_commit: Option<String>,
    pub final_commit: Option<String>,
    /// Of work on it: building, validating, reviewing and merging. Waiting, and hours in which nobody ran the epic, do
    /// not count.
    pub seconds: Option<u64>,
    pub usage: Usage,
    #[serde(flatten)]
    pub unknown: Unknown,
    /// How often an agent was at it when somebody stopped the run.
    pub cut_off: u32,
    /// Where its branch is, if somebody moved it after it was approved.
    pub moved_to: Option<String>,
    /// Oldest first.
    pub attempts: Vec<AttemptReport>,
    /// Findings that were recorded late and let through.
    pub accepted_late: Vec<ReportFinding>,
    pub stopped: Option<Stop>,
    pub failure_reason: Option<String>,
    /// The dependencies that could not be completed.
    pub blocked_by: Vec<String>,
    pub merge: Merge,
}

/// What became of a ticket's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Merge {
    /// Nobody asked for it, or it was not its turn.
    NotAttempted,
    Merged {
        commit: String,
    },
    /// The files that both sides changed.
    Conflict {
        files: Vec<String>,
    },
    /// It merged, but the result did not pass validation, or the branch holds commits nobody reviewed.
    Refused {
        reason: String,
    },
}

/// One go of the builder and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptReport {
    /// 0 for the original attempt, as `revision_count`.
    pub attempt: u32,
    pub work: Work,
    /// Why finished work had to be fitted to what others had brought in.
    pub rebased_after: Option<String>,
    pub outcome: AttemptOutcome,
    pub overall_score: Option<i64>,
    pub blocking_issues: Vec<BlockingIssue>,
    pub findings: Vec<ReportFinding>,
    /// What the gate corrected in the reviewer's own report.
    pub corrected: Vec<String>,
    pub reviewer: Option<String>,
    /// How many of its reviews proved nothing.
    pub inconclusive: usize,
    /// By which the verdict was reached, if there is one.
    pub dimension_scores: DimensionScores,
    /// The criteria of the gate that were not met.
    pub unmet: Vec<Criterion>,
    pub seconds: Option<u64>,
    pub usage: Usage,
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What is missing from a [`Usage`]: as long as something is, that is the least it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// How often somebody was started who did not say what they used.
    pub unmetered: u32,
    /// How often it is known what was used and not what that costs.
    pub unpriced: u32,
}

impl Unknown {
    /// Of one who was started.
    pub fn of(usage: Option<Usage>) -> Unknown {
        match usage.filter(Usage::is_metered) {
            None => Unknown { unmetered: 1, unpriced: 0 },
            Some(usage) => {
                let unpriced = usage.calls > 0 && usage.cost_micro_usd.is_none();
                Unknown { unmetered: 0, unpriced: u32::from(unpriced) }
            }
        }
    }

    pub fn is_nothing(self) -> bool {
        self == Unknown::default()
    }
}

impl std::ops::AddAssign for Unknown {
    fn add_assign(&mut self, other: Unknown) {
        self.unmetered = self.unmetered.saturating_add(other.unmetered);
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AttemptOutcome {
    Passed,
    Failed,
    /// Validation kept it from being reviewed.
    Invalid {
        reason: String,
    },
    /// The review proved nothing.
    Inconclusive {
        reason: String,
    },
    /// The builder did not get that far.
    Crashed {
        reason: String,
    },
    /// Validated and taken as it is: the epic is not reviewed.
    Unreviewed,
    /// Nobody came to review it yet.
    NotReviewed,
}
