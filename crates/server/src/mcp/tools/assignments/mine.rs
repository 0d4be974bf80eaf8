use std::sync::Arc;

use domain::assignments::Assignment;
use engine::assignments::Mine;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::mcp::tools::{Call, Hints, Nothing, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct GetMyAssignment;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Found {
    assignment: Option<Whole>,
    /// What to do next.
    message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Whole {
    id: i64,
    status: &'static str,
    review_attempt: u32,
    max_cycles: u32,
    /// What to mend, on status rework.
    review_feedback: Option<String>,
    title: String,
    description: String,
    agent: String,
    reviewer: Option<String>,
    task_id: Option<String>,
    branch_name: Option<String>,
    base: Option<String>,
    base_commit: Option<String>,
    /// The commit that was submitted.
    head_commit: Option<String>,
    context: Map<String, Value>,
}

impl Tool for GetMyAssignment {
    const NAME: &'static str = "get_my_assignment";
    const DESCRIPTION: &'static str = "What is yours to do now: for a coder its pending, accepted, in_progress or rework \
        assignment; for a reviewer the submitted one that has waited longest.";
    const HINTS: Hints = Hints::Reads;
    type Input = Nothing;
    type Output = Found;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, _: Nothing) -> Answer<Found> {
        let mine = bench.assignments.mine(&call.caller).await?;
        Ok(Found { message: message(&mine), assignment: mine.assignment().map(Whole::of) })
    }
}

fn message(mine: &Mine) -> String {
    match mine {
        Mine::Nothing => "Nothing to do now; ask again later".to_owned(),
        Mine::Work(work) => match work.status().as_str() {
            "rework" => format!(
                "Rework, attempt {} of {}: accept_assignment, mend what review_feedback says, then submit_for_review",
                work.review_attempt(),
                work.max_cycles()
            ),
            "in_progress" => "Go on with it, commit on a branch, then submit_for_review".to_owned(),
            _ => "Call accept_assignment, then begin".to_owned(),
        },
        Mine::Review(review) => format!(
            "Review {} against {}, then submit_review_result with that head_commit or review_attempt {}",
            review.head_commit.as_ref().map_or("the branch", |oid| oid.as_str()),
            review.base_commit.as_ref().map_or("its base", |oid| oid.as_str()),
            review.review_attempt()
        ),
    }
}

impl Whole {
    fn of(assignment: &Assignment) -> Whole {
        Whole {
            id: assignment.id.get(),
            status: assignment.status().as_str(),
            review_attempt: assignment.review_attempt(),
            max_cycles: assignment.max_cycles(),
            review_feedback: assignment.review_feedback.clone(),
            title: assignment.title.clone(),
            description: assignment.description.clone(),
            agent: assignment.agent.clone(),
            reviewer: assignment.reviewer.clone(),
            task_id: assignment.task.as_ref().map(ToString::to_string),
            branch_name: assignment.branch.as_ref().map(ToString::to_string),
            base: assignment.base.clone(),
            base_commit: assignment.base_commit.as_ref().map(ToString::to_string),
            head_commit: assignment.head_commit.as_ref().map(ToString::to_string),
            context: assignment.context.clone(),
        }
    }
}
