use std::sync::Arc;

use domain::tasks::{AuditEvent, Refusal, TaskId};
use domain::text::short_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::pending::{Moment, waits_because};
use super::{Call, Hints, Tool};
use crate::mcp::trouble::{Answer, Trouble};
use crate::workbench::{Stores, Workbench};

/// The last of them tell where a task stands.
const MOST_EVENTS: usize = 20;

pub(crate) struct GetTaskDetails;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneTask {
    pub(super) task_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Details {
    /// The task as it was queued, with its present status.
    task: Map<String, Value>,
    /// Who works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<String>,
    /// Why it failed, was given back or was escalated.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_because: Option<String>,
    /// What happened to it last, the oldest first.
    events: Vec<Happened>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Happened {
    at: String,
    kind: &'static str,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Tool for GetTaskDetails {
    const NAME: &'static str = "get_task_details";
    const DESCRIPTION: &'static str =
        "One task: everything it says, who works on it, why it waits, what happened to it.";
    const HINTS: Hints = Hints::Reads;
    type Input = OneTask;
    type Output = Details;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: OneTask) -> Answer<Details> {
        let id = task_id(&input.task_id)?;
        let stored = bench.store.get(&id).await?.ok_or(Refusal::NotFound(id.clone()))?;
        let events = bench.store.events(&id).await?;
        let moment = Moment { now: bench.store.now().await?, paused: bench.store.paused().await? };
        Ok(Details {
            held_by: stored.held.as_ref().map(|held| held.holder.clone()),
            reason: stored.reason.clone(),
            waits_because: waits_because(&stored, &moment),
            events: events[events.len().saturating_sub(MOST_EVENTS)..].iter().map(Happened::of).collect(),
            task: as_object(&stored.task),
        })
    }
}

pub(super) fn task_id(text: &str) -> Answer<TaskId> {
    TaskId::parse(text).map_err(|invalid| {
        Trouble::new(
            format!("task_id: {}", invalid.reason),
            "use an id as queue_task_for_agent, request_review or list_pending_tasks gave it",
        )
    })
}

fn as_object(task: &domain::tasks::Task) -> Map<String, Value> {
    match serde_json::to_value(task) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    }
}

impl Happened {
    fn of(event: &AuditEvent) -> Happened {
        let why = ["reason", "note", "decision"].iter().find_map(|key| event.detail.get(*key)?.as_str());
        Happened {
            at: format!("{:.0}", event.at),
            kind: event.kind.as_str(),
            actor: event.actor.clone(),
            reason: why.map(short_line),
        }
    }
}
