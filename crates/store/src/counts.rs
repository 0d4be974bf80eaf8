use domain::ports::StoreError;
use domain::tasks::{QueueCounts, Refusal, check_agent_name};

use crate::database::Purpose;
use crate::record::corrupt;
use crate::row::Arg;
use crate::store::Store;

// Each count walks its own stretch of `tasks_by_agent_and_status` and stops at the limit. What is completed or
// cancelled, which is where the millions are, is not counted.
const OPEN: &str = "
    SELECT
        (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE agent = $1 AND status = 'pending' LIMIT $2) q),
        (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE agent = $1 AND status = 'in_progress' LIMIT $2) q),
        (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE agent = $1 AND status = 'failed' LIMIT $2) q),
        (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE agent = $1 AND status = 'escalated' LIMIT $2) q)";

/// From one name to the next by `tasks_by_agent`: the cost depends on how many queues there are, not on their tasks.
const NAMES: &str = "
    WITH RECURSIVE queues (name) AS (
        SELECT min(agent) FROM tasks
        UNION ALL
        SELECT (SELECT min(agent) FROM tasks WHERE agent > queues.name) FROM queues WHERE queues.name IS NOT NULL)
    SELECT name FROM queues WHERE name IS NOT NULL LIMIT 1000";

impl Store {
    pub(crate) async fn queue_names(&self) -> Result<Vec<String>, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        tx.rows(NAMES, &[]).await?.iter().map(|row| row.text(0)).collect()
    }

    pub(crate) async fn count_open(&self, queue: &str) -> Result<QueueCounts, StoreError> {
        check_agent_name("queue", queue).map_err(Refusal::from)?;
        let mut tx = self.database.begin(Purpose::Read).await?;
        let limit = Arg::Int(i64::from(QueueCounts::MOST));
        let row = tx.row(OPEN, &[Arg::Text(queue), limit]).await?;
        let row = row.ok_or_else(|| corrupt("count", "no answer"))?;
        let count = |column| u32::try_from(row.int(column)?).map_err(|error| corrupt("count", error));
        Ok(QueueCounts {
            pending: count(0)?,
            in_progress: count(1)?,
            failed: count(2)?,
            escalated: count(3)?,
        })
    }
}
