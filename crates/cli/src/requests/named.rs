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
/// The address of a request. Only the configured forge can say what it leads to.
const ADDRESS: [&str; 2] = ["pr_url", "mr_url"];
/// Commits of this repository, which a context may name beside a request.
const COMMITS: [&str; 2] = ["head_commit", "branch_name"];
const TICKET: &str = "jira_key";

/// What the context of a task says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    Nothing,
    Request(Box<About>),
    Address(Box<Address>),
    /// One half of a request: what is missing, and how to add it.
    Half(String),
    /// It tries to name one.
    Unusable(String),
}

/// A request by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) url: String,
    pub(crate) ticket: Option<IssueKey>,
    pub(crate) commit: Option<Oid>,
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
        let ticket = text(&[TICKET]).map(|key| IssueKey::parse(&key)).transpose();
        let commit = text(&["head_commit"]).and_then(|commit| Oid::parse(&commit));
        let found = match (text(&GITHUB.0), text(&GITLAB.0)) {
            (Some(project), _) => Some((Provider::Github, project, text(&GITHUB.1))),
            (None, Some(project)) => Some((Provider::Gitlab, project, text(&GITLAB.1))),
            (None, None) => None,
        };
        let (provider, project, number) = match (found, text(&ADDRESS), text(&GITLAB.1)) {
            (Some((provider, project, Some(number))), _, _) => (provider, project, number),
            (_, Some(url), _) => {
                return match ticket {
                    Ok(ticket) => Named::Address(Box::new(Address { url, ticket, commit })),
                    Err(bad) => Named::Unusable(bad.to_string()),
                };
            }
            (Some((provider, project, None)), None, _) => {
                let key = number_key(provider);
                return Named::Half(format!(
                    "the context of the task names {} and no number of a request; add {key}=NUMBER",
                    short_line(&project)
                ));
            }
            (None, None, Some(number)) => {
                return Named::Half(format!(
                    "the context of the task names request {} and no repository; add github_repo=OWNER/NAME or \
                     gitlab_project=GROUP/NAME",
                    short_line(&number)
                ));
            }
            (None, None, None) => return Named::Nothing,
        };
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

/// Whether the context says which commits of this repository are meant.
pub(crate) fn names_commits(task: &Task) -> bool {
    COMMITS.iter().any(|name| task.context.get(*name).and_then(text).is_some())
}

fn number_key(provider: Provider) -> &'static str {
    match provider {
        Provider::Github => GITHUB.1[0],
        Provider::Gitlab => GITLAB.1[0],
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
    let project = match provider {
        Provider::Github => GITHUB.0[0],
        Provider::Gitlab => GITLAB.0[0],
    };
    context.insert(project.to_owned(), json!(request.project));
    context.insert(number_key(provider).to_owned(), json!(request.number));
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
        assert_eq!(named(json!({"jira_key": "T-1", "branch_name": "topic"})), Named::Nothing);
    }

    #[test]
    fn half_a_request_says_which_half_is_missing() {
        for (context, missing) in [
            (json!({"pr_number": 999, "jira_key": "T-1"}), "add github_repo=OWNER/NAME"),
            (json!({"mr_iid": 7}), "gitlab_project=GROUP/NAME"),
            (json!({"github_repo": "owner/repo"}), "add pr_number=NUMBER"),
            (json!({"gitlab_project": "a/b"}), "add mr_iid=NUMBER"),
        ] {
            let Named::Half(why) = named(context.clone()) else { panic!("{context}") };
            assert!(why.contains(missing), "{why}");
        }
    }

    #[test]
    fn an_address_is_kept_for_the_forge_to_read() {
        let url = "https://github.com/owner/repo/pull/456";
        let Named::Address(address) = named(json!({"pr_url": url, "pr_number": 456})) else {
            panic!("it is named")
        };
        assert_eq!((address.url.as_str(), address.ticket), (url, None));
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
