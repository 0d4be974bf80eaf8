use std::sync::Arc;

use domain::assignments::Review;
use schemars::JsonSchema;
use serde::Serialize;

use super::accept::OneAssignment;
use super::number;
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct GetReviewFeedback;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Feedback {
    assignment_id: i64,
    status: &'static str,
    review_attempt: u32,
    max_cycles: u32,
    /// Of the last review.
    review_feedback: Option<String>,
    /// All verdicts, the oldest first; to a reviewer, its own.
    reviews: Vec<Said>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    review_attempt: u32,
    reviewer: String,
    outcome: &'static str,
    head_commit: Option<String>,
    feedback: Option<String>,
}

impl Tool for GetReviewFeedback {
    const NAME: &'static str = "get_review_feedback";
    const DESCRIPTION: &'static str = "What reviewers said about an assignment, attempt by attempt.";
    const HINTS: Hints = Hints::Reads;
    type Input = OneAssignment;
    type Output = Feedback;

    async fn call<S: Stores>(
        bench: &Arc<Workbench<S>>,
        call: Call,
        input: OneAssignment,
    ) -> Answer<Feedback> {
        let told = bench.assignments.feedback(&call.caller, number(input.assignment_id)?).await?;
        let assignment = &told.assignment;
        Ok(Feedback {
            assignment_id: assignment.id.get(),
            status: assignment.status().as_str(),
            review_attempt: assignment.review_attempt(),
            max_cycles: assignment.max_cycles(),
            review_feedback: assignment.review_feedback.clone(),
            reviews: told.reviews.iter().map(Said::of).collect(),
        })
    }
}

impl Said {
    fn of(review: &Review) -> Said {
        Said {
            review_attempt: review.attempt,
            reviewer: review.reviewer.clone(),
            outcome: review.outcome.as_str(),
            head_commit: review.head_commit.as_ref().map(ToString::to_string),
            feedback: review.feedback.clone(),
        }
    }
}
