//! The findings document of a review round: written for people and fixers, edited by people, read back.

mod declared;
mod escape;
mod from_review;
mod lines;
mod marker;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use declared::Declared;
pub use parse::ParseError;

use super::lenient;
use crate::change::{Change, RepoPath};
use crate::review::{Claim, Confidence, Evidence, Finding, Fingerprint, REVIEWER_RULE, Suppressed};
use crate::text::file_name_part;
use crate::words::{Class, Severity};

/// Who a document of ours says wrote it.
pub const REVIEWER: &str = "Agent (Fresh Context)";

/// The structured form of the document. [`FindingsDocument::render`] writes it, [`FindingsDocument::parse`]
/// reads it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingsDocument {
    pub story_id: String,
    /// 1 for the first review.
    pub round: u32,
    pub reviewer: String,
    /// To the minute, in UTC. Absent if whoever wrote the document gave none that can be read.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub date: Option<Timestamp>,
    pub branch: String,
    pub critical: Vec<DocumentFinding>,
    pub important: Vec<DocumentFinding>,
    pub minor: Vec<DocumentFinding>,
    pub recommendation: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentFinding {
    /// What stands in the brackets: `Security`, or whatever the reviewer chose.
    pub category: String,
    /// The finding in one line.
    pub description: String,
    #[serde(default)]
    pub file: Option<RepoPath>,
    #[serde(default)]
    pub line: Option<u32>,
    pub problem: String,
    pub impact: String,
    pub fix: String,
    /// Always one of the class that the finding's group stands for.
    pub severity: Severity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Why somebody decided to live with it; an empty text if they gave no reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// Who decided so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_by: Option<String>,
}

/// Where the document of a round lives, relative to the root of the repository.
pub fn document_path(story_id: &str, round: u32) -> String {
    format!("docs/progress/story-{}-review-findings-round-{round}.md", file_name_part(story_id))
}

impl FindingsDocument {
    /// Worst first, in the order of the document.
    pub fn findings(&self) -> impl Iterator<Item = &DocumentFinding> {
        self.critical.iter().chain(&self.important).chain(&self.minor)
    }

    /// Critical and important findings that nobody accepted. None of them is what "clean" means.
    pub fn must_fix(&self) -> usize {
        self.critical.iter().chain(&self.important).filter(|finding| finding.accepted.is_none()).count()
    }

    pub(super) fn group(&self, class: Class) -> &[DocumentFinding] {
        match class {
            Class::Critical => &self.critical,
            Class::Important => &self.important,
            Class::Minor => &self.minor,
        }
    }

    fn group_mut(&mut self, class: Class) -> &mut Vec<DocumentFinding> {
        match class {
            Class::Critical => &mut self.critical,
            Class::Important => &mut self.important,
            Class::Minor => &mut self.minor,
        }
    }

    /// What nobody accepted, as evidence for the gate, with places looked up in the real change. Which
    /// hunks were seen is not in the document; the caller knows.
    pub fn to_evidence(&self, change: &Change) -> Evidence {
        let open = self.findings().filter(|finding| finding.accepted.is_none());
        Evidence { findings: open.map(|finding| finding.to_finding(change)).collect(), ..Evidence::default() }
    }

    /// What somebody accepted, with the reason.
    pub fn accepted(&self, change: &Change) -> Vec<Suppressed> {
        self.findings()
            .filter_map(|finding| Some((finding, finding.accepted.clone()?)))
            .map(|(finding, reason)| Suppressed { finding: finding.to_finding(change), reason })
            .collect()
    }
}

impl DocumentFinding {
    /// Keeps the fingerprint the document carries, so that the finding is recognised in later rounds.
    pub fn to_finding(&self, change: &Change) -> Finding {
        let claim = Claim { path: self.file.clone(), line: self.line, quote: None };
        let category = lenient::category(&self.category);
        Finding {
            rule: self.rule.clone().unwrap_or_else(|| REVIEWER_RULE.to_owned()),
            severity: self.severity,
            category,
            dimension: category.dimension(),
            confidence: Confidence::Medium,
            place: claim.resolve(change),
            message: if self.problem.is_empty() { &self.description } else { &self.problem }.clone(),
            impact: self.impact.clone(),
            suggestion: self.fix.clone(),
            fingerprint: self.fingerprint.clone().unwrap_or_default(),
        }
    }
}
