use std::time::Duration;

use domain::ports::StoreError;
use domain::tasks::{AuditKind, Lease, Refusal, StoredTask, check_agent_name};
use serde_json::Value;

use crate::audit::{self, Entry};
use crate::database::{Purpose, Tx};
use crate::dialect::Engine;
use crate::record::{self, corrupt, milliseconds};
use crate::row::{Arg, Row};
use crate::store::{News, Store};

/// The index `tasks_claimable` holds exactly the rows that may be claimed, in the order in which they are:
/// the cost does not grow with what is finished.
const FROM_ONE_QUEUE: &str = "
    UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
        claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
    WHERE seq = (
        SELECT t.seq FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.agent = $1 AND t.not_before <= {now}
            AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN ($1, $2))
        ORDER BY t.priority, t.seq LIMIT 1 {skip_locked})
    RETURNING doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
        updated_at";

/// `$1` is a JSON list of names; only how it is taken apart differs.
const FROM_SEVERAL_SQLITE: &str = "
    UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
        claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
    WHERE seq = (
        SELECT t.seq FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {now}
            AND t.agent IN (SELECT value FROM json_each($1))
            AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (t.agent, $2))
        ORDER BY t.priority, t.seq LIMIT 1)
    RETURNING doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
        updated_at";

const FROM_SEVERAL_POSTGRES: &str = "
    UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
        claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
    WHERE seq = (
        SELECT t.seq FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {now}
            AND t.agent IN (SELECT jsonb_array_elements_text($1::jsonb))
            AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (t.agent, $2))
        ORDER BY t.priority, t.seq LIMIT 1 {skip_locked})
    RETURNING doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
        updated_at";

impl Store {
    pub(crate) async fn claim_one(
        &self,
        queues: &[&str],
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        check_agent_name("holder", holder).map_err(Refusal::from)?;
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = claim_in(&mut tx, queues, holder, lease).await;
        self.conclude(tx, outcome.map(|claimed| (claimed, News::Nothing))).await
    }
}

async fn claim_in(
    tx: &mut Tx,
    queues: &[&str],
    holder: &str,
    lease: Duration,
) -> Result<Option<(StoredTask, Lease)>, StoreError> {
    let Some(row) = take_row(tx, queues, holder, lease).await? else { return Ok(None) };
    let claimed = record::read(&row)?;
    let held = claimed.held.clone().ok_or_else(|| corrupt("claim", "nobody holds it"))?;
    let entry = Entry {
        task: Some(&claimed.task.id),
        kind: AuditKind::Claimed,
        actor: holder,
        token: Some(held.token),
        detail: &Value::Null,
    };
    audit::write(tx, entry).await?;
    let id = claimed.task.id.clone();
    let lease = Lease::granted_by_the_store(id, held.token, held.holder, held.until);
    Ok(Some((claimed, lease)))
}

async fn take_row(
    tx: &mut Tx,
    queues: &[&str],
    holder: &str,
    lease: Duration,
) -> Result<Option<Row>, StoreError> {
    let length = Arg::Int(milliseconds(lease));
    match queues {
        [] => Ok(None),
        [queue] => tx.row(FROM_ONE_QUEUE, &[Arg::Text(queue), Arg::Text(holder), length]).await,
        several => {
            let list = Value::from(several.to_vec()).to_string();
            let sql = match tx.engine() {
                Engine::Sqlite => FROM_SEVERAL_SQLITE,
                Engine::Postgres => FROM_SEVERAL_POSTGRES,
            };
            tx.row(sql, &[Arg::Text(&list), Arg::Text(holder), length]).await
        }
    }
}
