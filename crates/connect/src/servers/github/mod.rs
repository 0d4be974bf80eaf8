//! GitHub and GitHub Enterprise.

mod branches;
mod checks;
mod comments;
mod diff;
mod graphql;
mod model;
mod pulls;
mod reviews;
mod statuses;
mod threads;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::ids::{Number, Repo};
use super::tool::{Entry, Speaks};
use crate::rest::{Path, Rest, path_of};

pub(crate) struct Github {
    rest: Rest,
}

impl Speaks for Github {
    fn rest(&self) -> &Rest {
        &self.rest
    }
}

/// Which pull request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnePull {
    repo: Repo,
    pr_number: Number,
}

fn of_repo(repo: &Repo) -> Path {
    path_of!["repos", repo.owner(), repo.name()]
}

fn of_pull(repo: &Repo, number: Number) -> Path {
    of_repo(repo).join(&"pulls").join(&number)
}

/// In the order in which clients show them.
pub(super) fn entries(rest: Rest) -> Vec<Entry> {
    let github = Arc::new(Github { rest });
    vec![
        Entry::of::<branches::GetMe>(&github),
        Entry::of::<pulls::GetPr>(&github),
        Entry::of::<pulls::GetPrByBranch>(&github),
        Entry::of::<diff::GetPrDiff>(&github),
        Entry::of::<diff::GetPrFiles>(&github),
        Entry::of::<comments::GetPrComments>(&github),
        Entry::of::<threads::GetReviewThreads>(&github),
        Entry::of::<checks::GetCheckRuns>(&github),
        Entry::of::<branches::GetBranch>(&github),
        Entry::of::<pulls::CreatePr>(&github),
        Entry::of::<pulls::UpdatePr>(&github),
        Entry::of::<comments::AddPrComment>(&github),
        Entry::of::<comments::UpdateComment>(&github),
        Entry::of::<comments::DeleteComment>(&github),
        Entry::of::<reviews::CreateReview>(&github),
        Entry::of::<reviews::AddReviewComment>(&github),
        Entry::of::<reviews::ReplyToReviewComment>(&github),
        Entry::of::<threads::ResolveThread>(&github),
        Entry::of::<checks::CreateCheckRun>(&github),
        Entry::of::<checks::UpdateCheckRun>(&github),
        Entry::of::<statuses::CreateCommitStatus>(&github),
    ]
}
