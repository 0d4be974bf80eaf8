use std::time::Duration;

use domain::ports::StoreError;
use serde_json::Value;

use crate::database::Purpose;
use crate::dialect::Engine;
use crate::row::Arg;
use crate::store::Store;

// One look for each queue that is not paused. Reads at most what an empty claim has read just before.

const SQLITE: &str = "
    SELECT min((
        SELECT t.not_before FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.agent = q.value
        ORDER BY t.not_before LIMIT 1)) - {now}
    FROM json_each($1) q
    WHERE NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (q.value, $2))";

const POSTGRES: &str = "
    SELECT min((
        SELECT t.not_before FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.agent = q.value
        ORDER BY t.not_before LIMIT 1)) - {now}
    FROM jsonb_array_elements_text($1::jsonb) q(value)
    WHERE NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (q.value, $2))";

impl Store {
    pub(crate) async fn until_next_due(
        &self,
        queues: &[&str],
        holder: &str,
    ) -> Result<Option<Duration>, StoreError> {
        let list = Value::from(queues.to_vec()).to_string();
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = match tx.engine() {
            Engine::Sqlite => SQLITE,
            Engine::Postgres => POSTGRES,
        };
        let row = tx.row(sql, &[Arg::Text(&list), Arg::Text(holder)]).await?;
        let wait = row.map(|row| row.maybe_int(0)).transpose()?.flatten();
        Ok(wait.map(|wait| Duration::from_millis(u64::try_from(wait).unwrap_or_default())))
    }
}
