use std::sync::Arc;

use engine::kept::KeptReview;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::mcp::found;
use crate::mcp::tools::task::{OneTask, task_id};
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct GetReviewReport;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Report {
    task_id: String,
    /// pass, fail or inconclusive.
    verdict: &'static str,
    /// By name and commit.
    head: String,
    base: String,
    /// The ReviewReport: status, overall_score, dimension_scores, findings, blocking_issues, revision_notes.
    report: Map<String, Value>,
}

impl Tool for GetReviewReport {
    const NAME: &'static str = "get_review_report";
    const DESCRIPTION: &'static str =
        "The whole report of a review that request_review or a review task made.";
    const HINTS: Hints = Hints::Reads;
    type Input = OneTask;
    type Output = Report;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: OneTask) -> Answer<Report> {
        let id = task_id(&input.task_id)?;
        let found = found::review(bench, &id).await?;
        let report = match serde_json::to_value(&found.review.report) {
            Ok(Value::Object(report)) => report,
            Ok(_) | Err(_) => Map::new(),
        };
        let KeptReview { verdict, head, base, .. } = found.review;
        Ok(Report { task_id: id.to_string(), verdict: verdict.as_str(), head, base, report })
    }
}
