use std::sync::Arc;

use domain::assignments::AssignmentDraft;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Standing;
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct CreateAssignment;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    /// The coder.
    agent: String,
    /// One line.
    title: String,
    #[serde(default)]
    description: Option<String>,
    /// Who has to review it; any reviewer, if left out.
    #[serde(default)]
    reviewer: Option<String>,
    /// The task it belongs to.
    #[serde(default)]
    task_id: Option<String>,
    #[serde(default)]
    branch_name: Option<String>,
    /// Branch or commit the work begins at.
    #[serde(default)]
    base: Option<String>,
    /// Reviews before it is escalated; the project's limit, if left out.
    #[serde(default)]
    max_review_cycles: Option<u32>,
    /// Tickets, links and the like.
    #[serde(default)]
    context: Option<Map<String, Value>>,
}

impl Tool for CreateAssignment {
    const NAME: &'static str = "create_assignment";
    const DESCRIPTION: &'static str =
        "Assign work to a coder, to be reviewed by another before it counts as done.";
    const HINTS: Hints = Hints::Adds;
    type Input = Draft;
    type Output = Standing;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Draft) -> Answer<Standing> {
        let draft = AssignmentDraft {
            title: input.title,
            description: input.description.unwrap_or_default(),
            agent: input.agent,
            reviewer: input.reviewer,
            task_id: input.task_id,
            branch_name: input.branch_name,
            base: input.base,
            max_review_cycles: input.max_review_cycles,
            context: input.context.unwrap_or_default(),
        };
        let assignment = bench.assignments.create(&call.caller, draft).await?;
        let message = format!("Assigned to {}", assignment.agent);
        Ok(Standing::of(&assignment, message))
    }
}
