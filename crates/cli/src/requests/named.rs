//! The request that a task is about.

use domain::change::Oid;
use domain::forge::{IssueKey, MergeRequestRef, Project, Provider};
use domain::tasks::Task;
use domain::text::short_line;
use serde_json::{Map, Value, json};

/// Under which the context of a task names its repository and its request, the first being how we write it.
const GITHUB: ([&str; 1], [&str; 1]) = (["github_repo"], ["pr_number"]);
const GITLAB: ([&str; 2], [&str; 3]) =
    (["gitlab_project", "gitlab_project_id"], ["mr_iid", "merge_request_iid", "pr_number"]);
const TICKET: &str = "jira_key";

/// What the context of a task says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    Nothing,
    Request(Box<About>),
    /// It tries to name one.
    Unusable(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) provider: Provider,
    pub(crate) request: MergeRequestRef,
    pub(crate) ticket: Option<IssueKey>,
    /// A commit that is to be part of what is reviewed.
    pub(crate) commit: Option<Oid>,
}

impl Named {
    /// Both halves have to be there: a number alone is of no repository.
    pub(crate) fn in_task(task: &Task) -> Named {
        let text = |names: &[&str]| names.iter().find_map(|name| text(task.context.get(*name)?));
        let found = match (text(&GITHUB.0), text(&GITLAB.0)) {
            (Some(project), _) => text(&GITHUB.1).map(|number| (Provider::Github, project, number)),
            (None, Some(project)) => text(&GITLAB.1).map(|number| (Provider::Gitlab, project, number)),
            (None, None) => None,
        };
        let Some((provider, project, number)) = found else { return Named::Nothing };
        let ticket = text(&[TICKET]).map(|key| IssueKey::parse(&key)).transpose();
        let commit = text(&["head_commit"]).and_then(|commit| Oid::parse(&commit));
        let number = number.parse::<u64>().ok().filter(|number| *number > 0);
        match (Project::parse(&project), number, ticket) {
            (Ok(project), Some(number), Ok(ticket)) => {
                let request = MergeRequestRef { project, number };
                Named::Request(Box::new(About { provider, request, ticket, commit }))
            }
            (Err(bad), _, _) | (_, _, Err(bad)) => Named::Unusable(bad.to_string()),
            (_, None, _) => Named::Unusable(format!(
                "the context of the task names no number of a request in {}",
                short_line(&project)
            )),
        }
    }
}

/// Numbers are texts, too.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The context of a task about this request.
pub(crate) fn context(
    provider: Provider,
    request: &MergeRequestRef,
    ticket: Option<&IssueKey>,
) -> Map<String, Value> {
    let mut context = Map::new();
    if let Some(key) = ticket {
        context.insert(TICKET.to_owned(), json!(key));
        context.insert("jira_project".to_owned(), json!(key.project()));
    }
    let (project, number) = match provider {
        Provider::Github => (GITHUB.0[0], GITHUB.1[0]),
        Provider::Gitlab => (GITLAB.0[0], GITLAB.1[0]),
    };
    context.insert(project.to_owned(), json!(request.project));
    context.insert(number.to_owned(), json!(request.number));
    context
}

#[cfg(test)]
mod tests {
    use domain::tasks::TaskId;

    use super::*;

    fn named(context: Value) -> Named {
        let mut task = Task::new(TaskId::parse("t-1").unwrap(), "review", "qa", "T");
        task.context = context.as_object().unwrap().clone().into_iter().collect();
        Named::in_task(&task)
    }

    #[test]
    fn a_request_is_named_by_repository_and_number() {
        let Named::Request(about) =
            named(json!({"jira_key": "PROJ-123", "github_repo": "owner/repo", "pr_number": 456}))
        else {
            panic!("it is named")
        };
        assert_eq!(
            (about.request.to_string().as_str(), about.provider),
            ("owner/repo#456", Provider::Github)
        );
        assert_eq!(about.ticket, IssueKey::parse("PROJ-123").ok());
        assert!(matches!(named(json!({"gitlab_project": 42, "mr_iid": "7"})), Named::Request(_)));
        assert_eq!(named(json!({"pr_number": 999, "jira_key": "T-1"})), Named::Nothing);
        assert_eq!(named(json!({"github_repo": "owner/repo"})), Named::Nothing);
    }

    #[test]
    fn what_cannot_be_a_request_is_said() {
        for hostile in [
            json!({"github_repo": "../etc", "pr_number": 1}),
            json!({"github_repo": "a/b", "pr_number": "1; rm"}),
            json!({"github_repo": "a/b", "pr_number": 1, "jira_key": "nope"}),
        ] {
            assert!(matches!(named(hostile.clone()), Named::Unusable(_)), "{hostile}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for provider in Provider::ALL {
            let request = MergeRequestRef { project: Project::parse("a/b").unwrap(), number: 7 };
            let ticket = IssueKey::parse("P-1").unwrap();
            let Named::Request(about) = named(Value::Object(context(provider, &request, Some(&ticket))))
            else {
                panic!("it is named")
            };
            assert_eq!((about.provider, about.request, about.ticket), (provider, request, Some(ticket)));
        }
    }
}
