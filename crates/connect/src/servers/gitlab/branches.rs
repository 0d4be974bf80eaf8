use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Gitlab, of_project};
use crate::rest::{Ask, Fields as _, path_of};
use crate::servers::ids::{Project, Ref};
use crate::servers::tool::{Answer, Hints, Nothing, Tool};

pub(crate) struct GetBranch;
pub(crate) struct GetMe;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneBranch {
    project: Project,
    branch: Ref,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Branch {
    name: String,
    sha: String,
    protected: bool,
    default: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Me {
    username: String,
    id: u64,
}

impl Tool for GetBranch {
    const NAME: &'static str = "gitlab_get_branch";
    const DESCRIPTION: &'static str = "Whether a branch exists, and the commit at its end.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = OneBranch;
    type Output = Branch;

    async fn call(gitlab: &Gitlab, input: OneBranch) -> Answer<Branch> {
        let path = of_project(&input.project).join(&"repository").join(&"branches").join(&input.branch);
        let value = gitlab.rest.json(&Ask::get(path)).await?;
        Ok(Branch {
            name: value.text("/name")?,
            sha: value.text("/commit/id")?,
            protected: value.is("/protected"),
            default: value.is("/default"),
        })
    }
}

impl Tool for GetMe {
    const NAME: &'static str = "gitlab_get_me";
    const DESCRIPTION: &'static str = "Whose token this server uses.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = Nothing;
    type Output = Me;

    async fn call(gitlab: &Gitlab, _: Nothing) -> Answer<Me> {
        let value = gitlab.rest.json(&Ask::get(path_of!["user"])).await?;
        Ok(Me { username: value.text("/username")?, id: value.number("/id")? })
    }
}
