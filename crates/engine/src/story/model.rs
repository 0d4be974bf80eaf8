use std::collections::BTreeMap;

use domain::change::Oid;
use domain::config::{EarlyStop, LateFindings};
use domain::cycle::{BadLimits, Cycle, Event, Limits, Tally};
use domain::formats::findings_document::{DocumentFinding, FindingsDocument};
use domain::review::{Finding, Fingerprint, Review, Statement, Usage, Verdict};
use domain::words::Severity;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Claim;

/// Of the stored form. A story of another version is not gone on with.
pub const VERSION: u32 = 1;

/// All there is to know about one loop. Stored whole after each step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Story {
    pub version: u32,
    /// By which humans and commands call it.
    pub id: String,
    pub order: Order,
    pub cycle: Cycle,
    /// What comes next.
    pub step: Step,
    /// In the order they were made. A round whose reviews proved nothing is there once.
    pub rounds: Vec<Round>,
    /// What somebody decided to live with.
    pub rulings: BTreeMap<Fingerprint, Ruling>,
    pub decisions: Vec<HumanDecision>,
    pub started_at: Timestamp,
    /// The next step waits until then.
    #[serde(default)]
    pub not_before: Option<Timestamp>,
    #[serde(default)]
    pub finished_at: Option<Timestamp>,
    /// What people have to know besides, each said once.
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    pub story_id: String,
    pub title: String,
    /// As it was given; nothing for a story that is only a title.
    pub story_file: Option<String>,
    pub story_text: String,
    pub branch: String,
    /// What the branch is compared with: `origin/main`.
    pub base: String,
    /// Where that was when the loop began.
    pub base_tip: Oid,
    pub reviewer: String,
    pub fixer: String,
    /// The folder of the findings documents, as configured.
    pub documents: String,
    pub early_stop: EarlyStop,
    pub late_findings: LateFindings,
}

/// What has to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Have the branch reviewed by somebody fresh.
    Review,
    /// Write down what was found.
    Document,
    /// Clean, fix, or a human?
    Decide,
    /// Have it corrected.
    Fix,
    /// See whether the correction keeps the rules.
    Check,
    /// Move the branch to it.
    Publish,
    /// A human has to answer.
    Escalated,
    /// A human corrects it by hand.
    Blocked,
    Done,
}

impl Step {
    pub const ALL: [Step; 9] = [
        Step::Review,
        Step::Document,
        Step::Decide,
        Step::Fix,
        Step::Check,
        Step::Publish,
        Step::Escalated,
        Step::Blocked,
        Step::Done,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Step::Review => "review",
            Step::Document => "document",
            Step::Decide => "decide",
            Step::Fix => "fix",
            Step::Check => "check",
            Step::Publish => "publish",
            Step::Escalated => "escalated",
            Step::Blocked => "blocked",
            Step::Done => "done",
        }
    }
}

/// One round: a review, and the attempts to correct what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    pub number: u32,
    /// The commit that was reviewed.
    pub head: Oid,
    pub review: Review,
    pub took_seconds: u64,
    /// Reviews of this round that proved nothing, before `review`.
    pub unproved: Vec<Unproved>,
    /// Where the findings document is.
    #[serde(default)]
    pub document: Option<String>,
    /// As it was written, so that what a person changed in it can be told.
    #[serde(default)]
    pub written: Option<FindingsDocument>,
    /// Must-fix findings that count.
    #[serde(default)]
    pub blocking: Vec<Fingerprint>,
    /// Must-fix findings that an earlier round could have had, and that do not count for that.
    #[serde(default)]
    pub late: Vec<Fingerprint>,
    #[serde(default)]
    pub fixes: Vec<Fix>,
}

/// A review that proved nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unproved {
    pub at: Timestamp,
    pub reason: String,
    pub took_seconds: u64,
    #[serde(default)]
    pub usage: Option<Usage>,
}

/// One attempt to correct what a round found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    pub at: Timestamp,
    pub took_seconds: u64,
    /// Where the branch was.
    pub start: Option<Oid>,
    /// What the fixer made of it, as a commit that no branch points to before it was checked.
    pub commit: Option<Oid>,
    /// The findings it was given.
    pub sent: Vec<Fingerprint>,
    /// What it says about them.
    pub claims: BTreeMap<Fingerprint, Claim>,
    pub summary: String,
    #[serde(default)]
    pub usage: Option<Usage>,
    #[serde(default)]
    pub remarks: Vec<String>,
    /// What it changed, for people; cut where it is long.
    #[serde(default)]
    pub patch: String,
    pub outcome: FixOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum FixOutcome {
    /// Not looked at yet.
    Unchecked,
    /// Checked, and fit to be published.
    Checked,
    /// The branch is there now.
    Published,
    /// It does not keep the rules, and was thrown away.
    Refused { reason: String },
    /// There was nothing to check.
    Failed { reason: String },
}

