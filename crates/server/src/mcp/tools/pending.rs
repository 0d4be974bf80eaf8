use std::sync::Arc;

use domain::cycle::TaskStatus;
use domain::tasks::{Cursor, StoredTask, TaskFilter};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Hints, Tool, page_size};
use crate::mcp::trouble::Answer;
use crate::workbench::{Stores, Workbench};

pub(crate) struct ListPendingTasks;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Only this queue.
    #[serde(default)]
    agent_id: Option<String>,
    /// At most this many, up to 100; 20 if left out.
    #[serde(default)]
    limit: Option<u32>,
    /// next_cursor of the page before.
    #[serde(default)]
    cursor: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pending {
    tasks: Vec<PendingTask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PendingTask {
    task_id: String,
    #[serde(rename = "type")]
    kind: String,
    agent_id: String,
    title: String,
    priority: u8,
    created_at: String,
    /// Why nobody takes it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_because: Option<String>,
}

impl Tool for ListPendingTasks {
    const NAME: &'static str = "list_pending_tasks";
    const DESCRIPTION: &'static str =
        "Tasks that wait to be done, the newest first, and what each waits for.";
    const HINTS: Hints = Hints::Reads;
    type Input = Wanted;
    type Output = Pending;

    async fn call<S: Stores>(bench: &Arc<Workbench<S>>, _: Call, input: Wanted) -> Answer<Pending> {
        let limit = page_size(input.limit)?;
        let filter = TaskFilter { status: Some(TaskStatus::Pending), agent: input.agent_id };
        let page = bench.store.list(&filter, input.cursor.map(Cursor), limit).await?;
        let moment = Moment { now: bench.store.now().await?, paused: bench.store.paused().await? };
        let tasks = page.tasks.iter().map(|stored| PendingTask::of(stored, &moment)).collect();
        Ok(Pending { tasks, next_cursor: page.next.map(|Cursor(at)| at) })
    }
}

/// What a waiting task is seen against.
pub(super) struct Moment {
    pub(super) now: Timestamp,
    pub(super) paused: Vec<String>,
}

impl PendingTask {
    fn of(stored: &StoredTask, moment: &Moment) -> PendingTask {
        let task = &stored.task;
        PendingTask {
            task_id: task.id.to_string(),
            kind: task.kind.clone(),
            agent_id: task.assigned_to.clone(),
            title: task.title.clone(),
            priority: task.priority,
            created_at: task.created_at.clone(),
            waits_because: waits_because(stored, moment),
        }
    }
}

/// Nothing if it merely waits its turn, or does not wait at all.
pub(super) fn waits_because(stored: &StoredTask, moment: &Moment) -> Option<String> {
    if stored.task.status != TaskStatus::Pending {
        return None;
    }
    if let Some(blocked) = stored.blocked_because() {
        return Some(blocked);
    }
    if !stored.waits_for.is_empty() {
        let ids: Vec<&str> = stored.waits_for.iter().take(5).map(|one| one.id.as_str()).collect();
        return Some(format!("waits for {}", ids.join(", ")));
    }
    if let Some(then) = stored.not_before.filter(|then| *then > moment.now) {
        return Some(format!("is tried again at {then:.0}"));
    }
    let queue = &stored.task.assigned_to;
    moment.paused.contains(queue).then(|| format!("{queue} is paused"))
}
