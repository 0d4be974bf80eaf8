//! What there is to know about queueing work in this repository, as data.

use domain::config::Config;
use domain::formats::schema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug, Serialize)]
pub(super) struct Facts {
    pub(super) agents: Vec<Agent>,
    pub(super) limits: Limits,
    pub(super) fields: Vec<Field>,
    /// The least a file needs to be taken in.
    pub(super) example: Value,
    pub(super) statuses: [Meaning; 6],
    /// What the reviewer reads from a task's `context`.
    pub(super) context: [Meaning; 13],
    pub(super) findings: Value,
    pub(super) commands: [Meaning; 9],
    /// The same as `countersign schema task`.
    schema: Value,
}

#[derive(Debug, Serialize)]
pub(super) struct Agent {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) queue: String,
    pub(super) enabled: bool,
    /// Where its tasks are put as files.
    pub(super) folder: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Limits {
    pub(super) max_queue_size: u32,
    pub(super) max_task_bytes: u32,
    pub(super) max_retries: u32,
    pub(super) timeout_seconds: u32,
    pub(super) max_review_cycles: u32,
}

#[derive(Debug, Serialize)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default: Option<Value>,
    pub(super) meaning: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Meaning {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
}

impl Facts {
    pub(super) fn of(config: &Config) -> Facts {
        let agents = config.agents();
        let reviewer = agents.iter().find(|agent| agent.enabled).map_or("qa", |agent| agent.queue.as_str());
        let schema = schema::schema("task").unwrap_or_default();
        Facts {
            example: example(reviewer),
            agents: agents
                .iter()
                .map(|agent| Agent {
                    id: agent.id.clone(),
                    name: agent.name.clone(),
                    queue: agent.queue.clone(),
                    enabled: agent.enabled,
                    folder: format!(".agent-communication/queues/{}/", agent.queue),
                })
                .collect(),
            limits: Limits {
                max_queue_size: config.safeguards.max_queue_size,
                max_task_bytes: 1024 * 1024,
                max_retries: config.task.max_retries,
                timeout_seconds: config.task.timeout,
                max_review_cycles: config.limits.max_review_cycles,
            },
            fields: fields(&schema),
            statuses: STATUSES,
            context: CONTEXT,
            findings: findings(),
            commands: COMMANDS,
            schema,
        }
    }
}

fn example(queue: &str) -> Value {
    json!({
        "id": "my-first-review",
        "type": "review",
        "assigned_to": queue,
        "title": "Review the login",
        "context": { "branch_name": "feature/login", "base_branch": "main" },
    })
}

/// In the form of `countersign schema qa-findings`.
fn findings() -> Value {
    json!([{
        "file": "src/api/auth.ts",
        "line_number": 45,
        "severity": "CRITICAL",
        "description": "SQL injection vulnerability in login handler",
        "suggested_fix": "Use parameterized queries with prepared statements",
        "category": "security",
    }])
}

fn fields(schema: &Value) -> Vec<Field> {
    let required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, about)| Field {
            name: name.clone(),
            required: required(name),
            default: about.get("default").filter(|_| !required(name)).cloned(),
            meaning: about["description"].as_str().unwrap_or_default().replace('\n', " "),
        })
        .collect()
}

const fn means(name: &'static str, meaning: &'static str) -> Meaning {
    Meaning { name, meaning }
}

const STATUSES: [Meaning; 6] = [
    means("pending", "queued, not begun; in queues/AGENT/"),
    means("in_progress", "somebody holds it; in queues/AGENT/, with locks/ID.lock"),
    means("completed", "done; in completed/AGENT/"),
    means("failed", "given up after its retries; in queues/AGENT/. `task retry` has it begin again"),
    means("cancelled", "taken back; in completed/AGENT/"),
    means("escalated", "rejected too often; a human has to decide with `task resolve`; in queues/AGENT/"),
];

const CONTEXT: [Meaning; 13] = [
    means("repo_path", "the repository, from where the agent runs; left out, that very place"),
    means("branch_name", "what is reviewed; left out, what is checked out"),
    means("head_commit", "the same as a commit; comes before branch_name"),
    means("base_branch", "what it is compared with; left out, the default branch"),
    means("base_commit", "the same as a commit; comes before base_branch"),
    means(
        "jira_key",
        "PROJ-123: named in logs and in the title of the fix task; told and moved after a review of its request",
    ),
    means("pr_number", "456: named in logs; with github_repo, the pull request that is reviewed"),
    means(
        "github_repo",
        "owner/repo: its pull request is fetched from the configured forge, reviewed and told; without a forge the \
         review is inconclusive, unless branch_name or head_commit names local commits",
    ),
    means("pr_url", "the address of the pull request, instead of github_repo and pr_number"),
    means("gitlab_project", "group/name or 42: the same on GitLab"),
    means("mr_iid", "7: with gitlab_project, the merge request"),
    means("jira_project", "PROJ: kept for other programs"),
    means("epic_key", "PROJ-100: kept for other programs"),
];

const COMMANDS: [Meaning; 9] = [
    means("countersign task list --status pending", "what is queued, and why it waits"),
    means("countersign task show ID", "one task and everything that happened to it"),
    means("countersign task guide ID \"TEXT\"", "tell the next attempt something"),
    means("countersign task cancel ID", "take it back"),
    means("countersign task retry ID", "have a failed task begin again"),
    means("countersign task resolve ID accept|one-more|close", "decide about an escalated task"),
    means("ls .agent-communication/queues/AGENT/", "the same as files: each shows its present status"),
    means("countersign agent status", "who lives, and what they hold"),
    means("countersign agent logs --follow", "what agents do, as they do it"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::cycle::{self, TaskStatus};
    use domain::tasks::{NewTask, Task};

    #[test]
    fn the_example_is_a_task_and_as_small_as_one_gets() {
        let facts = Facts::of(&Config::default());
        let task = Task::parse(&facts.example.to_string()).unwrap();
        NewTask::new(task, cycle::Limits::default()).unwrap();
        let validator = jsonschema::draft202012::new(&facts.schema).unwrap();
        assert!(validator.is_valid(&facts.example));
        for field in facts.fields.iter().filter(|field| field.required) {
            let mut without = facts.example.clone();
            without.as_object_mut().unwrap().remove(&field.name);
            assert!(
                Task::parse(&without.to_string()).and_then(|task| task.validate()).is_err(),
                "{}",
                field.name
            );
        }
    }

    #[test]
    fn every_field_and_status_is_explained() {
        let facts = Facts::of(&Config::default());
        let task = serde_json::to_value(Task::parse(&facts.example.to_string()).unwrap()).unwrap();
        for name in task.as_object().unwrap().keys() {
            let field = facts.fields.iter().find(|field| field.name == *name);
            assert!(field.is_some_and(|field| !field.meaning.is_empty()), "{name}");
        }
        assert_eq!(STATUSES.map(|status| status.name), TaskStatus::ALL.map(TaskStatus::as_str));
    }

    #[test]
    fn the_findings_shown_are_findings() {
        let parsed = domain::formats::qa_findings::parse_findings(&format!("```json\n{}\n```", findings()));
        assert_eq!((parsed.findings.len(), parsed.unreadable), (1, 0));
    }
}
