use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model::Pull;
use super::{Github, OnePull, of_pull, of_repo};
use crate::rest::{Ask, Fields as _, Trouble};
use crate::servers::ids::{Number, Ref, Repo};
use crate::servers::tool::{Answer, Hints, Tool, not_empty, put, word};

pub(crate) struct GetPr;
pub(crate) struct GetPrByBranch;
pub(crate) struct CreatePr;
pub(crate) struct UpdatePr;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByBranch {
    repo: Repo,
    branch: Ref,
    /// Who owns the branch, if it is in a fork.
    #[serde(default)]
    head_owner: Option<String>,
    /// open if left out.
    #[serde(default)]
    state: Option<Wanted>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Open,
    Closed,
    All,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Found {
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request: Option<Pull>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPull {
    repo: Repo,
    title: String,
    /// The branch with the change; owner:branch if it is in a fork.
    head: String,
    /// The branch it should go into.
    base: Ref,
    #[serde(default)]
    body: String,
    #[serde(default)]
    draft: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Created {
    created: bool,
    pull_request: Pull,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    repo: Repo,
    pr_number: Number,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    base: Option<Ref>,
    #[serde(default)]
    state: Option<State>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    Open,
    Closed,
}

impl Tool for GetPr {
    const NAME: &'static str = "github_get_pr";
    const DESCRIPTION: &'static str = "One pull request: branches and commits, state, author, description.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OnePull;
    type Output = Pull;

    async fn call(github: &Github, input: OnePull) -> Answer<Pull> {
        github.pull(&input.repo, input.pr_number).await
    }
}

impl Tool for GetPrByBranch {
    const NAME: &'static str = "github_get_pr_by_branch";
    const DESCRIPTION: &'static str = "The newest pull request of a branch, if there is one.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = ByBranch;
    type Output = Found;

    async fn call(github: &Github, input: ByBranch) -> Answer<Found> {
        let owner = input.head_owner.as_deref().unwrap_or(input.repo.owner());
        let state = input.state.unwrap_or(Wanted::Open);
        Ok(Found { pull_request: github.pull_of(&input.repo, owner, input.branch.as_str(), state).await? })
    }
}

impl Tool for CreatePr {
    const NAME: &'static str = "github_create_pr";
    const DESCRIPTION: &'static str =
        "Open a pull request. If the branch has an open one, that is given back.";
    const HINTS: Hints = Hints::Settles;
    type Of = Github;
    type Input = NewPull;
    type Output = Created;

    async fn call(github: &Github, input: NewPull) -> Answer<Created> {
        let body = json!({"title": input.title, "head": input.head, "base": input.base, "body": input.body,
            "draft": input.draft});
        let ask = Ask::post(of_repo(&input.repo).join(&"pulls"), body);
        match github.rest.json(&ask).await {
            Ok(value) => Ok(Created { created: true, pull_request: Pull::of(&value)? }),
            Err(trouble) if trouble.says("already exists") => {
                let (owner, branch) =
                    input.head.split_once(':').unwrap_or((input.repo.owner(), input.head.as_str()));
                let existing = github.pull_of(&input.repo, owner, branch, Wanted::Open).await?;
                let pull_request = existing.ok_or(trouble)?;
                Ok(Created { created: false, pull_request })
            }
            Err(trouble) => Err(trouble),
        }
    }
}

impl Tool for UpdatePr {
    const NAME: &'static str = "github_update_pr";
    const DESCRIPTION: &'static str = "Change title, description, base or state of a pull request.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Github;
    type Input = Changes;
    type Output = Pull;

    async fn call(github: &Github, input: Changes) -> Answer<Pull> {
        let mut body = json!({});
        put(&mut body, "title", input.title);
        put(&mut body, "body", input.body);
        put(&mut body, "base", input.base);
        put(&mut body, "state", input.state);
        let ask = Ask::patch(of_pull(&input.repo, input.pr_number), not_empty(body)?);
        Pull::of(&github.rest.json(&ask).await?)
    }
}

impl Github {
    pub(super) async fn pull(&self, repo: &Repo, number: Number) -> Answer<Pull> {
        Pull::of(&self.rest.json(&Ask::get(of_pull(repo, number))).await?)
    }

    async fn pull_of(&self, repo: &Repo, owner: &str, branch: &str, state: Wanted) -> Answer<Option<Pull>> {
        let ask = Ask::get(of_repo(repo).join(&"pulls"))
            .query("head", format!("{owner}:{branch}"))
            .query("state", word(state))
            .query("sort", "created")
            .query("direction", "desc")
            .query("per_page", 10);
        let page = self.rest.json(&ask).await?;
        let Value::Array(found) = &page else { return Err(Trouble::unreadable("the answer is no list")) };
        // A filter that GitHub cannot read is one that it leaves out.
        let fits = |pull: &&Value| pull.text_if("/head/ref").as_deref() == Some(branch);
        found.iter().find(fits).map(Pull::of).transpose()
    }
}