/// Why a finding does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    pub kind: RulingKind,
    pub round: u32,
    pub by: String,
    pub reason: String,
    /// What it is about, for people.
    pub finding: String,
    /// How bad the finding was then: a worse one is not covered. Of older loops nothing is known, and nothing is covered
    /// that would block.
    #[serde(default = "mildest")]
    pub severity: Severity,
}

fn mildest() -> Severity {
    Severity::Suggestion
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingKind {
    /// Marked as accepted in a findings document.
    Accepted,
    /// Deleted from one.
    Deleted,
    /// Taken along with all others, by option b).
    AcceptedWithStory,
}

/// What a human decided about an escalated story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanDecision {
    pub at: Timestamp,
    pub by: String,
    pub round: u32,
    /// `a`, `b` or `c`; `resume` after a correction by hand.
    pub choice: String,
    pub reason: String,
    /// The must-fix findings that stood then.
    pub findings: Vec<Fingerprint>,
}

impl Story {
    /// A loop that is about to have its first review.
    pub fn begin(id: String, order: Order, limits: Limits, now: Timestamp) -> Result<Story, BadLimits> {
        let pending = Cycle::story(limits)?;
        // A story that is pending can be started; if the machine ever thought otherwise, it stays pending.
        let cycle = pending.apply(&Event::Start).map_or(pending, |(started, _)| started);
        Ok(Story {
            version: VERSION,
            id,
            order,
            cycle,
            step: Step::Review,
            rounds: Vec::new(),
            rulings: BTreeMap::new(),
            decisions: Vec::new(),
            started_at: now,
            not_before: None,
            finished_at: None,
            remarks: Vec::new(),
        })
    }

    pub fn round(&self) -> Option<&Round> {
        self.rounds.last()
    }

    /// Rounds whose reviews prove something: those that memory is about.
    pub fn conclusive(&self) -> impl DoubleEndedIterator<Item = &Round> {
        self.rounds.iter().filter(|round| round.review.verdict() != Verdict::Inconclusive)
    }

    /// Everything that was asked of models and agents so far.
    pub fn usage(&self) -> Usage {
        let mut all = Usage::default();
        for round in &self.rounds {
            let unproved = round.unproved.iter().filter_map(|unproved| unproved.usage);
            let fixes = round.fixes.iter().filter_map(|fix| fix.usage);
            round.review.usage.into_iter().chain(unproved).chain(fixes).for_each(|usage| all += usage);
        }
        all
    }

    /// Why a finding of any round does not count, if a person ruled so. A ruling holds for what it was made about and
    /// nothing worse.
    pub fn ruling(&self, finding: &Finding) -> Option<&Ruling> {
        self.rulings.get(&finding.fingerprint).filter(|ruling| finding.severity <= ruling.severity)
    }

    /// Every finding of every round so far, in the order they were made.
    pub(super) fn statements(&self) -> impl Iterator<Item = Statement<'_>> {
        self.rounds.iter().flat_map(|round| &round.review.findings).map(Statement::from)
    }

    /// Of the last round.
    pub fn tally(&self) -> Tally {
        self.round().map(|round| Tally::of(&round.review.findings)).unwrap_or_default()
    }

    /// Nobody has to do anything about it any more.
    pub fn is_over(&self) -> bool {
        self.step == Step::Done
    }

    pub fn waits_for_a_human(&self) -> bool {
        matches!(self.step, Step::Escalated | Step::Blocked)
    }

    pub(super) fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

impl Round {
    pub fn finding(&self, fingerprint: &Fingerprint) -> Option<&Finding> {
        self.review.findings.iter().find(|finding| finding.fingerprint == *fingerprint)
    }

    pub fn fix(&self) -> Option<&Fix> {
        self.fixes.last()
    }

    /// What the branch was moved to, if a correction was good enough.
    pub fn published(&self) -> Option<&Fix> {
        self.fixes.iter().find(|fix| fix.outcome == FixOutcome::Published)
    }

    /// The findings of the document that was written, worst first.
    pub fn document_findings(&self) -> impl Iterator<Item = &DocumentFinding> {
        self.written.iter().flat_map(FindingsDocument::findings)
    }
}
