//! A pull request as GitHub's servers describe it.

use domain::change::LineKind;
use domain::forge::{
    InlinePlace, LineSpot, MergeRequest, MergeRequestRef, MergeRequestState, Origin, Project,
};
use domain::ports::PortError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::shapes::{Named, RequestShape, oid, web_address};

/// In our words, in those of the REST interface, or in some of the latter: versions differ in how much they pass on.
#[derive(Deserialize)]
pub(super) struct Pull {
    pub(super) number: u64,
    title: String,
    body: Option<String>,
    state: String,
    draft: Option<bool>,
    merged: Option<bool>,
    merged_at: Option<String>,
    html_url: Option<String>,
    url: Option<String>,
    #[serde(alias = "user")]
    author: Option<Named>,
    pub(super) head: End,
    pub(super) base: End,
    from_fork: Option<bool>,
    labels: Option<Vec<Named>>,
    pub(super) changed_files: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct End {
    #[serde(alias = "ref")]
    pub(super) branch: String,
    pub(super) sha: String,
    repo: Option<Named>,
}

impl Pull {
    fn state(&self) -> MergeRequestState {
        let is_merged = self.merged == Some(true) || self.merged_at.is_some();
        match (is_merged, self.state.as_str()) {
            (true, _) => MergeRequestState::Merged,
            (false, "open") => MergeRequestState::Open,
            (false, _) => MergeRequestState::Closed,
        }
    }

    /// Where it is not said, a stranger is assumed.
    pub(super) fn is_from_here(&self) -> bool {
        let name = |end: &End| end.repo.as_ref().map(|repo| repo.as_name().to_ascii_lowercase());
        match self.from_fork {
            Some(from_fork) => !from_fork,
            None => name(&self.head).is_some() && name(&self.head) == name(&self.base),
        }
    }
}

impl RequestShape for Pull {
    fn into_request(self, action: &str, project: &Project) -> Result<MergeRequest, PortError> {
        let (state, is_from_here) = (self.state(), self.is_from_here());
        Ok(MergeRequest {
            reference: MergeRequestRef { project: project.clone(), number: self.number },
            title: self.title,
            description: self.body.unwrap_or_default(),
            state,
            is_draft: self.draft.unwrap_or(false),
            url: web_address(self.html_url.or(self.url).unwrap_or_default()),
            // Accounts that are gone are called so by GitHub as well.
            author: self.author.map_or_else(|| "ghost".to_owned(), Named::into_name),
            source_branch: self.head.branch,
            target_branch: self.base.branch,
            head: Some(oid(action, &self.head.sha)?),
            origin: if is_from_here { Origin::SameProject } else { Origin::Fork },
            diff_refs: None,
            labels: self.labels.unwrap_or_default().into_iter().map(Named::into_name).collect(),
        })
    }
}

/// `line` and `side`, and the same for the start where there is more than one line, by the names that the server has
/// for those.
pub(super) fn place(place: &InlinePlace, [start_line, start_side]: [&str; 2]) -> Value {
    let at = |spot: LineSpot| match spot.kind {
        LineKind::Added | LineKind::Context => (spot.new, "RIGHT"),
        LineKind::Removed => (spot.old, "LEFT"),
    };
    let (line, side) = at(place.end);
    let mut arguments = json!({ "path": place.path.to_str(), "line": line, "side": side });
    if place.start != place.end {
        let (line, side) = at(place.start);
        (arguments[start_line], arguments[start_side]) = (json!(line), json!(side));
    }
    arguments
}
