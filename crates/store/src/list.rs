use domain::cycle::TaskStatus;
use domain::ports::StoreError;
use domain::tasks::{Cursor, Page, Refusal, StoredTask, TaskFilter, TaskId, check_agent_name};

use crate::database::Purpose;
use crate::record;
use crate::row::Arg;
use crate::store::Store;

const ONE: &str = "
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at
    FROM tasks WHERE id = $1";

// Each of these walks an index of its own from where the last page ended. `$2` is bound in all four.

const ALL: &str = "
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at,
        blocked_by, seq
    FROM tasks WHERE seq < $1 ORDER BY seq DESC LIMIT $2";

const OF_STATUS: &str = "
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at,
        blocked_by, seq
    FROM tasks WHERE seq < $1 AND status = $3 ORDER BY seq DESC LIMIT $2";

const OF_AGENT: &str = "
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at,
        blocked_by, seq
    FROM tasks WHERE seq < $1 AND agent = $3 ORDER BY seq DESC LIMIT $2";

const OF_AGENT_AND_STATUS: &str = "
    SELECT doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at,
        blocked_by, seq
    FROM tasks WHERE seq < $1 AND agent = $3 AND status = $4 ORDER BY seq DESC LIMIT $2";

/// No page is larger, whatever is asked for.
const LARGEST_PAGE: u32 = 1000;

impl Store {
    pub(crate) async fn get_one(&self, id: &TaskId) -> Result<Option<StoredTask>, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let Some(row) = tx.row(ONE, &[Arg::Text(id.as_str())]).await? else { return Ok(None) };
        let mut stored = record::read(&row)?;
        stored.waits_for = record::waits_for(&mut tx, id).await?;
        Ok(Some(stored))
    }

    pub(crate) async fn list_page(
        &self,
        filter: &TaskFilter,
        after: Option<Cursor>,
        size: u32,
    ) -> Result<Page, StoreError> {
        if let Some(agent) = &filter.agent {
            check_agent_name("agent", agent).map_err(Refusal::from)?;
        }
        let size = size.clamp(1, LARGEST_PAGE);
        let from = Arg::Int(after.map_or(i64::MAX, |cursor| cursor.0));
        let one_more = Arg::Int(i64::from(size) + 1);
        let mut tx = self.database.begin(Purpose::Read).await?;
        let mut rows = match (filter.agent.as_deref(), filter.status.map(TaskStatus::as_str)) {
            (None, None) => tx.rows(ALL, &[from, one_more]).await?,
            (None, Some(status)) => tx.rows(OF_STATUS, &[from, one_more, Arg::Text(status)]).await?,
            (Some(agent), None) => tx.rows(OF_AGENT, &[from, one_more, Arg::Text(agent)]).await?,
            (Some(agent), Some(status)) => {
                let args = [from, one_more, Arg::Text(agent), Arg::Text(status)];
                tx.rows(OF_AGENT_AND_STATUS, &args).await?
            }
        };
        let more = rows.len() > size as usize;
        rows.truncate(size as usize);
        let mut tasks = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut stored = record::read(row)?;
            if row.int(10)? > 0 {
                stored.waits_for = record::waits_for(&mut tx, &stored.task.id).await?;
            }
            tasks.push(stored);
        }
        let last = rows.last().map(|row| row.int(11)).transpose()?;
        Ok(Page { tasks, next: last.filter(|_| more).map(Cursor) })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up is a failed test")]
mod tests {
    use testkit::postgres::Server;

    use super::*;

    const AFTER: Arg<'_> = Arg::Int(i64::MAX);
    const SIZE: Arg<'_> = Arg::Int(51);
    const AGENT: Arg<'_> = Arg::Text("qa");
    const STATUS: Arg<'_> = Arg::Text("completed");

    /// Every list, with values for it.
    const LISTS: [(&str, &[Arg<'_>]); 4] = [
        (ALL, &[AFTER, SIZE]),
        (OF_STATUS, &[AFTER, SIZE, STATUS]),
        (OF_AGENT, &[AFTER, SIZE, AGENT]),
        (OF_AGENT_AND_STATUS, &[AFTER, SIZE, AGENT, STATUS]),
    ];

    fn explain(how: &str, sql: &str) -> &'static str {
        format!("{how} {sql}").leak()
    }

    #[tokio::test]
    async fn sqlite_walks_an_index_for_every_list_and_sorts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_sqlite(&folder.path().join("tasks.db")).await.unwrap();
        let mut tx = store.database.begin(Purpose::Read).await.unwrap();
        for (sql, args) in LISTS {
            let rows = tx.rows(explain("EXPLAIN QUERY PLAN", sql), args).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.text(3).unwrap()).collect();
            assert_eq!(plan.len(), 1, "{plan:?}");
            assert!(plan[0].starts_with("SEARCH tasks USING "), "{plan:?}");
            let bounded = plan[0].contains("seq<?") || plan[0].contains("rowid<?");
            assert!(bounded, "reads what the last page had: {plan:?}");
        }
    }

    /// An empty table is scanned whatever its indexes: whether they serve shows when scanning is the last resort.
    #[test]
    fn postgres_can_walk_an_index_for_every_list_and_sorts_nothing() {
        let Some(server) = Server::start() else { return };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Store::open(&server.url()).await.unwrap();
            let mut tx = store.database.begin(Purpose::Read).await.unwrap();
            tx.script("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off").await.unwrap();
            for (sql, args) in LISTS {
                let rows = tx.rows(explain("EXPLAIN", sql), args).await.unwrap();
                let plan: Vec<String> = rows.iter().map(|row| row.text(0).unwrap()).collect();
                let plan = plan.join("\n");
                assert!(plan.contains("Index Scan Backward using tasks_"), "{plan}");
                assert!(plan.contains("seq < ") && !plan.contains("Sort"), "{plan}");
            }
        });
    }
}
