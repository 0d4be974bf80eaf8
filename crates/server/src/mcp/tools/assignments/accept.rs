use std::sync::Arc;

use domain::assignments::AfterAccept;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Standing, number};
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct AcceptAssignment;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneAssignment {
    pub(crate) assignment_id: i64,
}

impl Tool for AcceptAssignment {
    const NAME: &'static str = "accept_assignment";
    const DESCRIPTION: &'static str =
        "Coders: take your assignment, or its rework, and begin. It is in_progress then.";
    const HINTS: Hints = Hints::Settles;
    type Input = OneAssignment;
    type Output = Standing;

    async fn call<S: Stores>(
        bench: &Arc<Workbench<S>>,
        call: Call,
        input: OneAssignment,
    ) -> Answer<Standing> {
        let id = number(input.assignment_id)?;
        let assignment = bench.assignments.accept(&call.caller, id, AfterAccept::Begin).await?;
        let message = "Yours now: work, commit on a branch, then submit_for_review".to_owned();
        Ok(Standing::of(&assignment, message))
    }
}
