use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model::MergeRequest;
use super::{Gitlab, OneMergeRequest, of_merge_request, of_project};
use crate::rest::{Ask, Fields as _, Trouble};
use crate::servers::ids::{Number, Project, Ref};
use crate::servers::tool::{Answer, Hints, Tool, not_empty, put, word};

pub(crate) struct GetMr;
pub(crate) struct GetMrByBranch;
pub(crate) struct CreateMr;
pub(crate) struct UpdateMr;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByBranch {
    project: Project,
    source_branch: Ref,
    #[serde(default)]
    target_branch: Option<Ref>,
    /// opened if left out.
    #[serde(default)]
    state: Option<Wanted>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Opened,
    Closed,
    Merged,
    All,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Found {
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_request: Option<MergeRequest>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMergeRequest {
    project: Project,
    source_branch: Ref,
    target_branch: Ref,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    draft: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Created {
    created: bool,
    merge_request: MergeRequest,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    project: Project,
    mr_iid: Number,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    target_branch: Option<Ref>,
    #[serde(default)]
    state_event: Option<StateEvent>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateEvent {
    Close,
    Reopen,
}

impl Tool for GetMr {
    const NAME: &'static str = "gitlab_get_mr";
    const DESCRIPTION: &'static str = "One merge request: branches and commits, state, author, description.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = OneMergeRequest;
    type Output = MergeRequest;

    async fn call(gitlab: &Gitlab, input: OneMergeRequest) -> Answer<MergeRequest> {
        gitlab.merge_request(&input.project, input.mr_iid).await
    }
}

impl Tool for GetMrByBranch {
    const NAME: &'static str = "gitlab_get_mr_by_branch";
    const DESCRIPTION: &'static str = "The newest merge request of a branch, if there is one.";
    const HINTS: Hints = Hints::Reads;
    type Of = Gitlab;
    type Input = ByBranch;
    type Output = Found;

    async fn call(gitlab: &Gitlab, input: ByBranch) -> Answer<Found> {
        let state = input.state.unwrap_or(Wanted::Opened);
        let target = input.target_branch.as_ref();
        let merge_request = gitlab.of_branch(&input.project, &input.source_branch, target, state).await?;
        Ok(Found { merge_request })
    }
}

impl Tool for CreateMr {
    const NAME: &'static str = "gitlab_create_mr";
    const DESCRIPTION: &'static str =
        "Open a merge request. If the branch has an open one for that target, that is given back.";
    const HINTS: Hints = Hints::Settles;
    type Of = Gitlab;
    type Input = NewMergeRequest;
    type Output = Created;

    async fn call(gitlab: &Gitlab, input: NewMergeRequest) -> Answer<Created> {
        let title = if input.draft { format!("Draft: {}", input.title) } else { input.title };
        let body = json!({"source_branch": input.source_branch, "target_branch": input.target_branch,
            "title": title, "description": input.description});
        let ask = Ask::post(of_project(&input.project).join(&"merge_requests"), body);
        match gitlab.rest.json(&ask).await {
            Ok(value) => Ok(Created { created: true, merge_request: MergeRequest::of(&value)? }),
            Err(trouble) if trouble.says("already exists") => {
                let (source, target) = (&input.source_branch, Some(&input.target_branch));
                let existing = gitlab.of_branch(&input.project, source, target, Wanted::Opened).await?;
                let merge_request = existing.ok_or(trouble)?;
                Ok(Created { created: false, merge_request })
            }
            Err(trouble) => Err(trouble),
        }
    }
}

impl Tool for UpdateMr {
    const NAME: &'static str = "gitlab_update_mr";
    const DESCRIPTION: &'static str = "Change title, description, target or state of a merge request.";
    const HINTS: Hints = Hints::Replaces;
    type Of = Gitlab;
    type Input = Changes;
    type Output = MergeRequest;

    async fn call(gitlab: &Gitlab, input: Changes) -> Answer<MergeRequest> {
        let mut body = json!({});
        put(&mut body, "title", input.title);
        put(&mut body, "description", input.description);
        put(&mut body, "target_branch", input.target_branch);
        put(&mut body, "state_event", input.state_event);
        let ask = Ask::put(of_merge_request(&input.project, input.mr_iid), not_empty(body)?);
        MergeRequest::of(&gitlab.rest.json(&ask).await?)
    }
}

impl Gitlab {
    async fn merge_request(&self, project: &Project, iid: impl ToString) -> Answer<MergeRequest> {
        let path = of_project(project).join(&"merge_requests").join(&iid);
        MergeRequest::of(&self.rest.json(&Ask::get(path)).await?)
    }

    async fn of_branch(
        &self,
        project: &Project,
        source: &Ref,
        target: Option<&Ref>,
        state: Wanted,
    ) -> Answer<Option<MergeRequest>> {
        let ask = Ask::get(of_project(project).join(&"merge_requests"))
            .query("source_branch", source)
            .query_if("target_branch", target)
            .query("state", word(state))
            .query("order_by", "created_at")
            .query("sort", "desc")
            .query("per_page", 100);
        let page = self.rest.json(&ask).await?;
        let Value::Array(found) = &page else { return Err(Trouble::unreadable("the answer is no list")) };
        let fits = |one: &&Value| one.text_if("/source_branch").as_deref() == Some(source.as_str());
        // A fork may have a branch of the same name: the project's own comes first.
        let own = |one: &&Value| one.number_if("/source_project_id") == one.number_if("/target_project_id");
        let mut fitting = found.iter().filter(fits);
        match fitting.clone().find(own).or_else(|| fitting.next()) {
            // In a list GitLab leaves out which commits the diff is between.
            Some(one) => self.merge_request(project, one.number("/iid")?).await.map(Some),
            None => Ok(None),
        }
    }
}
