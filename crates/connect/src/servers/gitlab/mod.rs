//! GitLab, at gitlab.com or anywhere else.

mod branches;
mod diff;
mod discussions;
mod merge_requests;
mod model;
mod position;
mod statuses;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::ids::{Number, Project};
use super::tool::{Entry, Speaks};
use crate::rest::{Path, Rest, path_of};

pub(crate) struct Gitlab {
    rest: Rest,
}

impl Speaks for Gitlab {
    fn rest(&self) -> &Rest {
        &self.rest
    }
}

/// Which merge request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneMergeRequest {
    project: Project,
    mr_iid: Number,
}

fn of_project(project: &Project) -> Path {
    path_of!["projects", project]
}

fn of_merge_request(project: &Project, iid: Number) -> Path {
    of_project(project).join(&"merge_requests").join(&iid)
}

/// In the order in which clients show them.
pub(super) fn entries(rest: Rest) -> Vec<Entry> {
    let gitlab = Arc::new(Gitlab { rest });
    vec![
        Entry::of::<branches::GetMe>(&gitlab),
        Entry::of::<merge_requests::GetMr>(&gitlab),
        Entry::of::<merge_requests::GetMrByBranch>(&gitlab),
        Entry::of::<diff::GetMrDiff>(&gitlab),
        Entry::of::<discussions::GetMrDiscussions>(&gitlab),
        Entry::of::<statuses::GetCommitStatuses>(&gitlab),
        Entry::of::<branches::GetBranch>(&gitlab),
        Entry::of::<merge_requests::CreateMr>(&gitlab),
        Entry::of::<merge_requests::UpdateMr>(&gitlab),
        Entry::of::<discussions::AddMrNote>(&gitlab),
        Entry::of::<discussions::UpdateNote>(&gitlab),
        Entry::of::<discussions::DeleteNote>(&gitlab),
        Entry::of::<discussions::CreateDiscussion>(&gitlab),
        Entry::of::<discussions::ReplyToDiscussion>(&gitlab),
        Entry::of::<discussions::ResolveDiscussion>(&gitlab),
        Entry::of::<statuses::CreateCommitStatus>(&gitlab),
    ]
}
