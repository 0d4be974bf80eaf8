use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use domain::config::AgentConfig;
use domain::tasks::{Invalid, NewTask, QueueLimit, Task, TaskId};
use domain::text::nearest;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Call, Hints, Tool};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct QueueTaskForAgent;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWork {
    /// Whose queue, e.g. qa (reviews) or engineer (builds and fixes).
    agent_id: String,
    /// review, fix, implementation or any other word.
    task_type: String,
    /// One line.
    title: String,
    /// All the agent has to know.
    #[serde(default)]
    description: Option<String>,
    /// jira_key, github_repo, pr_number, branch_name, base_branch, epic_key and the like.
    #[serde(default)]
    context: Option<Map<String, Value>>,
    /// Ids of tasks that must be completed first.
    #[serde(default)]
    depends_on: Option<Vec<String>>,
    /// What the work has to fulfil.
    #[serde(default)]
    acceptance_criteria: Option<Vec<String>>,
    /// 1 (most urgent) to 100; 50 if left out.
    #[serde(default)]
    priority: Option<i64>,
    /// Reviews before a person decides.
    #[serde(default)]
    max_review_cycles: Option<u32>,
    /// Steps for the agent, as text or JSON.
    #[serde(default)]
    plan: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Queued {
    pub(crate) task_id: String,
    pub(crate) status: &'static str,
    pub(crate) agent_id: String,
    /// What may keep it from being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

impl Tool for QueueTaskForAgent {
    const NAME: &'static str = "queue_task_for_agent";
    const DESCRIPTION: &'static str = "Queue work for an agent: a review, a fix, an implementation. Returns its id at \
        once; the agent picks it up when its dependencies are completed.";
    const HINTS: Hints = Hints::Adds;
    type Input = NewWork;
    type Output = Queued;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, call: Call, input: NewWork) -> Answer<Queued> {
        let task = input.into_task(call.caller.name(), bench.store.now().await?)?;
        add(bench, task).await
    }
}

/// Stores a task under the limits of its queue.
pub(super) async fn add<S: Stores>(bench: &Arc<Workbench<S>>, task: Task) -> Answer<Queued> {
    let limits = bench.config.limits_for(&task.assigned_to);
    let new = NewTask::new(task, limits)?;
    let limit = QueueLimit::AtMost(bench.config.safeguards.max_queue_size);
    bench.store.add(std::slice::from_ref(&new), limit).await?;
    let task = new.task();
    Ok(Queued {
        task_id: task.id.to_string(),
        status: task.status.as_str(),
        agent_id: task.assigned_to.clone(),
        note: unserved(&bench.config.agents(), &task.assigned_to),
    })
}

impl NewWork {
    fn into_task(self, created_by: &str, now: Timestamp) -> Result<Task, Invalid> {
        let id =
            new_id(&self.task_type, &self.agent_id, now).map_err(|invalid| match invalid.field.as_str() {
                "type" => Invalid::new("task_type", invalid.reason),
                "assigned_to" => Invalid::new("agent_id", invalid.reason),
                _ => invalid,
            })?;
        let mut task = Task::new(id, &self.task_type, &self.agent_id, &self.title);
        task.created_by = created_by.to_owned();
        task.description = self.description.unwrap_or_default();
        task.context = self.context.unwrap_or_default();
        check_repository(&task.context)?;
        task.acceptance_criteria = self.acceptance_criteria.unwrap_or_default();
        task.plan = self.plan.unwrap_or_default();
        task.max_review_cycles = self.max_review_cycles;
        let named = |id: &String| TaskId::parse(id).map_err(|bad| Invalid::new("depends_on", bad.reason));
        task.depends_on = self.depends_on.unwrap_or_default().iter().map(named).collect::<Result<_, _>>()?;
        if let Some(priority) = self.priority {
            // What is no priority is told so when the task is checked.
            task.priority = u8::try_from(priority).unwrap_or(0);
        }
        Ok(task)
    }
}

pub(super) fn new_id(kind: &str, agent: &str, now: Timestamp) -> Result<TaskId, Invalid> {
    let epoch_ms = u64::try_from(now.as_millisecond()).unwrap_or_default();
    let chance = RandomState::new().build_hasher().finish() as u32;
    TaskId::generate(kind, agent, epoch_ms, chance)
}

/// Whoever calls from elsewhere may point at a folder of the repository, not at the rest of the machine.
fn check_repository(context: &Map<String, Value>) -> Result<(), Invalid> {
    let Some(path) = context.get("repo_path").and_then(Value::as_str) else { return Ok(()) };
    let mut parts = std::path::Path::new(path).components();
    match parts.all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)) {
        true => Ok(()),
        false => Err(Invalid::new(
            "context.repo_path",
            "leads out of the repository; use a relative path without `..`",
        )),
    }
}

/// Other machines may serve queues that this one does not know; more often, it is a slip.
fn unserved(agents: &[AgentConfig], queue: &str) -> Option<String> {
    if agents.iter().any(|agent| agent.enabled && agent.queue == queue) {
        return None;
    }
    let names: Vec<&str> =
        agents.iter().filter(|agent| agent.enabled).map(|agent| agent.queue.as_str()).collect();
    let hint = match nearest(queue, names.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the queues here are {}", names.join(", ")),
    };
    Some(format!("no agent here serves {queue}; {hint}"))
}
