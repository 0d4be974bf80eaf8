use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Attempt, Merging, ReviewRecord};
use crate::change::Oid;
use crate::cycle::{Cycle, Event, State, Status, TicketStatus};
use crate::epic::{Stop, TicketId};
use crate::formats::contexts::{ReviewHistoryEntry, TestSuiteStatus};
use crate::formats::review_report::{ReportStatus, ReviewReport};
use crate::review::{Usage, Verdict};
use crate::work::AcceptanceCriterion;

/// One ticket of a run. Stored whole with every change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketRun {
    pub id: TicketId,
    /// Grows with every change that is stored: of two who change the same, one is refused.
    pub version: u64,
    pub cycle: Cycle,
    /// Every event the cycle took, the oldest first.
    pub log: Vec<Logged>,
    /// Where its work begins; what is reviewed is everything since.
    #[serde(default)]
    pub base_commit: Option<Oid>,
    /// The work as it is.
    #[serde(default)]
    pub final_commit: Option<Oid>,
    /// Where its branch was put last.
    #[serde(default)]
    pub branch_commit: Option<Oid>,
    #[serde(default)]
    pub tests: Option<TestSuiteStatus>,
    /// Of its acceptance criteria, those that its builder says are met.
    #[serde(default)]
    pub criteria: Vec<AcceptanceCriterion>,
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// How many of them were made before somebody last let it begin anew.
    #[serde(default)]
    pub attempts_before: usize,
    /// Of the latest review, conclusive or not.
    #[serde(default)]
    pub report: Option<ReviewReport>,
    /// Conclusive reviews, the oldest first.
    #[serde(default)]
    pub history: Vec<ReviewHistoryEntry>,
    #[serde(default)]
    pub merge: MergeStep,
    /// Of merging it, and of validating what came of that.
    #[serde(default)]
    pub merging_seconds: u64,
    #[serde(default)]
    pub cut_off: CutOff,
    /// Set while nobody works on it though it is not over.
    #[serde(default)]
    pub stopped: Option<Stop>,
    /// The next step waits until then.
    #[serde(default)]
    pub not_before: Option<Timestamp>,
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    #[serde(default)]
    pub review_started_at: Option<Timestamp>,
    #[serde(default)]
    pub review_completed_at: Option<Timestamp>,
    #[serde(default)]
    pub review_approved: Option<bool>,
    #[serde(default)]
    pub completed_at: Option<Timestamp>,
    /// What had been used up when somebody last told the epic to go on: budgets count from there.
    #[serde(default)]
    pub spent_before: Usage,
}

/// Work that was under way when somebody stopped the run, and is done again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    pub seconds: u64,
    /// How often an agent was at it, of whom nobody knows what it used.
    pub calls: u32,
}

/// An event, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: Event,
}

/// How far a completed ticket is on its way into the epic branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum MergeStep {
    #[default]
    NotBegun,
    /// The merge was made and validated, and the epic branch is about to go there.
    Made {
        from: Oid,
        commit: Oid,
        /// What was merged.
        work: Oid,
    },
    Merged {
        commit: Oid,
        work: Oid,
    },
    Conflict {
        files: Vec<String>,
    },
    /// It merged, and the result did not stand.
    Refused {
        reason: String,
    },
}

impl TicketRun {
    pub fn new(id: TicketId, cycle: Cycle) -> TicketRun {
        TicketRun {
            id,
            version: 0,
            cycle,
            log: Vec::new(),
            base_commit: None,
            final_commit: None,
            branch_commit: None,
            tests: None,
            criteria: Vec::new(),
            attempts: Vec::new(),
            attempts_before: 0,
            report: None,
            history: Vec::new(),
            merge: MergeStep::default(),
            merging_seconds: 0,
            cut_off: CutOff::default(),
            stopped: None,
            not_before: None,
            started_at: None,
            review_started_at: None,
            review_completed_at: None,
            review_approved: None,
            completed_at: None,
            spent_before: Usage::default(),
        }
    }

    pub fn status(&self) -> TicketStatus {
        match self.cycle.view() {
            Status::Ticket(status) => status,
            Status::Assignment(_) | Status::Story(_) | Status::Task(_) => {
                TicketStatus::of(self.cycle.state())
            }
        }
    }

    pub fn is_done(&self) -> bool {
        matches!(self.cycle.state(), State::Done { .. })
    }

    pub fn is_merged(&self) -> bool {
        matches!(self.merge, MergeStep::Merged { .. })
    }

    /// What depends on it may begin.
    pub fn is_complete(&self, merging: Merging) -> bool {
        match merging {
            Merging::ByHand => self.is_done(),
            Merging::Automatic => self.is_done() && self.is_merged(),
        }
    }

    pub fn branch(&self) -> String {
        format!("ticket/{}", self.id)
    }

    /// Everything that was asked of agents and models for it.
    pub fn usage(&self) -> Usage {
        let mut all = Usage::default();
        self.attempts.iter().for_each(|attempt| all += attempt.usage());
        all
    }

    /// Of work on it, if any was done. Hours in which nobody ran the epic are not among them.
    pub fn seconds(&self) -> Option<u64> {
        let attempts = self.attempts.iter().map(Attempt::seconds).sum::<u64>();
        self.started_at.map(|_| attempts + self.merging_seconds + self.cut_off.seconds)
    }

    pub fn attempt(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// Those since it last began anew, the oldest first: what was asked of earlier work is no longer asked.
    pub fn present_attempts(&self) -> &[Attempt] {
        self.attempts.get(self.attempts_before..).unwrap_or_default()
    }

    /// The last review, if it was conclusive and asked for changes.
    pub fn rejected(&self) -> Option<&ReviewRecord> {
        let last = self.present_attempts().iter().rev().find_map(Attempt::conclusive)?;
        let rejected = last.verdict == Verdict::Fail && last.report.status == ReportStatus::Fail;
        rejected.then_some(last)
    }

    /// What it said.
    pub fn rejection(&self) -> Option<&ReviewReport> {
        self.rejected().map(|review| &review.report)
    }
}
