use std::sync::Arc;

use domain::formats::findings_document::DocumentFinding;
use engine::kept::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::found;
use crate::mcp::tools::task::task_id;
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

/// More findings than this are counted, not told: the report has them all.
const MOST: usize = 100;

pub(crate) struct GetFindings;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    task_id: String,
    /// open (if left out) is all but fixed.
    #[serde(default)]
    status: Option<Status>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    New,
    StillThere,
    BackAgain,
    Fixed,
    All,
}

impl Status {
    fn takes(self, standing: Standing) -> bool {
        match self {
            Status::All => true,
            Status::Open => standing != Standing::Fixed,
            Status::New => standing == Standing::New,
            Status::StillThere => standing == Standing::StillThere,
            Status::BackAgain => standing == Standing::BackAgain,
            Status::Fixed => standing == Standing::Fixed,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Findings {
    task_id: String,
    verdict: &'static str,
    /// The worst first.
    findings: Vec<Told>,
    /// Findings beyond those listed.
    more: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Told {
    /// new, still_there, back_again or fixed, against the review before.
    status: &'static str,
    severity: String,
    category: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    problem: String,
    fix: String,
}

impl Tool for GetFindings {
    const NAME: &'static str = "get_findings";
    const DESCRIPTION: &'static str =
        "What a review found, by status against the reviews of the same work before it.";
    const HINTS: Hints = Hints::Reads;
    type Input = Wanted;
    type Output = Findings;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: Wanted) -> Answer<Findings> {
        let id = task_id(&input.task_id)?;
        let found = found::review(bench, &id).await?;
        let earlier = found::earlier(bench, &found).await?;
        let status = input.status.unwrap_or(Status::Open);
        let told = found.review.against(&earlier);
        let mut wanted = told.iter().filter(|(standing, _)| status.takes(*standing));
        let findings: Vec<Told> =
            wanted.by_ref().take(MOST).map(|(at, finding)| Told::of(*at, finding)).collect();
        let more = wanted.count() + found.review.left_out;
        Ok(Findings { task_id: id.to_string(), verdict: found.review.verdict.as_str(), findings, more })
    }
}

impl Told {
    pub(super) fn of(standing: Standing, finding: &DocumentFinding) -> Told {
        Told {
            status: standing.as_str(),
            severity: finding.severity.to_string(),
            category: finding.category.clone(),
            file: finding.file.as_ref().map(ToString::to_string),
            line: finding.line,
            problem: finding.problem.clone(),
            fix: finding.fix.clone(),
        }
    }
}
