use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::State;
use super::verdict::{AfterRejection, after_rejection};
use crate::review::{Confidence, Finding};
use crate::words::Class;

/// A story in the loop between reviewer and fixer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoryStatus {
    Pending,
    Reviewing,
    Fixing,
    Escalated,
    Blocked,
    Done,
}

/// What a round's findings lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Leave the loop.
    Clean,
    /// Spawn the fixer.
    Fix,
    /// A human decides.
    Escalate,
}

/// How many findings of each class a round had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    pub critical: u32,
    pub important: u32,
    pub minor: u32,
}

/// The decision matrix. `max_rounds` is the limit in force, with the rounds a human added.
pub fn decide(must_fix: u32, round: u32, max_rounds: u32) -> NextStep {
    if must_fix == 0 {
        return NextStep::Clean;
    }
    match after_rejection(round, max_rounds) {
        AfterRejection::Correct => NextStep::Fix,
        AfterRejection::LimitReached => NextStep::Escalate,
    }
}

impl Tally {
    /// Findings of low confidence are advice and count as minor, whatever they are about.
    pub fn of(findings: &[Finding]) -> Tally {
        let mut tally = Tally::default();
        for finding in findings {
            let class =
                if finding.confidence > Confidence::Low { finding.severity.class() } else { Class::Minor };
            match class {
                Class::Critical => tally.critical += 1,
                Class::Important => tally.important += 1,
                Class::Minor => tally.minor += 1,
            }
        }
        tally
    }

    /// Critical and important together.
    pub fn must_fix(&self) -> u32 {
        self.critical.saturating_add(self.important)
    }
}

impl StoryStatus {
    pub const ALL: [StoryStatus; 6] = [
        StoryStatus::Pending,
        StoryStatus::Reviewing,
        StoryStatus::Fixing,
        StoryStatus::Escalated,
        StoryStatus::Blocked,
        StoryStatus::Done,
    ];

    /// States that this lifecycle does not know read as their nearest neighbour.
    pub fn of(state: &State) -> StoryStatus {
        match state {
            State::Pending | State::Queued | State::Accepted => StoryStatus::Pending,
            State::Validating | State::Reviewing => StoryStatus::Reviewing,
            State::Working { .. } | State::SentBack => StoryStatus::Fixing,
            State::Escalated { .. } => StoryStatus::Escalated,
            State::Blocked { .. } | State::Failed { .. } | State::Closed => StoryStatus::Blocked,
            State::Done { .. } => StoryStatus::Done,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            StoryStatus::Pending => "pending",
            StoryStatus::Reviewing => "reviewing",
            StoryStatus::Fixing => "fixing",
            StoryStatus::Escalated => "escalated",
            StoryStatus::Blocked => "blocked",
            StoryStatus::Done => "done",
        }
    }
}
