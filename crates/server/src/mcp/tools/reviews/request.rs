use std::sync::Arc;

use domain::tasks::{Invalid, Task, TaskId};
use domain::text::{is_invisible, short_line};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::findings::Told;
use super::now::review_now;
use crate::mcp::found::{self, Found};
use crate::mcp::tools::queue::{add, new_id};
use crate::mcp::tools::task::task_id;
use crate::mcp::tools::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::reviews::ReviewAsk;
use crate::workbench::{Stores, Workbench};

const REVIEWER: &str = "qa";
const LONGEST_REVISION: usize = 250;
/// The first of them; get_findings has the rest.
const MOST_FINDINGS: usize = 10;

pub(crate) struct RequestReview;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    /// Branch or commit to compare with; guessed if left out.
    #[serde(default)]
    pub(super) base: Option<String>,
    /// Branch or commit to review; what is checked out, if left out.
    #[serde(default)]
    pub(super) head: Option<String>,
    /// now (if left out) waits for the verdict, task queues it.
    #[serde(default)]
    run: Option<Run>,
    /// now: rules (if left out), model, or an agent of countersign.yaml.
    #[serde(default)]
    reviewer: Option<String>,
    /// task: whose queue; qa if left out.
    #[serde(default)]
    agent_id: Option<String>,
    /// task_id of the review before, to tell what is new, fixed or back.
    #[serde(default)]
    previous: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Run {
    Now,
    Task,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reviewed {
    /// For get_review_report and get_findings.
    task_id: String,
    /// pending or completed.
    status: &'static str,
    /// pass, fail or inconclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    must_fix: Option<usize>,
    /// The worst of them.
    findings: Vec<Told>,
    message: String,
}

impl Tool for RequestReview {
    const NAME: &'static str = "request_review";
    const DESCRIPTION: &'static str = "Review the commits base..head of this repository, now or as a queued task. The \
        verdict is Countersign's gate's; the report is kept.";
    const HINTS: Hints = Hints::Reviews;
    type Input = Range;
    type Output = Reviewed;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: Range) -> Answer<Reviewed> {
        check_revision("base", input.base.as_deref())?;
        check_revision("head", input.head.as_deref())?;
        match input.run.unwrap_or(Run::Now) {
            Run::Now => now(bench, &call, input).await,
            Run::Task => queued(bench, &call, input).await,
        }
    }
}

async fn now<S: Stores>(bench: &Arc<Workbench<S>>, call: &Call, input: Range) -> Answer<Reviewed> {
    let history = history(bench, input.previous.as_deref()).await?;
    let ask = ReviewAsk { base: input.base, head: input.head, reviewer: input.reviewer, task: String::new() };
    let found = review_now(bench, call, ask, history).await?;
    let earlier = found::earlier(bench, &found).await?;
    Ok(Reviewed::of(&found, &found.review.against(&earlier)))
}

async fn queued<S: Stores>(bench: &Arc<Workbench<S>>, call: &Call, input: Range) -> Answer<Reviewed> {
    let agent = input.agent_id.as_deref().unwrap_or(REVIEWER);
    let id = new_id("review", agent, bench.store.now().await?)
        .map_err(|invalid| Invalid::new("agent_id", invalid.reason))?;
    let mut task = Task::new(id, "review", agent, &title(input.base.as_deref(), input.head.as_deref()));
    task.created_by = call.caller.name().to_owned();
    task.context.extend(input.base.map(|base| ("base_branch".to_owned(), Value::from(base))));
    task.context.extend(input.head.map(|head| ("branch_name".to_owned(), Value::from(head))));
    let earlier = history(bench, input.previous.as_deref()).await?;
    if !earlier.is_empty() {
        task.context.insert("review_history".to_owned(), earlier.into());
    }
    let queued = add(bench, task).await?;
    let note = queued.note.map(|note| format!("; {note}")).unwrap_or_default();
    let message = format!("Queued for {agent}; get_review_report has the report once it is completed{note}");
    Ok(Reviewed {
        task_id: queued.task_id,
        status: queued.status,
        verdict: None,
        must_fix: None,
        findings: vec![],
        message,
    })
}

/// The reviews before, as a task's context names them.
async fn history<S: Stores>(bench: &Arc<Workbench<S>>, previous: Option<&str>) -> Answer<Vec<Value>> {
    let Some(previous) = previous.filter(|id| !id.is_empty()) else { return Ok(Vec::new()) };
    let found = found::review(bench, &task_id(previous)?).await?;
    let entry = |id: &TaskId| json!({ "review_task": id });
    let earlier = found::earlier_ids(&found.stored);
    Ok(earlier.iter().chain([&found.stored.task.id]).map(entry).collect())
}

pub(super) fn title(base: Option<&str>, head: Option<&str>) -> String {
    let against = base.map(|base| format!(" against {base}")).unwrap_or_default();
    short_line(&format!("Review of {}{against}", head.unwrap_or("what is checked out")))
}

/// Any revision that names one commit and nothing else.
fn check_revision(field: &str, revision: Option<&str>) -> Result<(), Invalid> {
    let Some(revision) = revision else { return Ok(()) };
    let refuse = |reason: &str| Err(Invalid::new(field, reason));
    if revision.is_empty() || revision.len() > LONGEST_REVISION {
        return refuse("is empty or longer than 250 characters; name a branch or commit");
    }
    if revision.starts_with('-') || revision.contains("..") {
        return refuse("may not begin with `-` nor hold `..`; name one branch or commit");
    }
    if revision.chars().any(|c| c.is_control() || c.is_whitespace() || is_invisible(c)) {
        return refuse("holds white space or a character nobody sees");
    }
    Ok(())
}

impl Reviewed {
    fn of(
        found: &Found,
        told: &[(engine::kept::Standing, domain::formats::findings_document::DocumentFinding)],
    ) -> Reviewed {
        let open = told.iter().filter(|(standing, _)| *standing != engine::kept::Standing::Fixed);
        let findings: Vec<Told> =
            open.take(MOST_FINDINGS).map(|(at, finding)| Told::of(*at, finding)).collect();
        let must_fix = found.review.findings.must_fix();
        let verdict = found.review.verdict.as_str();
        let message = match verdict {
            "pass" if found.review.files == Some(0) => {
                "Nothing changed, so there was nothing to review; check base and head".to_owned()
            }
            "pass" => "The gate lets it pass".to_owned(),
            "fail" => format!(
                "The gate says no: {must_fix} must be fixed; mend them, commit and request_review again"
            ),
            _ => "The review proves nothing; get_review_report says what was not seen".to_owned(),
        };
        Reviewed {
            task_id: found.stored.task.id.to_string(),
            status: found.stored.task.status.as_str(),
            verdict: Some(verdict),
            must_fix: Some(must_fix),
            findings,
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_one_commit_and_no_option() {
        for good in ["main", "HEAD~3", "feature/login", "v1.2^{commit}", "0123abc"] {
            assert_eq!(check_revision("head", Some(good)), Ok(()));
        }
        for bad in [
            "",
            "--output=x",
            "main..topic",
            "../../etc/passwd",
            "a b",
            "a\u{0}b",
            "a\u{202e}b",
            &"x".repeat(300),
        ] {
            assert_eq!(check_revision("head", Some(bad)).unwrap_err().field, "head", "{bad}");
        }
    }
}
