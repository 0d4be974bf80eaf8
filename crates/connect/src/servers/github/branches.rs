use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Github, of_repo};
use crate::rest::{Ask, Fields as _, path_of};
use crate::servers::ids::{Ref, Repo};
use crate::servers::tool::{Answer, Hints, Nothing, Tool};

pub(crate) struct GetBranch;
pub(crate) struct GetMe;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneBranch {
    repo: Repo,
    branch: Ref,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Branch {
    name: String,
    sha: String,
    protected: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Me {
    login: String,
    id: u64,
}

impl Tool for GetBranch {
    const NAME: &'static str = "github_get_branch";
    const DESCRIPTION: &'static str = "Whether a branch exists, and the commit at its end.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = OneBranch;
    type Output = Branch;

    async fn call(github: &Github, input: OneBranch) -> Answer<Branch> {
        let path = of_repo(&input.repo).join(&"branches").join(&input.branch);
        let value = github.rest.json(&Ask::get(path)).await?;
        Ok(Branch {
            name: value.text("/name")?,
            sha: value.text("/commit/sha")?,
            protected: value.is("/protected"),
        })
    }
}

impl Tool for GetMe {
    const NAME: &'static str = "github_get_me";
    const DESCRIPTION: &'static str = "Whose token this server uses.";
    const HINTS: Hints = Hints::Reads;
    type Of = Github;
    type Input = Nothing;
    type Output = Me;

    async fn call(github: &Github, _: Nothing) -> Answer<Me> {
        let value = github.rest.json(&Ask::get(path_of!["user"])).await?;
        Ok(Me { login: value.text("/login")?, id: value.number("/id")? })
    }
}
