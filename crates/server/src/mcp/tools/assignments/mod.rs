//! What coders, reviewers and people do with assignments. Who may do what, the engine decides.

mod accept;
mod create;
mod feedback;
mod list;
mod mine;
mod submit;
mod verdict;

use domain::assignments::{Assignment, AssignmentId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::trouble::Answer;

pub(crate) use accept::AcceptAssignment;
pub(crate) use create::CreateAssignment;
pub(crate) use feedback::GetReviewFeedback;
pub(crate) use list::ListAssignments;
pub(crate) use mine::GetMyAssignment;
pub(crate) use submit::SubmitForReview;
pub(crate) use verdict::SubmitReviewResult;

/// Where an assignment stands after a call.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    assignment_id: i64,
    status: &'static str,
    review_attempt: u32,
    max_cycles: u32,
    /// The commit under review.
    #[serde(skip_serializing_if = "Option::is_none")]
    head_commit: Option<String>,
    /// The task of the review on the forge, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    review_task: Option<String>,
    message: String,
}

impl Standing {
    fn of(assignment: &Assignment, message: String) -> Standing {
        Standing {
            assignment_id: assignment.id.get(),
            status: assignment.status().as_str(),
            review_attempt: assignment.review_attempt(),
            max_cycles: assignment.max_cycles(),
            head_commit: assignment.head_commit.as_ref().map(ToString::to_string),
            review_task: None,
            message,
        }
    }
}

/// An assignment in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Row {
    id: i64,
    title: String,
    status: &'static str,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewer: Option<String>,
    review_attempt: u32,
    max_cycles: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch_name: Option<String>,
}

impl From<&Assignment> for Row {
    fn from(assignment: &Assignment) -> Row {
        Row {
            id: assignment.id.get(),
            title: assignment.title.clone(),
            status: assignment.status().as_str(),
            agent: assignment.agent.clone(),
            reviewer: assignment.reviewer.clone(),
            review_attempt: assignment.review_attempt(),
            max_cycles: assignment.max_cycles(),
            branch_name: assignment.branch.as_ref().map(ToString::to_string),
        }
    }
}

fn number(id: i64) -> Answer<AssignmentId> {
    Ok(AssignmentId::new(id)?)
}
