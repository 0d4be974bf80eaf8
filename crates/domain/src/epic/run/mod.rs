//! An epic that is being run, as the store keeps it.
//!
//! Where a ticket stands is its [`Cycle`](crate::cycle::Cycle)'s to say; around it is kept what was done, by whom, with
//! what result and at what cost. Whoever is killed goes on from here.

mod attempt;
mod state;
mod ticket;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Stop, TicketId};
use crate::change::Oid;

pub use attempt::{Attempt, AttemptResult, ReviewRecord};
pub use state::state_of;
pub use ticket::{CutOff, Logged, MergeStep, TicketRun};

/// Of the stored form. A run of another version is not gone on with.
pub const VERSION: u32 = 1;

/// Which epic is meant: by the repository it is worked on in, and its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpicKey {
    pub repository: String,
    pub id: TicketId,
}

/// Everything about a run that is not about one ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpicRun {
    pub version: u32,
    pub order: EpicOrder,
    pub started_at: Timestamp,
    /// When somebody last told it to go on.
    pub resumed_at: Timestamp,
    #[serde(default)]
    pub finished_at: Option<Timestamp>,
    /// Set while it stands still before its good end.
    #[serde(default)]
    pub stopped: Option<Stop>,
    /// Where the epic branch was put last; where tickets are merged by hand, where it was when we last looked.
    pub epic_commit: Oid,
    #[serde(default)]
    pub watch: BranchWatch,
    /// What people have to know besides, each said once.
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// What is known of commits on the epic branch that came there without us.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchWatch {
    /// Where the branch was when the run began. Nothing in runs of before it was kept.
    #[serde(default)]
    pub began_at: Option<Oid>,
    /// Where somebody who had been told of it last wanted to go on from.
    #[serde(default)]
    pub accepted: Option<Oid>,
    #[serde(default)]
    pub notice: Option<BranchNotice>,
}

/// What people were told of the epic branch when the run stood still.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum BranchNotice {
    /// That it is where somebody else put it.
    Moved { to: Oid },
    /// To put something right on it themselves.
    TheirTurn,
}

/// What was asked for, made definite when the run began. Files that are edited meanwhile change nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpicOrder {
    pub id: TicketId,
    /// Where the epic's file is; its state is kept beside it.
    pub file: String,
    /// As reviewers and builders are told: from the root of the repository where it lies there.
    pub path: String,
    pub text: String,
    /// In the order of the epic.
    pub tickets: Vec<TicketOrder>,
    pub base_branch: String,
    pub base_commit: Oid,
    pub branch: String,
    pub builder: String,
    pub reviewer: String,
    pub parallel: u32,
    pub merging: Merging,
}

/// A ticket's text as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketOrder {
    pub id: TicketId,
    /// As [`EpicOrder::path`].
    pub path: String,
    pub text: String,
}

/// What becomes of a ticket that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merging {
    /// Its branch waits for somebody who merges it.
    ByHand,
    /// It is merged into the epic branch.
    Automatic,
}

/// A ticket that failed, for whoever has to decide what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedTicket {
    pub epic: EpicKey,
    pub builder: String,
    pub title: String,
    pub ticket: TicketRun,
}

/// A run with all of its tickets, in the order of the epic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEpic {
    pub run: EpicRun,
    pub tickets: Vec<TicketRun>,
}

impl EpicRun {
    pub fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

impl StoredEpic {
    /// Every ticket is completed and, where that was asked for, merged.
    pub fn is_complete(&self) -> bool {
        self.tickets.iter().all(|ticket| ticket.is_complete(self.run.order.merging))
    }

    /// Whether it was the run that put the epic branch there. It may have died before it could write that down.
    pub fn knows_epic_commit(&self, tip: &Oid) -> bool {
        let known = &self.run.epic_commit;
        let made = |ticket: &TicketRun| matches!(&ticket.merge, MergeStep::Made { from, commit, .. } if from == known && commit == tip);
        known == tip || self.tickets.iter().any(made)
    }

    pub fn ticket(&self, id: &str) -> Option<&TicketRun> {
        self.tickets.iter().find(|ticket| ticket.id.as_str() == id)
    }
}
