//! Findings as QA agents write them, and the checklist engineers get.

mod checklist;
mod json;
mod parse;
#[cfg(test)]
mod tests;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

pub use checklist::checklist;
pub use parse::{ParsedFindings, ReadAs, parse_findings};

use super::lenient;
use crate::change::{Change, RepoPath};
use crate::review::{Claim, Confidence, Finding, Fingerprint, raised};
use crate::text::clean_block;
use crate::words::{Category, Severity};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QaFinding {
    /// Null if the finding is about no file in particular.
    #[schemars(default)]
    pub file: Option<RepoPath>,
    #[schemars(default)]
    pub line_number: Option<u32>,
    pub severity: Severity,
    pub description: String,
    #[schemars(default)]
    pub suggested_fix: String,
    #[schemars(default = "any_category")]
    pub category: Category,
}

fn any_category() -> Category {
    Category::Correctness
}

impl QaFinding {
    /// The finding with its place looked up in the real change. `reviewer` stands in for the rule.
    pub fn to_finding(&self, reviewer: &str, change: &Change) -> Finding {
        let claim = Claim { path: self.file.clone(), line: self.line_number, quote: None };
        Finding {
            rule: reviewer.to_owned(),
            severity: self.severity,
            category: self.category,
            dimension: self.category.dimension(),
            confidence: Confidence::Medium,
            place: claim.resolve(change),
            message: clean_block(&self.description),
            impact: String::new(),
            suggestion: clean_block(&self.suggested_fix),
            fingerprint: Fingerprint::default(),
        }
    }
}

impl QaFinding {
    /// As [`raise`](crate::review::raise()), for answers that no change is at hand for.
    pub fn raise(&mut self) {
        let before = self.severity;
        if let Some((severity, what)) = raised(before, self.category, &[&self.description]) {
            self.severity = severity;
            let description = self.description.trim_end().trim_end_matches('.');
            self.description =
                format!("{description}. (Raised from {before} to {severity}: it says that this is {what}.)");
        }
    }
}

impl From<&Finding> for QaFinding {
    fn from(finding: &Finding) -> Self {
        QaFinding {
            file: finding.path().cloned(),
            line_number: finding.line(),
            severity: finding.severity,
            description: clean_block(&finding.message),
            suggested_fix: clean_block(&finding.suggestion),
            category: finding.category,
        }
    }
}

/// As tolerant as [`parse_findings`] is of each entry.
impl<'de> Deserialize<'de> for QaFinding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::finding(&Value::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("not a finding: it needs a description and a severity or a file"))
    }
}
