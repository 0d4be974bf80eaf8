use domain::assignments::AssignmentId;
use domain::ports::StoreError;
use domain::tasks::{AuditEvent, AuditKind, TaskId};
use domain::text::short_line;
use serde_json::Value;

use crate::database::Tx;
use crate::dialect::Engine;
use crate::record::{corrupt, parse_json, timestamp};
use crate::row::{Arg, Row};

/// An event to write in the transaction of what it tells of. The schema puts it into the outbox.
pub(crate) struct Entry<'a> {
    pub(crate) task: Option<&'a TaskId>,
    pub(crate) kind: AuditKind,
    pub(crate) actor: &'a str,
    pub(crate) token: Option<i64>,
    pub(crate) detail: &'a Value,
}

pub(crate) async fn write(tx: &mut Tx, entry: Entry<'_>) -> Result<(), StoreError> {
    let actor = short_line(entry.actor);
    let args = [
        Arg::MaybeText(entry.task.map(TaskId::as_str)),
        Arg::Text(entry.kind.as_str()),
        Arg::Text(&actor),
        Arg::MaybeInt(entry.token),
        Arg::Text(&entry.detail.to_string()),
    ];
    tx.run(
        "INSERT INTO task_events (task, at, kind, actor, token, detail)
         VALUES ($1, {now}, $2, $3, $4, $5)",
        &args,
    )
    .await?;
    Ok(())
}

/// The same for an assignment.
pub(crate) async fn write_about(
    tx: &mut Tx,
    assignment: AssignmentId,
    kind: AuditKind,
    actor: &str,
    detail: &Value,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO task_events (assignment, at, kind, actor, detail) VALUES ($1, {now}, $2, $3, $4)";
    let (actor, detail) = (short_line(actor), detail.to_string());
    let args = [Arg::Int(assignment.get()), Arg::Text(kind.as_str()), Arg::Text(&actor), Arg::Text(&detail)];
    tx.run(sql, &args).await?;
    Ok(())
}

/// Tells other processes when the transaction commits. Within this process the caller beats the signal.
pub(crate) async fn announce_work(tx: &mut Tx) -> Result<(), StoreError> {
    match tx.engine() {
        Engine::Sqlite => Ok(()),
        Engine::Postgres => tx.script("NOTIFY countersign_work").await,
    }
}

/// Columns: seq, at, task, kind, actor, token, detail, assignment.
pub(crate) fn read(row: &Row) -> Result<AuditEvent, StoreError> {
    let kind = row.text(3)?;
    let task = row.maybe_text(2)?.map(|id| TaskId::parse(&id)).transpose();
    Ok(AuditEvent {
        seq: row.int(0)?,
        at: timestamp(row.int(1)?)?,
        task: task.map_err(|error| corrupt("task id", error))?,
        assignment: row
            .maybe_int(7)?
            .map(AssignmentId::new)
            .transpose()
            .map_err(|error| corrupt("assignment id", error))?,
        kind: AuditKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
            .ok_or_else(|| corrupt("event", format!("unknown kind {kind}")))?,
        actor: row.text(4)?,
        token: row.maybe_int(5)?,
        detail: parse_json("event", &row.text(6)?)?,
    })
}
