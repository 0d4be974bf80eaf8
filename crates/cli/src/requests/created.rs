//! Requests that an agent creates through our own servers, handed in at once.

use std::sync::Arc;

use connect::servers::{Addition, After, AfterCall};
use domain::forge::IssueKey;
use domain::tasks::Added;
use serde_json::Value;

use super::{Forge, HandIn, Ticket, Which};
use crate::failure::Failure;
use crate::outward::Outward;
use crate::store::StoreArgs;

/// Who reviews them.
const REVIEWER: &str = "qa";

/// What a tool says that created one, or found it there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    url: String,
    branch: String,
    title: String,
}

impl Made {
    fn by(tool: &str, answer: &Value) -> Option<Made> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (made, branch) = match tool {
            "github_create_pr" => {
                let made = &answer["pull_request"];
                (made, &made["head"]["branch"])
            }
            "gitlab_create_mr" => {
                let made = &answer["merge_request"];
                (made, &made["source_branch"])
            }
            _ => return None,
        };
        Some(Made { url: text(&made["url"])?, branch: text(branch)?, title: text(&made["title"])? })
    }

    /// The branch is called after it, or the request is.
    fn ticket(&self) -> Ticket {
        let found = IssueKey::find_in(&self.branch).or_else(|| IssueKey::find_in(&self.title));
        found.map_or(Ticket::None, Ticket::Guessed)
    }
}

/// For a server that creates requests. Refused at the start where the forge is not configured: nobody would read it later.
pub(crate) fn hand_in_what_is_created(store: StoreArgs) -> Result<AfterCall, Failure> {
    Forge::of(Outward::of(&store)?, Arc::default())?;
    let store = Arc::new(store);
    Ok(Arc::new(move |tool: &str, answer: &Value| -> After {
        let made = Made::by(tool, answer);
        let store = Arc::clone(&store);
        Box::pin(async move {
            let made = made?;
            let handed = tokio::task::spawn_blocking(move || handed_in(&made, &store)).await;
            let not = |text: String| Addition { text, review_task: None };
            Some(match handed {
                Ok(Ok(said)) => said,
                Ok(Err(failure)) => {
                    not(format!("It is not handed in: {}; {}", failure.what(), failure.hint()))
                }
                Err(_) => not("It is not handed in: run `countersign submit`".to_owned()),
            })
        })
    }))
}

fn handed_in(made: &Made, store: &StoreArgs) -> Result<Addition, Failure> {
    let forge = Forge::of(Outward::of(store)?, Arc::default())?;
    let request = forge.address(&made.url)?;
    let ask = HandIn {
        project: request.project,
        branch: made.branch.clone(),
        which: Which::Numbered(request.number),
        ticket: made.ticket(),
        title: None,
        target: None,
        agent: REVIEWER.to_owned(),
        by: store.actor(),
    };
    let config = store.operator_config()?;
    let handed = store.with_store(async |queue| Ok(forge.hand_in(&ask, queue, &config).await))??;
    let queued = match &handed.task {
        Added::Created(id) => format!("Handed in: its review is task {id}"),
        Added::AlreadyThere(id) => format!("Handed in before: its review is task {id}"),
    };
    Ok(Addition {
        text: std::iter::once(queued).chain(handed.notes).collect::<Vec<_>>().join(". "),
        review_task: Some(handed.task.id().to_string()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_created_is_told_from_everything_else() {
        let pull = json!({"pull_request": {"url": "u", "title": "PROJ-7: T", "head": {"branch": "b"}}});
        let made = Made::by("github_create_pr", &pull).unwrap();
        assert_eq!(made.ticket(), Ticket::Guessed(IssueKey::parse("PROJ-7").unwrap()));
        let merge = json!({"merge_request": {"url": "u", "title": "T", "source_branch": "x/AB-1"}});
        let made = Made::by("gitlab_create_mr", &merge).unwrap();
        assert_eq!(made.ticket(), Ticket::Guessed(IssueKey::parse("AB-1").unwrap()));
        assert_eq!(Made::by("github_get_pr", &pull), None);
        assert_eq!(Made::by("github_create_pr", &json!({"pull_request": {}})), None);
    }
}
