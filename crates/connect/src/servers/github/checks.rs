use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::statuses::Status;
use super::{Github, of_repo};
use crate::rest::{Ask, Fields as _, Kind, Trouble};
use crate::servers::ids::{Number, Ref, Repo, Sha};
use crate::servers::tool::{Answer, Hints, Tool, put};

pub(crate) struct GetCheckRuns;
pub(crate) struct CreateCheckRun;
pub(crate) struct UpdateCheckRun;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfCommit {
    repo: Repo,
    /// A commit id or a branch.
    #[serde(rename = "ref")]
    commit: Ref,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checks {
    /// Of the statuses taken together.
    state: String,
    statuses: Vec<Status>,
    check_runs: Vec<CheckRun>,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckRun {
    id: u64,
    name: String,
    head_sha: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusion: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCheckRun {
    repo: Repo,
    head_sha: Sha,
    name: String,
    /// completed if left out.
    #[serde(default)]
    status: Option<RunStatus>,
    /// Needed where the status is completed.
    #[serde(default)]
    conclusion: Option<Conclusion>,
    #[serde(default)]
    title: Option<String>,
    /// Markdown.
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    details_url: Option<String>,
    #[serde(default)]
    external_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRunChanges {
    repo: Repo,
    check_run_id: Number,
    #[serde(default)]
    status: Option<RunStatus>,
    #[serde(default)]
    conclusion: Option<Conclusion>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    details_url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RunStatus {
    Queued,
    InProgress,
    Completed,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Conclusion {
    Success,
    Failure,
    Neutral,
    Cancelled,
    TimedOut,
    ActionRequired,
    Skipped,
}

impl Tool for GetCheckRuns {
    const NAME: &'static str = "github_get_check_runs";
    const DESCRIPTION: &'static str = "What checks and statuses say about a commit.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OfCommit;
    type Output = Checks;

    async fn call(github: &Github, input: OfCommit) -> Answer<Checks> {
        let commit = of_repo(&input.repo).join(&"commits").join(&input.commit);
        let runs = Ask::get(commit.clone().join(&"check-runs")).query("per_page", 100);
        let statuses = Ask::get(commit.join(&"status")).query("per_page", 100);
        let (runs, combined) =
            tokio::try_join!(github.rest.list(&runs, "/check_runs"), github.rest.json(&statuses))?;
        let statuses = github.rest.list(&statuses, "/statuses").await?;
        Ok(Checks {
            state: combined.text_or_empty("/state"),
            statuses: statuses.items.iter().map(Status::of).collect::<Answer<_>>()?,
            check_runs: runs.items.iter().map(CheckRun::of).collect::<Answer<_>>()?,
            complete: runs.complete && statuses.complete,
        })
    }
}

impl Tool for CreateCheckRun {
    const NAME: &'static str = "github_create_check_run";
    const DESCRIPTION: &'static str = "Report a check on a commit. Needs the token of a GitHub App.";
    const HINTS: Hints = Hints::Adds;
    type Of = Github;
    type Input = NewCheckRun;
    type Output = CheckRun;

    async fn call(github: &Github, input: NewCheckRun) -> Answer<CheckRun> {
        let status = input.status.unwrap_or(RunStatus::Completed);
        if status == RunStatus::Completed && input.conclusion.is_none() {
            let what = "conclusion: is needed where the status is completed";
            return Err(Trouble::invalid(what, "call again with a conclusion; nothing was sent"));
        }
        let mut body = json!({"name": input.name, "head_sha": input.head_sha, "status": status});
        put(&mut body, "conclusion", input.conclusion);
        put(&mut body, "details_url", input.details_url);
        put(&mut body, "external_id", input.external_id);
        put(&mut body, "output", output(input.title.or(Some(input.name)), input.summary, input.text));
        let ask = Ask::post(of_repo(&input.repo).join(&"check-runs"), body);
        CheckRun::of(&github.rest.json(&ask).await.map_err(explained)?)
    }
}

impl Tool for UpdateCheckRun {
    const NAME: &'static str = "github_update_check_run";
    const DESCRIPTION: &'static str = "Change a check that was reported before.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Github;
    type Input = CheckRunChanges;
    type Output = CheckRun;

    async fn call(github: &Github, input: CheckRunChanges) -> Answer<CheckRun> {
        let mut body = json!({});
        put(&mut body, "status", input.status);
        put(&mut body, "conclusion", input.conclusion);
        put(&mut body, "details_url", input.details_url);
        put(&mut body, "output", output(input.title, input.summary, input.text));
        let path = of_repo(&input.repo).join(&"check-runs").join(&input.check_run_id);
        CheckRun::of(&github.rest.json(&Ask::patch(path, body)).await.map_err(explained)?)
    }
}

impl CheckRun {
    fn of(value: &Value) -> Answer<CheckRun> {
        Ok(CheckRun {
            id: value.number("/id")?,
            name: value.text("/name")?,
            head_sha: value.text_or_empty("/head_sha"),
            status: value.text("/status")?,
            conclusion: value.text_if("/conclusion"),
            title: value.text_if("/output/title"),
            summary: value.text_if("/output/summary"),
            details_url: value.text_if("/details_url"),
            external_id: value.text_if("/external_id"),
            url: value.text_if("/html_url"),
            app: value.text_if("/app/slug"),
            started_at: value.text_if("/started_at"),
            completed_at: value.text_if("/completed_at"),
        })
    }
}

/// GitHub wants a title and a summary, or none of it.
fn output(title: Option<String>, summary: Option<String>, text: Option<String>) -> Option<Value> {
    if summary.is_none() && text.is_none() {
        return None;
    }
    let mut output = json!({"title": title.unwrap_or_default(), "summary": summary.unwrap_or_default()});
    put(&mut output, "text", text);
    Some(output)
}

fn explained(trouble: Trouble) -> Trouble {
    match trouble.is(&Kind::Forbidden) {
        true => {
            trouble.hint("check runs need the token of a GitHub App; use github_create_commit_status instead")
        }
        false => trouble,
    }
}
