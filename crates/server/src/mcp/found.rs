//! Reviews that were kept, as tools, resources and prompts look them up.

use std::sync::Arc;

use domain::tasks::{Refusal, StoredTask, TaskId};
use engine::kept::KeptReview;
use serde_json::Value;

use super::trouble::{Answer, Trouble};
use crate::workbench::{Stores, Workbench};

/// No chain of reviews is longer than this.
const MOST_EARLIER: usize = 20;

/// A review with its task.
pub(crate) struct Found {
    pub(crate) stored: StoredTask,
    pub(crate) review: KeptReview,
}

/// Nothing of a review that is still to come is an error: the caller is told how to wait.
pub(crate) async fn review<S: Stores>(bench: &Arc<Workbench<S>>, id: &TaskId) -> Answer<Found> {
    let stored = bench.store.get(id).await?.ok_or(Refusal::NotFound(id.clone()))?;
    match KeptReview::in_events(&bench.store.events(id).await?) {
        Some(review) => Ok(Found { stored, review }),
        None => {
            let status = stored.task.status.as_str();
            let next = match status {
                "pending" | "in_progress" => "ask again when get_task_details says that it is completed",
                _ => "get_task_details says what became of it; request_review begins a new review",
            };
            Err(Trouble::new(format!("task {id} is {status} and has no review report"), next))
        }
    }
}

/// The reviews of the same work before this one, the oldest first. One that is gone or was none is left out.
pub(crate) async fn earlier<S: Stores>(bench: &Arc<Workbench<S>>, found: &Found) -> Answer<Vec<KeptReview>> {
    let mut earlier = Vec::new();
    for id in earlier_ids(&found.stored) {
        earlier.extend(KeptReview::in_events(&bench.store.events(&id).await?));
    }
    Ok(earlier)
}

/// The tasks of the reviews before, as the context of this one names them.
pub(crate) fn earlier_ids(stored: &StoredTask) -> Vec<TaskId> {
    let told = stored.task.context.get("review_history").and_then(Value::as_array);
    let ids = told.into_iter().flatten().filter_map(|entry| entry.get("review_task")?.as_str());
    let ids: Vec<TaskId> =
        ids.filter_map(|id| TaskId::parse(id).ok()).filter(|id| *id != stored.task.id).collect();
    ids[ids.len().saturating_sub(MOST_EARLIER)..].to_vec()
}
