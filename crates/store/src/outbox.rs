use std::time::Duration;

use domain::ports::{OutboxEntry, StoreError};
use domain::tasks::{AuditEvent, TaskId};

use crate::audit::{read, read_entry};
use crate::database::Purpose;
use crate::record::milliseconds;
use crate::row::Arg;
use crate::store::Store;

/// `due` is when it may be handed out next.
const TAKE: &str = "
    UPDATE task_events SET due = {now} + $2
    WHERE seq IN (
        SELECT t.seq FROM task_events t WHERE t.due IS NOT NULL AND t.due <= {now}
        ORDER BY t.seq LIMIT $1 {skip_locked})
    RETURNING seq, at, task, kind, actor, token, detail";

impl Store {
    pub(crate) async fn take_from_outbox(
        &self,
        most: u32,
        visibility: Duration,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        let args = [Arg::Int(i64::from(most)), Arg::Int(milliseconds(visibility))];
        let rows = tx.rows(TAKE, &args).await?;
        let mut entries = rows.iter().map(read_entry).collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(|entry| entry.event.seq);
        tx.commit().await?;
        Ok(entries)
    }

    pub(crate) async fn acknowledge(&self, entries: &[OutboxEntry]) -> Result<(), StoreError> {
        let mut tx = self.database.begin(Purpose::Write).await?;
        for entry in entries {
            tx.run("UPDATE task_events SET due = NULL WHERE seq = $1", &[Arg::Int(entry.event.seq)]).await?;
        }
        tx.commit().await
    }

    pub(crate) async fn events_of(&self, id: &TaskId) -> Result<Vec<AuditEvent>, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT seq, at, task, kind, actor, token, detail FROM task_events
            WHERE task = $1 ORDER BY seq";
        let rows = tx.rows(sql, &[Arg::Text(id.as_str())]).await?;
        rows.iter().map(read).collect()
    }
}
