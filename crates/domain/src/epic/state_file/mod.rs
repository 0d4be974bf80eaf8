//! `epic-state.json`: where an epic stands, for people and other programs to read.
//!
//! The store is the truth; this file follows it. Others may keep fields of their own in it, at any level, and files
//! of before there were reviews lack some of ours: both are read, and nothing anybody wrote is lost.

mod merge;
mod read;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Stop;
use crate::cycle::TicketStatus;
use crate::formats::contexts::ReviewHistoryEntry;

pub use read::BadState;
pub use report::RecordedReport;

/// How the file is called, beside the epic.
pub const FILE_NAME: &str = "epic-state.json";

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct EpicState {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// The commit the epic branch began at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_commit: Option<String>,
    /// Where the epic branch is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_commit: Option<String>,
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Set while the epic stands still and can be resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    pub tickets: BTreeMap<String, TicketState>,
    /// What others keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One ticket.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TicketState {
    pub status: TicketStatus,
    #[schemars(default)]
    pub depends_on: Vec<String>,
    #[schemars(default)]
    pub branch: Option<String>,
    #[schemars(default)]
    pub base_commit: Option<String>,
    #[schemars(default)]
    pub final_commit: Option<String>,
    #[schemars(default, with = "Option<String>", extend("format" = "date-time"))]
    pub started_at: Option<Timestamp>,
    #[schemars(default, with = "Option<String>", extend("format" = "date-time"))]
    pub completed_at: Option<Timestamp>,
    #[schemars(default)]
    pub failure_reason: Option<String>,
    /// The typed reason beside `failure_reason`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// The merge commit in the epic branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_commit: Option<String>,
    /// 0 for the original attempt.
    #[schemars(default)]
    pub revision_count: u32,
    #[schemars(default, with = "Option<String>", extend("format" = "date-time"))]
    pub review_started_at: Option<Timestamp>,
    #[schemars(default, with = "Option<String>", extend("format" = "date-time"))]
    pub review_completed_at: Option<Timestamp>,
    #[schemars(default)]
    pub review_approved: Option<bool>,
    #[schemars(default)]
    pub review_history: Vec<HistoryEntry>,
    #[schemars(default)]
    pub current_review_report: Option<RecordedReport>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One attempt that was reviewed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HistoryEntry {
    #[serde(flatten)]
    pub entry: ReviewHistoryEntry,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl TicketState {
    pub fn new(status: TicketStatus) -> TicketState {
        TicketState {
            status,
            depends_on: Vec::new(),
            branch: None,
            base_commit: None,
            final_commit: None,
            started_at: None,
            completed_at: None,
            failure_reason: None,
            stopped: None,
            merged_commit: None,
            revision_count: 0,
            review_started_at: None,
            review_completed_at: None,
            review_approved: None,
            review_history: Vec::new(),
            current_review_report: None,
            other: Map::new(),
        }
    }
}

impl EpicState {
    /// As the file holds it: indented, with a final line feed.
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with string keys can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl From<ReviewHistoryEntry> for HistoryEntry {
    fn from(entry: ReviewHistoryEntry) -> Self {
        HistoryEntry { entry, other: Map::new() }
    }
}
