use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Assignment, AssignmentId, Review, ReviewOutcome};
use crate::cycle::{AssignmentStatus, Resolution};

/// An assignment as commands and tools print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssignmentDocument {
    pub id: AssignmentId,
    pub task_id: Option<String>,
    pub title: String,
    pub description: String,
    pub agent: String,
    pub reviewer: Option<String>,
    pub branch_name: Option<String>,
    pub base: Option<String>,
    pub base_commit: Option<String>,
    /// The commit that was submitted last.
    pub head_commit: Option<String>,
    pub status: AssignmentStatus,
    pub review_attempt: u32,
    pub max_cycles: u32,
    pub review_feedback: Option<String>,
    /// Why it is escalated, if it is.
    pub reason: Option<String>,
    /// What a person may decide about it; empty unless it is escalated.
    pub options: Vec<Resolution>,
    pub context: Map<String, Value>,
    pub created_by: String,
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    #[schemars(with = "Option<String>")]
    pub accepted_at: Option<Timestamp>,
    #[schemars(with = "Option<String>")]
    pub started_at: Option<Timestamp>,
    #[schemars(with = "Option<String>")]
    pub completed_at: Option<Timestamp>,
    #[schemars(with = "Option<String>")]
    pub reviewed_at: Option<Timestamp>,
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// A verdict as commands and tools print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewDocument {
    pub review_attempt: u32,
    pub reviewer: String,
    pub outcome: ReviewOutcome,
    /// What became of the assignment.
    pub status: AssignmentStatus,
    pub head_commit: Option<String>,
    pub feedback: Option<String>,
    #[schemars(with = "String")]
    pub at: Timestamp,
}

impl From<&Assignment> for AssignmentDocument {
    fn from(assignment: &Assignment) -> AssignmentDocument {
        let text = |shown: Option<&dyn std::fmt::Display>| shown.map(ToString::to_string);
        AssignmentDocument {
            id: assignment.id,
            task_id: text(assignment.task.as_ref().map(|id| id as _)),
            title: assignment.title.clone(),
            description: assignment.description.clone(),
            agent: assignment.agent.clone(),
            reviewer: assignment.reviewer.clone(),
            branch_name: text(assignment.branch.as_ref().map(|name| name as _)),
            base: assignment.base.clone(),
            base_commit: text(assignment.base_commit.as_ref().map(|oid| oid as _)),
            head_commit: text(assignment.head_commit.as_ref().map(|oid| oid as _)),
            status: assignment.status(),
            review_attempt: assignment.review_attempt(),
            max_cycles: assignment.max_cycles(),
            review_feedback: assignment.review_feedback.clone(),
            reason: assignment.cycle.failure_reason(),
            options: assignment.cycle.options(),
            context: assignment.context.clone(),
            created_by: assignment.created_by.clone(),
            created_at: assignment.created_at,
            accepted_at: assignment.accepted_at,
            started_at: assignment.started_at,
            completed_at: assignment.completed_at,
            reviewed_at: assignment.reviewed_at,
            updated_at: assignment.updated_at,
        }
    }
}

impl From<&Review> for ReviewDocument {
    fn from(review: &Review) -> ReviewDocument {
        ReviewDocument {
            review_attempt: review.attempt,
            reviewer: review.reviewer.clone(),
            outcome: review.outcome,
            status: review.status,
            head_commit: review.head_commit.as_ref().map(ToString::to_string),
            feedback: review.feedback.clone(),
            at: review.at,
        }
    }
}
