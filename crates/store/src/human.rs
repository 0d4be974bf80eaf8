use std::time::Duration;

use domain::cycle::{Event, Resolution, TaskStatus};
use domain::ports::StoreError;
use domain::tasks::{AuditKind, Finished, NewTask, Refusal, Settled, TaskId};
use serde_json::json;

use crate::add;
use crate::audit::Entry;
use crate::database::Purpose;
use crate::finish::{Current, News, apply, lock};
use crate::store::Store;

impl Store {
    /// What a human may do to a task is what its cycle allows.
    pub(crate) async fn decide(
        &self,
        id: &TaskId,
        event: &Event,
        follow_ups: &[NewTask],
        actor: &str,
    ) -> Result<Finished, StoreError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        if !follow_ups.is_empty() {
            add::take_turn(&mut tx).await?;
        }
        let current = lock(&mut tx, id).await?;
        let settled = settle(&current, event)?;
        let entry = Entry {
            task: Some(id),
            kind: kind_of(settled.status()),
            actor,
            token: None,
            detail: &json!({ "decision": event.name() }),
        };
        let news = apply(&mut tx, &current, &settled, entry).await?;
        let follow_ups = add::insert_follow_ups(&mut tx, follow_ups, actor).await?;
        self.commit_with_news(tx, if follow_ups.is_empty() { news } else { News::Work }).await?;
        Ok(Finished { status: settled.status(), effects: settled.effects, follow_ups })
    }
}

/// A stored cycle is at rest: that somebody holds the task has to be told to it first. To cancel an
/// escalated task is to close it.
fn settle(current: &Current, event: &Event) -> Result<Settled, Refusal> {
    let cycle = match current.status {
        TaskStatus::InProgress => current.cycle.apply(&Event::Start)?.0,
        TaskStatus::Pending
        | TaskStatus::Completed
        | TaskStatus::Failed
        | TaskStatus::Cancelled
        | TaskStatus::Escalated => current.cycle.clone(),
    };
    let close = Event::resolved(Resolution::Close);
    let event = match (current.status, event) {
        (TaskStatus::Escalated, Event::Cancel) => &close,
        (_, event) => event,
    };
    let (cycle, effects) = cycle.apply(event)?;
    let reason = cycle.failure_reason();
    Ok(Settled { cycle, effects, retry_after: Duration::ZERO, reason })
}

fn kind_of(status: TaskStatus) -> AuditKind {
    match status {
        TaskStatus::Pending | TaskStatus::InProgress => AuditKind::Retried,
        TaskStatus::Completed => AuditKind::Completed,
        TaskStatus::Failed => AuditKind::Failed,
        TaskStatus::Cancelled => AuditKind::Cancelled,
        TaskStatus::Escalated => AuditKind::Escalated,
    }
}
