use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::Oid;
use crate::cycle::Work;
use crate::formats::review_report::ReviewReport;
use crate::gate::Criterion;
use crate::review::{Usage, Verdict};

/// One go of a builder, and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// 0 for the original attempt, as `revision_count`.
    pub number: u32,
    pub work: Work,
    pub at: Timestamp,
    pub took_seconds: u64,
    /// Of its validation.
    #[serde(default)]
    pub checked_seconds: u64,
    /// What the builder made, if it made anything.
    #[serde(default)]
    pub commit: Option<Oid>,
    /// In the builder's own words, cleaned.
    pub summary: String,
    #[serde(default)]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    pub result: AttemptResult,
    /// Reviews of it, the last one being the one that counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ReviewRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum AttemptResult {
    /// Not looked at yet.
    Submitted,
    /// Finished, and nothing is different.
    Unchanged,
    Valid,
    Invalid {
        reason: String,
    },
    /// The builder did not get that far.
    Crashed {
        reason: String,
    },
}

/// One review, conclusive or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRecord {
    pub at: Timestamp,
    pub took_seconds: u64,
    /// What was reviewed.
    pub commit: Oid,
    pub reviewer: String,
    pub verdict: Verdict,
    /// Why it proves nothing.
    #[serde(default)]
    pub trouble: Option<String>,
    /// What the gate corrected in the reviewer's own verdict.
    #[serde(default)]
    pub corrected: Option<String>,
    /// The criteria of the gate that were not met.
    #[serde(default)]
    pub unmet: Vec<Criterion>,
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Cleaned.
    pub report: ReviewReport,
}

impl Attempt {
    /// Of work: building, validating and reviewing, and no waiting.
    pub fn seconds(&self) -> u64 {
        let reviews = self.reviews.iter().map(|review| review.took_seconds).sum::<u64>();
        self.took_seconds + self.checked_seconds + reviews
    }

    pub fn usage(&self) -> Usage {
        let mut all = self.usage.unwrap_or_default();
        self.reviews.iter().filter_map(|review| review.usage).for_each(|usage| all += usage);
        all
    }

    /// The review that decided about it, if one did.
    pub fn conclusive(&self) -> Option<&ReviewRecord> {
        self.reviews.iter().rev().find(|review| review.verdict != Verdict::Inconclusive)
    }
}
