use std::time::Duration;

use domain::ports::{Delivery, OutboxEntry, StoreError};
use domain::tasks::{AuditEvent, TaskId};
use serde_json::Value;

use crate::audit::read;
use crate::database::{Purpose, Tx};
use crate::record::milliseconds;
use crate::row::Arg;
use crate::store::Store;

/// Whether the reader is known, and whether there is anything for it.
const LOOK: &str = "
    SELECT r.last_seen - {now} + $2,
        (SELECT count(*) FROM (
            SELECT 1 FROM outbox o WHERE o.reader = $1 AND o.due <= {now} LIMIT 1) AS waiting)
    FROM outbox_readers r WHERE r.name = $1";

/// `due` is when it may be handed out next.
const TAKE: &str = "
    WITH waiting AS MATERIALIZED (
        SELECT t.seq FROM outbox t WHERE t.reader = $1 AND t.due <= {now}
        ORDER BY t.seq LIMIT $2 {skip_locked})
    UPDATE outbox SET due = {now} + $3 WHERE reader = $1 AND seq IN (SELECT seq FROM waiting)
    RETURNING seq";

const EVENTS: &str = "
    SELECT e.seq, e.at, e.task, e.kind, e.actor, e.token, e.detail, e.assignment
    FROM outbox o JOIN task_events e ON e.seq = o.seq
    WHERE o.reader = $1 AND o.seq IN {numbers} ORDER BY e.seq";

const ACKNOWLEDGE: &str = "DELETE FROM outbox WHERE reader = $1 AND seq IN {numbers}";

/// A reader is noted as seen only this often: looking into an empty outbox should write nothing.
const NOTED_AGAIN: Duration = Duration::from_secs(3600);

impl Store {
    pub(crate) async fn take_from_outbox(
        &self,
        reader: &str,
        most: u32,
        visibility: Duration,
    ) -> Result<Delivery, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let args = [Arg::Text(reader), Arg::Int(milliseconds(NOTED_AGAIN))];
        let Some(row) = tx.row(LOOK, &args).await? else { return Ok(Delivery::NotRegistered) };
        let (noted, waiting) = (row.int(0)? > 0, row.int(1)? > 0);
        tx.roll_back().await;
        if noted && !waiting {
            return Ok(Delivery::Entries(Vec::new()));
        }
        let mut tx = self.database.begin(Purpose::Write).await?;
        let delivery = take_in(&mut tx, reader, most, visibility).await?;
        tx.commit().await?;
        Ok(delivery)
    }

    pub(crate) async fn acknowledge(&self, reader: &str, entries: &[OutboxEntry]) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let list = list_of(entries.iter().map(|entry| entry.event.seq));
        let mut tx = self.database.begin(Purpose::Write).await?;
        tx.run(ACKNOWLEDGE, &[Arg::Text(reader), Arg::Text(&list)]).await?;
        tx.commit().await
    }

    pub(crate) async fn events_of(&self, id: &TaskId) -> Result<Vec<AuditEvent>, StoreError> {
        let mut tx = self.database.begin(Purpose::Read).await?;
        let sql = "SELECT seq, at, task, kind, actor, token, detail, assignment FROM task_events
            WHERE task = $1 ORDER BY seq";
        let rows = tx.rows(sql, &[Arg::Text(id.as_str())]).await?;
        rows.iter().map(read).collect()
    }
}

async fn take_in(tx: &mut Tx, reader: &str, most: u32, visibility: Duration) -> Result<Delivery, StoreError> {
    let sql = "UPDATE outbox_readers SET last_seen = {now} WHERE name = $1 AND last_seen <= {now} - $2";
    tx.run(sql, &[Arg::Text(reader), Arg::Int(milliseconds(NOTED_AGAIN))]).await?;
    // It may have been dropped since it was looked for.
    if tx.row("SELECT name FROM outbox_readers WHERE name = $1", &[Arg::Text(reader)]).await?.is_none() {
        return Ok(Delivery::NotRegistered);
    }
    let args = [Arg::Text(reader), Arg::Int(i64::from(most)), Arg::Int(milliseconds(visibility))];
    let taken = tx.rows(TAKE, &args).await?;
    let taken = taken.iter().map(|row| row.int(0)).collect::<Result<Vec<i64>, _>>()?;
    let rows = tx.rows(EVENTS, &[Arg::Text(reader), Arg::Text(&list_of(taken.into_iter()))]).await?;
    let entries = rows.iter().map(|row| read(row).map(|event| OutboxEntry { event }));
    Ok(Delivery::Entries(entries.collect::<Result<_, _>>()?))
}

fn list_of(numbers: impl Iterator<Item = i64>) -> String {
    Value::from(numbers.collect::<Vec<i64>>()).to_string()
}
