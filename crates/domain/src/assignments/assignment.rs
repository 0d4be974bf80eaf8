use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::BranchName;
use crate::change::Oid;
use crate::cycle::{AssignmentStatus, Cycle};
use crate::tasks::{Invalid, TaskId};

/// Assignments are numbered, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "i64", into = "i64")]
pub struct AssignmentId(i64);

/// One piece of work with a coder, a reviewer and its place in the review cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub id: AssignmentId,
    /// The task it belongs to, if it belongs to one.
    pub task: Option<TaskId>,
    pub title: String,
    pub description: String,
    /// The coder.
    pub agent: String,
    /// Who is to review it; without one, any reviewer but the coder.
    pub reviewer: Option<String>,
    pub branch: Option<BranchName>,
    /// What the branch is compared with, as it was named.
    pub base: Option<String>,
    /// Where the branch left its base when it was submitted last.
    pub base_commit: Option<Oid>,
    /// The commit that was submitted last. A verdict is about this one.
    pub head_commit: Option<Oid>,
    pub cycle: Cycle,
    /// Of the last review that said something.
    pub review_feedback: Option<String>,
    /// The agents that rejected it so far, without repetition.
    pub rejected_by: Vec<String>,
    /// How often it was submitted.
    pub submissions: u32,
    /// Whatever else was said about it: tickets, repositories, links.
    pub context: Map<String, Value>,
    pub created_by: String,
    pub created_at: Timestamp,
    pub accepted_at: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    /// When it was submitted last; nothing while it is being worked on.
    pub completed_at: Option<Timestamp>,
    pub reviewed_at: Option<Timestamp>,
    pub updated_at: Timestamp,
}

impl AssignmentId {
    pub fn new(number: i64) -> Result<AssignmentId, Invalid> {
        if number < 1 {
            return Err(Invalid::new("assignment_id", "is a number from 1"));
        }
        Ok(AssignmentId(number))
    }

    pub fn get(self) -> i64 {
        self.0
    }
}

impl Assignment {
    pub fn status(&self) -> AssignmentStatus {
        AssignmentStatus::of(self.cycle.state())
    }

    pub fn review_attempt(&self) -> u32 {
        self.cycle.review_attempt()
    }

    pub fn max_cycles(&self) -> u32 {
        self.cycle.max_reviews()
    }
}

impl fmt::Display for AssignmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for AssignmentId {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<AssignmentId, Invalid> {
        let number = text.parse().map_err(|_| Invalid::new("assignment_id", "is a number from 1"))?;
        AssignmentId::new(number)
    }
}

impl TryFrom<i64> for AssignmentId {
    /// Why not. Which field of what it was read from, the reader knows better.
    type Error = String;

    fn try_from(number: i64) -> Result<Self, Self::Error> {
        AssignmentId::new(number).map_err(|invalid| invalid.reason)
    }
}

impl From<AssignmentId> for i64 {
    fn from(id: AssignmentId) -> i64 {
        id.0
    }
}
