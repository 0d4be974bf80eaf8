use std::sync::Arc;

use domain::assignments::{AssignmentCursor, AssignmentFilter, AssignmentPage};
use domain::cycle::AssignmentStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Row;
use crate::mcp::tools::{Call, Hints, Tool, page_size};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct ListAssignments;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    #[serde(default)]
    status: Option<AssignmentStatus>,
    /// Only this coder's.
    #[serde(default)]
    agent: Option<String>,
    /// Only those that name this reviewer.
    #[serde(default)]
    reviewer: Option<String>,
    /// 1 to 100; 20 if left out.
    #[serde(default)]
    limit: Option<u32>,
    /// next_cursor of the page before.
    #[serde(default)]
    cursor: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Assignments {
    assignments: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<i64>,
}

impl From<AssignmentPage> for Assignments {
    fn from(page: AssignmentPage) -> Assignments {
        Assignments {
            assignments: page.assignments.iter().map(Row::from).collect(),
            next_cursor: page.next.map(|AssignmentCursor(at)| at),
        }
    }
}

impl Tool for ListAssignments {
    const NAME: &'static str = "list_assignments";
    const DESCRIPTION: &'static str = "Assignments, the newest first.";
    const HINTS: Hints = Hints::Reads;
    type Input = Wanted;
    type Output = Assignments;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: Wanted) -> Answer<Assignments> {
        let size = page_size(input.limit)?;
        let filter = AssignmentFilter { status: input.status, agent: input.agent, reviewer: input.reviewer };
        let page = bench.assignments.list(&filter, input.cursor.map(AssignmentCursor), size).await?;
        Ok(page.into())
    }
}
