use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Github, of_repo};
use crate::rest::{Ask, Fields as _};
use crate::servers::ids::{Repo, Sha};
use crate::servers::tool::{Answer, Hints, Tool, cut, put};

/// GitHub takes no more.
const LONGEST: usize = 140;

pub(crate) struct CreateCommitStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewStatus {
    repo: Repo,
    sha: Sha,
    state: State,
    /// What tells it from others; the newest of the same name counts.
    context: String,
    /// Cut at 140 characters.
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    target_url: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    Success,
    Failure,
    Error,
    Pending,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Status {
    context: String,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
}

impl Tool for CreateCommitStatus {
    const NAME: &'static str = "github_create_commit_status";
    const DESCRIPTION: &'static str = "Report a status on a commit. The newest of a context counts.";
    const HINTS: Hints = Hints::Settles;
    type Of = Github;
    type Input = NewStatus;
    type Output = Status;

    async fn call(github: &Github, input: NewStatus) -> Answer<Status> {
        let mut body = json!({"state": input.state, "context": input.context});
        put(&mut body, "description", input.description.map(|text| cut(&text, LONGEST)));
        put(&mut body, "target_url", input.target_url);
        let path = of_repo(&input.repo).join(&"statuses").join(&input.sha);
        Status::of(&github.rest.json(&Ask::post(path, body).setting()).await?)
    }
}

impl Status {
    pub(super) fn of(value: &Value) -> Answer<Status> {
        Ok(Status {
            context: value.text("/context")?,
            state: value.text("/state")?,
            description: value.text_if("/description"),
            target_url: value.text_if("/target_url"),
            created_at: value.text_if("/created_at"),
        })
    }
}
