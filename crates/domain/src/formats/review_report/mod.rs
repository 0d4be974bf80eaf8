//! The `ReviewReport` that orchestrators of epics and tickets read: scores, findings, blocking issues.

mod from_review;
mod into_evidence;
mod scores;
#[cfg(test)]
mod tests;
mod validate;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use scores::{DimensionScores, ScoredDimension};

use super::lenient;
use crate::change::RepoPath;
use crate::review::Review;
use crate::text::{clean_block, clean_line};
use crate::words::Level;

/// What every report of ours names as its reviewer; which kind it was is in [`ReviewReport::countersign`].
pub const REVIEWER: &str = "code-review-agent";

/// A report as it is written and read. Nothing in it is to be believed before the gate has looked at it:
/// see [`ReviewReport::validate`] and [`ReviewReport::into_evidence`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewReport {
    pub ticket_id: String,
    #[serde(deserialize_with = "lenient::de_timestamp")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub reviewed_at: Timestamp,
    pub reviewer: String,
    pub status: ReportStatus,
    #[schemars(range(min = 0, max = 100))]
    pub overall_score: i64,
    /// 0 for the first review of a ticket.
    pub revision_count: u32,
    pub dimension_scores: DimensionScores,
    pub findings: Vec<ReportFinding>,
    pub blocking_issues: Vec<BlockingIssue>,
    /// What the author has to do, if the review failed.
    #[serde(default)]
    pub revision_notes: Option<String>,
    /// True exactly if `status` is `pass`.
    pub approved: bool,
    pub pass_criteria_met: PassCriteriaMet,
    /// The whole review without loss, in reports that Countersign wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countersign: Option<Box<Review>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportStatus {
    Pass,
    Fail,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportFinding {
    pub dimension: String,
    #[serde(deserialize_with = "lenient::de_level")]
    pub severity: Level,
    /// Null if the finding is about no file in particular.
    #[serde(default, deserialize_with = "lenient::de_path")]
    pub file: Option<RepoPath>,
    /// Null if the finding is about no line in particular.
    #[serde(default, deserialize_with = "lenient::de_line")]
    pub line: Option<u32>,
    pub message: String,
    #[serde(default, deserialize_with = "lenient::de_text")]
    #[schemars(with = "String")]
    pub suggestion: String,
}

/// Something that keeps the change from passing, whatever its scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockingIssue {
    pub dimension: String,
    pub message: String,
    pub required_action: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassCriteriaMet {
    pub all_critical_dimensions_pass: bool,
    pub no_blocking_issues: bool,
    pub overall_score_above_threshold: bool,
}

impl ReportStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            ReportStatus::Pass => "pass",
            ReportStatus::Fail => "fail",
        }
    }
}

impl ReviewReport {
    /// The report fit to be handed to another agent: every text cleaned, and without the internal review,
    /// which holds the texts as they were.
    #[must_use]
    pub fn cleaned(mut self) -> ReviewReport {
        self.countersign = None;
        self.ticket_id = clean_line(&self.ticket_id);
        self.reviewer = clean_line(&self.reviewer);
        self.revision_notes = self.revision_notes.as_deref().map(clean_block);
        for finding in &mut self.findings {
            finding.dimension = clean_line(&finding.dimension);
            finding.message = clean_block(&finding.message);
            finding.suggestion = clean_block(&finding.suggestion);
        }
        for issue in &mut self.blocking_issues {
            issue.dimension = clean_line(&issue.dimension);
            issue.message = clean_block(&issue.message);
            issue.required_action = clean_block(&issue.required_action);
        }
        self
    }
}
