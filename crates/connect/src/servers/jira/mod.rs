//! Jira, in the cloud (version 3 of its interface, with a document format of its own) and on servers of one's own
//! (version 2, with wiki markup).

mod adf;
mod comments;
mod dialect;
mod issues;
mod links;
mod literal;
mod transitions;

use std::sync::Arc;

use dialect::Dialect;
use reqwest::Url;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::OnceCell;

use super::ids::IssueKey;
use super::tool::{Answer, Entry, Speaks};
use crate::rest::{Path, Rest, path_of};

pub(crate) struct Jira {
    rest: Rest,
    dialect: OnceCell<Dialect>,
}

impl Speaks for Jira {
    fn rest(&self) -> &Rest {
        &self.rest
    }
}

/// Which issue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneIssue {
    issue_key: IssueKey,
}

impl Jira {
    /// Below the interface that this Jira has.
    async fn api(&self) -> Answer<Path> {
        Ok(path_of!["rest", "api", self.dialect().await?.version()])
    }

    async fn of_issue(&self, key: &IssueKey) -> Answer<Path> {
        Ok(self.api().await?.join(&"issue").join(key))
    }

    /// Where people look at it.
    fn browse(&self, key: &str) -> Answer<String> {
        let mut url: Url = self.rest.base()?.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["browse", key]);
        }
        Ok(url.into())
    }
}

/// In the order in which clients show them.
pub(super) fn entries(rest: Rest, version: Option<u8>) -> Vec<Entry> {
    let dialect = OnceCell::new_with(version.map(Dialect::of_version));
    let jira = Arc::new(Jira { rest, dialect });
    vec![
        Entry::of::<issues::GetMe>(&jira),
        Entry::of::<issues::GetIssue>(&jira),
        Entry::of::<issues::SearchIssues>(&jira),
        Entry::of::<comments::GetComments>(&jira),
        Entry::of::<transitions::GetTransitions>(&jira),
        Entry::of::<comments::AddComment>(&jira),
        Entry::of::<comments::UpdateComment>(&jira),
        Entry::of::<transitions::TransitionIssue>(&jira),
        Entry::of::<links::AddRemoteLink>(&jira),
    ]
}
