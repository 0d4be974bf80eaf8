use std::time::Duration;

use domain::ports::StoreError;
use domain::tasks::{Lease, Refusal, StoredTask, check_agent_name};
use serde_json::Value;

use crate::dialect::Engine;
use crate::record::{self, corrupt, milliseconds};
use crate::row::{Arg, Row};
use crate::store::Store;

// The index `tasks_claimable` holds exactly the rows that may be claimed, in the order in which they are: the
// cost does not grow with what is finished. PostgreSQL writes the event in the same statement; in SQLite, which
// cannot, a trigger does. Several queues come as a JSON list of names.

const ONE_QUEUE_SQLITE: &str = "
    UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
        claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
    WHERE seq = (
        SELECT t.seq FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {now}
            AND t.agent = $1
            AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN ($1, $2))
        ORDER BY t.priority, t.seq LIMIT 1)
    RETURNING doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
        updated_at";

const ONE_QUEUE_POSTGRES: &str = "
    WITH claimed AS (
        UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
            claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
        WHERE seq = (
            SELECT t.seq FROM tasks t
            WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {now}
                AND t.agent = $1
                AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN ($1, $2))
            ORDER BY t.priority, t.seq LIMIT 1 {skip_locked})
        RETURNING id, doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
            updated_at),
    logged AS (
        INSERT INTO task_events (task, at, kind, actor, token, detail)
        SELECT id, {now}, 'claimed', $2, lease_token, 'null' FROM claimed)
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at
    FROM claimed";

const SEVERAL_QUEUES_SQLITE: &str = "
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

const SEVERAL_QUEUES_POSTGRES: &str = "
    WITH claimed AS (
        UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
            claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
        WHERE seq = (
            SELECT t.seq FROM tasks t
            WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {now}
                AND t.agent IN (SELECT jsonb_array_elements_text($1::jsonb))
                AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (t.agent, $2))
            ORDER BY t.priority, t.seq LIMIT 1 {skip_locked})
        RETURNING id, doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
            updated_at),
    logged AS (
        INSERT INTO task_events (task, at, kind, actor, token, detail)
        SELECT id, {now}, 'claimed', $2, lease_token, 'null' FROM claimed)
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at
    FROM claimed";

impl Store {
    pub(crate) async fn claim_one(
        &self,
        queues: &[&str],
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        check_agent_name("holder", holder).map_err(Refusal::from)?;
        queues.iter().try_for_each(|queue| check_agent_name("queue", queue)).map_err(Refusal::from)?;
        let list = Value::from(queues.to_vec()).to_string();
        let (sql, names) = match (queues, self.database.engine()) {
            ([], Engine::Sqlite | Engine::Postgres) => return Ok(None),
            ([queue], Engine::Sqlite) => (ONE_QUEUE_SQLITE, *queue),
            ([queue], Engine::Postgres) => (ONE_QUEUE_POSTGRES, *queue),
            (_, Engine::Sqlite) => (SEVERAL_QUEUES_SQLITE, list.as_str()),
            (_, Engine::Postgres) => (SEVERAL_QUEUES_POSTGRES, list.as_str()),
        };
        let args = [Arg::Text(names), Arg::Text(holder), Arg::Int(milliseconds(lease))];
        let row = self.database.write_row(sql, &args).await?;
        row.as_ref().map(read_claimed).transpose()
    }
}

fn read_claimed(row: &Row) -> Result<(StoredTask, Lease), StoreError> {
    let claimed = record::read(row)?;
    let held = claimed.held.clone().ok_or_else(|| corrupt("claim", "nobody holds it"))?;
    let id = claimed.task.id.clone();
    Ok((claimed, Lease::granted_by_the_store(id, held.token, held.holder, held.until)))
}
