use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Standing, number};
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct SubmitForReview;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Work {
    assignment_id: i64,
    /// Where the work is committed; the branch of the submission before, if left out.
    #[serde(default)]
    branch_name: Option<String>,
    /// Branch or commit it is compared with.
    #[serde(default)]
    base: Option<String>,
}

impl Tool for SubmitForReview {
    const NAME: &'static str = "submit_for_review";
    const DESCRIPTION: &'static str = "Coders: hand in committed work. The branch must hold commits its base does not; its \
        head is what is reviewed, later commits are not.";
    const HINTS: Hints = Hints::Adds;
    type Input = Work;
    type Output = Standing;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Work) -> Answer<Standing> {
        let id = number(input.assignment_id)?;
        let (branch, base) = (input.branch_name.as_deref(), input.base.as_deref());
        let assignment = bench.assignments.submit_for_review(&call.caller, id, branch, base).await?;
        let message = format!(
            "Submitted for review, attempt {} of {}; get_my_assignment tells when there is rework",
            assignment.review_attempt(),
            assignment.max_cycles()
        );
        Ok(Standing::of(&assignment, message))
    }
}
