use std::time::Duration;

use domain::ports::StoreError;
use domain::tasks::{Lease, Refusal, StoredTask, TaskId, check_agent_name};
use serde_json::Value;

use crate::dialect::Engine;
use crate::record::{self, corrupt, milliseconds};
use crate::row::{Arg, Row};
use crate::store::Store;

/// Takes the first task that may be claimed and that `$which` lets through.
///
/// The index `tasks_claimable` holds exactly the rows that may be claimed, in the order in which they are: the
/// cost does not grow with what is finished.
macro_rules! taking {
    ($which:literal) => {
        concat!(
            "UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = $2,
                claimed_at = {now}, lease_expires = {now} + $3, updated_at = {now}
            WHERE seq = (
                SELECT t.seq FROM tasks t
                WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {now} AND ",
            $which,
            " ORDER BY t.priority, t.created, t.seq LIMIT 1 {skip_locked})
            RETURNING doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
                updated_at, id"
        )
    };
}

/// A claim and its event in one statement. In SQLite, which has no such statements, a trigger writes the event.
struct Claim {
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! claim {
    ($which:literal) => {
        Claim {
            sqlite: taking!($which),
            postgres: concat!(
                "WITH claimed AS (",
                taking!($which),
                "), logged AS (
                    INSERT INTO task_events (task, at, kind, actor, token, detail)
                    SELECT id, {now}, 'claimed', $2, lease_token, 'null' FROM claimed)
                SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before,
                    updated_at
                FROM claimed"
            ),
        }
    };
}

const OF_ONE_QUEUE: Claim =
    claim!("t.agent = $1 AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN ($1, $2))");

/// Their names come as a JSON list.
const OF_SEVERAL_QUEUES: Claim = claim!(
    "t.agent IN {texts} AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (t.agent, $2))"
);

const OF_ONE_TASK: Claim =
    claim!("t.id = $1 AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (t.agent, $2))");

impl Store {
    pub(crate) async fn claim_this(
        &self,
        id: &TaskId,
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        self.claim(&OF_ONE_TASK, id.as_str(), holder, lease).await
    }

    pub(crate) async fn claim_one(
        &self,
        queues: &[&str],
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        queues.iter().try_for_each(|queue| check_agent_name("queue", queue)).map_err(Refusal::from)?;
        match queues {
            [] => Ok(None),
            [queue] => self.claim(&OF_ONE_QUEUE, queue, holder, lease).await,
            _ => {
                let list = Value::from(queues.to_vec()).to_string();
                self.claim(&OF_SEVERAL_QUEUES, &list, holder, lease).await
            }
        }
    }

    async fn claim(
        &self,
        claim: &Claim,
        from: &str,
        holder: &str,
        lease: Duration,
    ) -> Result<Option<(StoredTask, Lease)>, StoreError> {
        check_agent_name("holder", holder).map_err(Refusal::from)?;
        let sql = match self.database.engine() {
            Engine::Sqlite => claim.sqlite,
            Engine::Postgres => claim.postgres,
        };
        let args = [Arg::Text(from), Arg::Text(holder), Arg::Int(milliseconds(lease))];
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
