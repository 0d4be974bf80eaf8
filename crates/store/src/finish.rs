use domain::cycle::{Cycle, TaskStatus};
use domain::ports::StoreError;
use domain::tasks::{AuditKind, Finish, Finished, Lease, Outcome, Refusal, Settled, TaskId, settle};
use domain::text::short_line;
use serde_json::{Value, json};

use crate::add;
use crate::audit::Entry;
use crate::database::{Purpose, Tx};
use crate::dependencies;
use crate::dialect::Engine;
use crate::record::{milliseconds, parse_json, status, to_json};
use crate::row::Arg;
use crate::store::{News, Store};

/// State, event and met dependencies on one journey.
const SETTLE_SQLITE: &str = "
    UPDATE tasks SET status = $2, cycle = $3, reason = $4,
        not_before = CASE WHEN $5 > 0 THEN {now} + $5 ELSE 0 END,
        holder = NULL, claimed_at = NULL, lease_expires = NULL, updated_at = {now}
    WHERE seq = $1;
    INSERT INTO task_events (task, at, kind, actor, token, detail)
    VALUES ($10, {now}, $6, $7, $8, $9);
    UPDATE task_dependencies SET met = 1
    WHERE $2 = 'completed' AND depends_on = $10 AND met = 0
    RETURNING task";

/// The same. The task is locked by an earlier statement: this one sees every tie that was made before the lock,
/// and whoever ties later waits for it.
const SETTLE_POSTGRES: &str = "
    WITH settled AS (
        UPDATE tasks SET status = $2, cycle = $3, reason = $4,
            not_before = CASE WHEN $5 > 0 THEN {now} + $5 ELSE 0 END,
            holder = NULL, claimed_at = NULL, lease_expires = NULL, updated_at = {now}
        WHERE seq = $1),
    logged AS (
        INSERT INTO task_events (task, at, kind, actor, token, detail)
        VALUES ($10, {now}, $6, $7, $8, $9))
    UPDATE task_dependencies SET met = 1
    WHERE $2 = 'completed' AND depends_on = $10 AND met = 0
    RETURNING task";

/// A task locked for a transition.
pub(crate) struct Current {
    pub(crate) seq: i64,
    pub(crate) id: TaskId,
    pub(crate) status: TaskStatus,
    pub(crate) cycle: Cycle,
    pub(crate) token: i64,
}

impl Store {
    pub(crate) async fn finish_held(&self, lease: &Lease, finish: &Finish) -> Result<Finished, StoreError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = finish_in(&mut tx, lease, finish).await;
        self.conclude(tx, outcome).await
    }
}

async fn finish_in(tx: &mut Tx, lease: &Lease, finish: &Finish) -> Result<(Finished, News), StoreError> {
    if !finish.follow_ups.is_empty() {
        add::take_turn(tx).await?;
    }
    let current = lock(tx, lease.task()).await?;
    if current.status != TaskStatus::InProgress || current.token != lease.token() {
        return Err(Refusal::StaleLease { task: lease.task().clone(), token: lease.token() }.into());
    }
    let settled = settle(&current.cycle, &finish.outcome).map_err(Refusal::from)?;
    let entry = Entry {
        task: Some(&current.id),
        kind: kind_of(&finish.outcome, settled.status()),
        actor: lease.holder(),
        token: Some(lease.token()),
        detail: &detail(&settled, &finish.detail),
    };
    let news = apply(tx, &current, &settled, entry).await?;
    let follow_ups = add::insert_follow_ups(tx, &finish.follow_ups, lease.holder()).await?;
    let news = if follow_ups.is_empty() { news } else { News::Work };
    Ok((Finished { status: settled.status(), effects: settled.effects, follow_ups }, news))
}

pub(crate) async fn lock(tx: &mut Tx, id: &TaskId) -> Result<Current, StoreError> {
    let sql = "SELECT t.seq, t.status, t.cycle, t.lease_token FROM tasks t WHERE t.id = $1 {for_update}";
    let row = tx.row(sql, &[Arg::Text(id.as_str())]).await?;
    let row = row.ok_or_else(|| Refusal::NotFound(id.clone()))?;
    Ok(Current {
        seq: row.int(0)?,
        id: id.clone(),
        status: status(&row.text(1)?)?,
        cycle: parse_json("cycle", &row.text(2)?)?,
        token: row.int(3)?,
    })
}

/// Stores where a locked task goes, its event, and what that means for those who wait for it.
pub(crate) async fn apply(
    tx: &mut Tx,
    current: &Current,
    settled: &Settled,
    entry: Entry<'_>,
) -> Result<News, StoreError> {
    let wait = milliseconds(settled.retry_after);
    let (actor, detail) = (short_line(entry.actor), entry.detail.to_string());
    let args = [
        Arg::Int(current.seq),
        Arg::Text(settled.status().as_str()),
        Arg::Text(&to_json("cycle", &settled.cycle)?),
        Arg::MaybeText(settled.reason.as_deref()),
        Arg::Int(wait),
        Arg::Text(entry.kind.as_str()),
        Arg::Text(&actor),
        Arg::MaybeInt(entry.token),
        Arg::Text(&detail),
        Arg::Text(current.id.as_str()),
    ];
    let sql = match tx.engine() {
        Engine::Sqlite => SETTLE_SQLITE,
        Engine::Postgres => SETTLE_POSTGRES,
    };
    let freed = tx.rows(sql, &args).await?;
    match settled.status() {
        TaskStatus::Completed => dependencies::count_down(tx, &freed).await,
        // With a wait it is news too: those who wait learn when to look.
        TaskStatus::Pending => Ok(News::Work),
        TaskStatus::InProgress | TaskStatus::Failed | TaskStatus::Cancelled | TaskStatus::Escalated => {
            Ok(News::Nothing)
        }
    }
}

fn kind_of(outcome: &Outcome, status: TaskStatus) -> AuditKind {
    match (outcome, status) {
        (Outcome::Released | Outcome::Postponed { .. }, _) => AuditKind::Released,
        (_, TaskStatus::Pending | TaskStatus::InProgress) => AuditKind::RetryScheduled,
        (_, TaskStatus::Completed) => AuditKind::Completed,
        (_, TaskStatus::Failed) => AuditKind::Failed,
        (_, TaskStatus::Cancelled) => AuditKind::Cancelled,
        (_, TaskStatus::Escalated) => AuditKind::Escalated,
    }
}

fn detail(settled: &Settled, given: &Value) -> Value {
    match (&settled.reason, given) {
        (None, given) => given.clone(),
        (Some(reason), Value::Null) => json!({ "reason": reason }),
        (Some(reason), given) => json!({ "reason": reason, "detail": given }),
    }
}
