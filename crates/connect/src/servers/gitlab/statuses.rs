use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Gitlab, of_project};
use crate::rest::{Ask, Fields as _, Listed};
use crate::servers::ids::{Project, Ref, Sha};
use crate::servers::tool::{Answer, Hints, Tool, cut, put};

/// GitLab takes no more.
const LONGEST: usize = 255;

pub(crate) struct GetCommitStatuses;
pub(crate) struct CreateCommitStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfCommit {
    project: Project,
    sha: Sha,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Statuses {
    statuses: Vec<Status>,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Status {
    id: u64,
    name: String,
    status: String,
    sha: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewStatus {
    project: Project,
    sha: Sha,
    state: State,
    /// What tells it from others; the newest of the same name counts.
    name: String,
    /// Cut at 255 characters.
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    target_url: Option<String>,
    /// The branch, where the commit is in several.
    #[serde(default, rename = "ref")]
    branch: Option<Ref>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    Pending,
    Running,
    Success,
    Failed,
    Canceled,
}

impl Tool for GetCommitStatuses {
    const NAME: &'static str = "gitlab_get_commit_statuses";
    const DESCRIPTION: &'static str =
        "What pipelines and others say about a commit: the newest of each name.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = OfCommit;
    type Output = Statuses;

    async fn call(gitlab: &Gitlab, input: OfCommit) -> Answer<Statuses> {
        let listed = gitlab.statuses(&input.project, &input.sha, input.name.as_deref()).await?;
        let statuses = listed.items.iter().map(Status::of).collect::<Answer<_>>()?;
        Ok(Statuses { statuses, complete: listed.complete })
    }
}

impl Tool for CreateCommitStatus {
    const NAME: &'static str = "gitlab_create_commit_status";
    const DESCRIPTION: &'static str = "Report a status on a commit. The newest of a name counts.";
    const HINTS: Hints = Hints::Settles;
    type Of = Gitlab;
    type Input = NewStatus;
    type Output = Status;

    async fn call(gitlab: &Gitlab, input: NewStatus) -> Answer<Status> {
        let mut body = json!({"state": input.state, "name": input.name});
        put(&mut body, "description", input.description.map(|text| cut(&text, LONGEST)));
        put(&mut body, "target_url", input.target_url);
        put(&mut body, "ref", input.branch);
        let path = of_project(&input.project).join(&"statuses").join(&input.sha);
        match gitlab.rest.json(&Ask::post(path, body).setting()).await {
            Ok(value) => Status::of(&value),
            // GitLab refuses to say the same twice. It was said: that is all we want.
            Err(trouble) if trouble.says("Cannot transition status") => {
                let listed = gitlab.statuses(&input.project, &input.sha, Some(&input.name)).await?;
                let said = json!(input.state);
                let is_same = |status: &&Value| {
                    status.pointer("/status") == Some(&said) && status["name"] == *input.name
                };
                listed.items.iter().find(is_same).map(Status::of).unwrap_or(Err(trouble))
            }
            Err(trouble) => Err(trouble),
        }
    }
}

impl Gitlab {
    async fn statuses(&self, project: &Project, sha: &Sha, name: Option<&str>) -> Answer<Listed> {
        let path = of_project(project).join(&"repository").join(&"commits").join(sha).join(&"statuses");
        self.rest.list(&Ask::get(path).query_if("name", name).query("per_page", 100), "").await
    }
}

impl Status {
    fn of(value: &Value) -> Answer<Status> {
        Ok(Status {
            id: value.number("/id")?,
            name: value.text("/name")?,
            status: value.text("/status")?,
            sha: value.text_or_empty("/sha"),
            branch: value.text_if("/ref"),
            description: value.text_if("/description"),
            target_url: value.text_if("/target_url"),
            author: value.text_if("/author/username"),
            created_at: value.text_if("/created_at"),
        })
    }
}
