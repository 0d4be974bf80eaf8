use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confidence, Coverage, Finding, Fingerprint, Patch, Place, Posting, Scores, Usage, Verdict};
use crate::change::Scope;
use crate::gate::Decision;
use crate::words::{Category, Dimension, Severity};

/// What a reviewer hands over. It carries no verdict: that is the gate's to give.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    pub findings: Vec<Finding>,
    pub coverage: Coverage,
    /// The reviewer's own scores; where it gives none they follow from the findings.
    pub scores: Option<Scores>,
    /// Everything that keeps this review from being conclusive.
    pub troubles: Vec<Trouble>,
    /// What the reviewer claims the outcome is, to be checked against the gate's.
    pub claimed: Option<Verdict>,
    /// What whoever reads the report has to know about how it came about: that it was reused, or that the
    /// reviewer could not be confined.
    pub remarks: Vec<String>,
    /// What it cost, if it cost anything.
    pub usage: Option<Usage>,
    /// Who it was in the end, where several stood behind the reviewer's name.
    pub answered_by: Option<String>,
    pub told: Told,
}

/// What a whole report says besides findings, scores and an outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Which tickets it says it is about.
    pub tickets: BTreeSet<String>,
    /// What the author is to do, in the reviewer's own words.
    pub notes: Vec<String>,
    /// What did not add up in it, and how it was read instead.
    pub corrections: Vec<String>,
}

impl Told {
    /// Nothing is told twice.
    pub fn add(&mut self, other: Told) {
        self.tickets.extend(other.tickets);
        for (own, others) in [(&mut self.notes, other.notes), (&mut self.corrections, other.corrections)] {
            for said in others {
                if !own.contains(&said) {
                    own.push(said);
                }
            }
        }
    }
}

/// The rule of the finding that stands for a reviewer's own notes.
pub const NOTES_RULE: &str = "revision-notes";

/// What blocks where a reviewer rejects a change by nothing but what it wants to have done. CRITICAL, so that it blocks
/// whatever the policy.
pub fn notes_as_finding(notes: &[String]) -> Finding {
    Finding {
        rule: NOTES_RULE.into(),
        severity: Severity::Critical,
        category: Category::Correctness,
        dimension: Dimension::REQUIREMENT_ADHERENCE,
        confidence: Confidence::High,
        place: Place::Summary,
        message: "The reviewer rejects the change for what its revision notes ask for".into(),
        impact: String::new(),
        suggestion: notes.join("\n\n"),
        fingerprint: Fingerprint::default(),
    }
}

/// What a reviewer wants to have done though it lets the change pass.
pub fn notes_as_advice(notes: &[String]) -> Finding {
    Finding {
        severity: Severity::Suggestion,
        confidence: Confidence::Medium,
        message: "The reviewer passes the change and notes what could still be done".into(),
        ..notes_as_finding(notes)
    }
}

/// Why a review proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// A short stable word: `unseen`, `unmerged`, `cut_off`, `rate_limited`, `unparsable`, `empty`, `wrong_commit`.
    pub kind: String,
    pub message: String,
}

impl Trouble {
    /// For formats that know only good and bad: an inconclusive review is bad, with a finding of its own that
    /// no reader can take for clean.
    pub fn as_finding(&self) -> Finding {
        let mut finding = [Finding {
            rule: "inconclusive".into(),
            severity: Severity::Critical,
            category: Category::Correctness,
            dimension: Dimension::REQUIREMENT_ADHERENCE,
            confidence: Confidence::High,
            place: Place::Summary,
            message: format!("The review is inconclusive: {}", self.message),
            impact: "Nothing is known about the part of the change that was not reviewed".into(),
            suggestion: "Run the review again; the change itself need not be touched for this".into(),
            fingerprint: Fingerprint::default(),
        }];
        Fingerprint::assign(&mut finding);
        let [finding] = finding;
        finding
    }
}

/// A finding that somebody accepted in the code, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suppressed {
    pub finding: Finding,
    pub reason: String,
}

/// What the review is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The ticket, story or branch.
    pub id: String,
    pub scope: Scope,
    /// 0 for the first review of it.
    pub revision_count: u32,
}

/// A finished review: the one internal model behind every report format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    pub subject: Subject,
    /// Which reviewer: `rules`, a model, an agent.
    pub reviewer: String,
    /// What the policy in force is called, where it came from and what it leaves out, for people.
    pub policy: String,
    #[schemars(with = "String")]
    pub reviewed_at: Timestamp,
    /// What concerns the change as a whole first, then file by file in the order of the change, by line.
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
    pub troubles: Vec<Trouble>,
    pub coverage: Coverage,
    pub decision: Decision,
    /// What to know about how the review came about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What the author is to do, in the reviewer's own words, where it has any for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision_notes: Option<String>,
    /// What it cost, if it cost anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What of it is where its authors work, once it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posting: Option<Posting>,
    /// Corrections that need no judgement, of the findings that have one. Each was applied and read again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patches: BTreeMap<Fingerprint, Patch>,
}

impl Review {
    pub fn verdict(&self) -> Verdict {
        self.decision.verdict
    }

    /// All findings and, first, each trouble as one: see [`Trouble::as_finding`].
    pub fn findings_and_troubles(&self) -> Vec<Finding> {
        self.troubles.iter().map(Trouble::as_finding).chain(self.findings.iter().cloned()).collect()
    }

    /// The same review where something came up since that keeps it from proving anything.
    pub fn doubted(mut self, trouble: Trouble) -> Review {
        if let Some(conclusive) = self.decision.criteria.iter_mut().find(|one| one.name == "conclusive") {
            conclusive.met = false;
            conclusive.actual.clone_from(&trouble.message);
        }
        self.decision.verdict = Verdict::Inconclusive;
        self.troubles.push(trouble);
        self
    }

    /// `Asked anthropic:x: 3 calls, 12,345 tokens in, 678 out, $0.05`, if anybody was asked.
    pub fn asked(&self) -> Option<String> {
        self.usage.as_ref().map(|usage| format!("Asked {}: {usage}", self.reviewer))
    }

    /// Findings that keep the change from passing.
    pub fn blocking(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.blocks(self.decision.fail_on))
    }
}
