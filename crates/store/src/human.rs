use std::time::Duration;

use domain::cycle::{Event, Resolution, TaskStatus};
use domain::ports::StoreError;
use domain::tasks::{AuditKind, Finished, NewTask, Refusal, Settled, TaskId};
use serde_json::json;

use crate::add;
use crate::audit::Entry;
use crate::database::{Purpose, Tx};
use crate::finish::{Current, apply, lock};
use crate::store::{News, Store};

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
        let outcome = decide_in(&mut tx, id, event, follow_ups, actor).await;
        self.conclude(tx, outcome).await
    }
}

async fn decide_in(
    tx: &mut Tx,
    id: &TaskId,
    event: &Event,
    follow_ups: &[NewTask],
    actor: &str,
) -> Result<(Finished, News), StoreError> {
    if !follow_ups.is_empty() {
        add::take_turn(tx).await?;
    }
    let current = lock(tx, id).await?;
    let settled = settle(&current, event)?;
    let entry = Entry {
        task: Some(id),
        kind: kind_of(settled.status()),
        actor,
        token: None,
        detail: &json!({ "decision": event.name() }),
    };
    let news = apply(tx, &current, &settled, entry).await?;
    let follow_ups = add::insert_follow_ups(tx, follow_ups, actor).await?;
    let news = if follow_ups.is_empty() { news } else { News::Work };
    Ok((Finished { status: settled.status(), effects: settled.effects, follow_ups }, news))
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
