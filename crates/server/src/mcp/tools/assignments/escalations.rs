use std::sync::Arc;

use domain::assignments::{Assignment, AssignmentCursor};
use domain::cycle::Resolution;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Row, Standing, number};
use crate::mcp::tools::{Call, Hints, Tool, page_size};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct ListEscalations;

pub(crate) struct ResolveEscalation;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// 1 to 100; 20 if left out.
    #[serde(default)]
    limit: Option<u32>,
    /// next_cursor of the page before.
    #[serde(default)]
    cursor: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Escalations {
    escalations: Vec<Escalated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Escalated {
    assignment: Row,
    reason: Option<String>,
    review_feedback: Option<String>,
    /// What resolve_escalation takes for it.
    options: Vec<&'static str>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    assignment_id: i64,
    /// accept it as it is, grant one_more attempt, or close it.
    resolution: Word,
    /// For the coder.
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Accept,
    OneMore,
    Close,
}

impl Tool for ListEscalations {
    const NAME: &'static str = "list_escalations";
    const DESCRIPTION: &'static str =
        "Assignments that wait for a person's decision, and what can be decided.";
    const HINTS: Hints = Hints::Reads;
    type Input = Wanted;
    type Output = Escalations;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: Wanted) -> Answer<Escalations> {
        let size = page_size(input.limit)?;
        let page = bench.assignments.escalations(input.cursor.map(AssignmentCursor), size).await?;
        Ok(Escalations {
            escalations: page.assignments.iter().map(Escalated::of).collect(),
            next_cursor: page.next.map(|AssignmentCursor(at)| at),
        })
    }
}

impl Tool for ResolveEscalation {
    const NAME: &'static str = "resolve_escalation";
    const DESCRIPTION: &'static str = "People only: decide about an escalated assignment.";
    const HINTS: Hints = Hints::Decides;
    type Input = Decision;
    type Output = Standing;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Decision) -> Answer<Standing> {
        let resolution = match input.resolution {
            Word::Accept => Resolution::Accept,
            Word::OneMore => Resolution::OneMore,
            Word::Close => Resolution::Close,
        };
        let (id, note) = (number(input.assignment_id)?, input.note.unwrap_or_default());
        let assignment = bench.assignments.resolve_escalation(&call.caller, id, resolution, &note).await?;
        let message = format!("Resolved as {}", resolution.as_str());
        Ok(Standing::of(&assignment, message))
    }
}

impl Escalated {
    fn of(assignment: &Assignment) -> Escalated {
        Escalated {
            assignment: Row::from(assignment),
            reason: assignment.cycle.failure_reason(),
            review_feedback: assignment.review_feedback.clone(),
            options: assignment.cycle.options().into_iter().map(Resolution::as_str).collect(),
        }
    }
}
