use std::sync::Arc;

use domain::change::Oid;
use domain::cycle::ReviewResult;
use engine::assignments::{Judged, Judgement};
use schemars::JsonSchema;
use serde::Deserialize;

use super::number;
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::{Answer, Trouble};
use crate::workbench::{Stores, Workbench};

pub(crate) struct SubmitReviewResult;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    assignment_id: i64,
    /// Whether the code passes.
    approved: bool,
    /// Comments; required if not approved.
    #[serde(default)]
    feedback: Option<String>,
    /// The commit you reviewed; needed once the branch moved on.
    #[serde(default)]
    head_commit: Option<String>,
    /// Name this or head_commit.
    #[serde(default)]
    review_attempt: Option<u32>,
    /// True if the review could not be completed: it costs no attempt.
    #[serde(default)]
    inconclusive: Option<bool>,
}

impl Tool for SubmitReviewResult {
    const NAME: &'static str = "submit_review_result";
    const DESCRIPTION: &'static str = "Reviewers: your verdict on a submitted assignment. Rejected work goes back for \
        rework; at the last attempt it is escalated to a person. One verdict per attempt.";
    const HINTS: Hints = Hints::Decides;
    type Input = Verdict;
    type Output = ReviewResult;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Verdict) -> Answer<ReviewResult> {
        let id = number(input.assignment_id)?;
        let judged = match (input.inconclusive, input.approved) {
            (Some(true), true) => {
                return Err(Trouble::new(
                    "approved and inconclusive exclude each other",
                    "send approved: false with inconclusive: true, or leave inconclusive out",
                ));
            }
            (Some(true), false) => Judged::Inconclusive,
            (Some(false) | None, true) => Judged::Approved,
            (Some(false) | None, false) => Judged::Rejected,
        };
        let mut judgement = Judgement::new(judged, input.feedback.unwrap_or_default());
        judgement.head_commit = input.head_commit.as_deref().map(commit).transpose()?;
        judgement.review_attempt = input.review_attempt;
        Ok(bench.assignments.submit_review_result(&call.caller, id, &judgement).await?)
    }
}

fn commit(text: &str) -> Answer<Oid> {
    Oid::parse(text).ok_or_else(|| {
        Trouble::new(
            "head_commit: is not a whole object name",
            "give the head_commit of get_my_assignment, in full",
        )
    })
}
