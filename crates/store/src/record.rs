use domain::cycle::{Cycle, TaskStatus};
use domain::ports::StoreError;
use domain::tasks::{Dependency, Held, StoredTask, Task, TaskId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::database::Tx;
use crate::row::{Arg, Row};

/// The task of a row whose columns begin with: doc, cycle, status, holder, claimed_at, lease_expires,
/// lease_token, reason, not_before, updated_at. What it waits for is read where it is wanted.
pub(crate) fn read(row: &Row) -> Result<StoredTask, StoreError> {
    let mut task: Task = parse_json("task", &row.text(0)?)?;
    let cycle: Cycle = parse_json("cycle", &row.text(1)?)?;
    task.status = status(&row.text(2)?)?;
    task.retry_count = cycle.retry_count();
    let not_before = row.int(8)?;
    Ok(StoredTask {
        task,
        cycle,
        held: held(row)?,
        reason: row.maybe_text(7)?,
        not_before: (not_before > 0).then(|| timestamp(not_before)).transpose()?,
        updated_at: timestamp(row.int(9)?)?,
        waits_for: Vec::new(),
    })
}

fn held(row: &Row) -> Result<Option<Held>, StoreError> {
    match (row.maybe_text(3)?, row.maybe_int(4)?, row.maybe_int(5)?) {
        (Some(holder), Some(since), Some(until)) => {
            Ok(Some(Held { holder, since: timestamp(since)?, until: timestamp(until)?, token: row.int(6)? }))
        }
        (_, _, _) => Ok(None),
    }
}

pub(crate) async fn waits_for(tx: &mut Tx, id: &TaskId) -> Result<Vec<Dependency>, StoreError> {
    let sql = "SELECT d.depends_on, t.status
        FROM task_dependencies d LEFT JOIN tasks t ON t.id = d.depends_on
        WHERE d.task = $1 AND d.met = 0 ORDER BY d.depends_on";
    let rows = tx.rows(sql, &[Arg::Text(id.as_str())]).await?;
    rows.iter()
        .map(|row| {
            Ok(Dependency {
                id: task_id(&row.text(0)?)?,
                status: row.maybe_text(1)?.map(|text| status(&text)).transpose()?,
            })
        })
        .collect()
}

pub(crate) fn status(text: &str) -> Result<TaskStatus, StoreError> {
    TaskStatus::ALL
        .into_iter()
        .find(|status| status.as_str() == text)
        .ok_or_else(|| corrupt("status", format!("unknown: {text}")))
}

pub(crate) fn task_id(text: &str) -> Result<TaskId, StoreError> {
    TaskId::parse(text).map_err(|error| corrupt("task id", error))
}

pub(crate) fn timestamp(milliseconds: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(milliseconds).map_err(|error| corrupt("time", error))
}

pub(crate) fn parse_json<T: DeserializeOwned>(what: &'static str, json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| corrupt(what, error))
}

pub(crate) fn to_json<T: serde::Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| corrupt(what, error))
}

pub(crate) fn corrupt(what: &'static str, reason: impl ToString) -> StoreError {
    StoreError::Corrupt { what, reason: reason.to_string() }
}

/// Milliseconds, with a ceiling that no sum with the present time can overflow.
pub(crate) fn milliseconds(duration: std::time::Duration) -> i64 {
    const LONGEST: i64 = 1000 * 60 * 60 * 24 * 365 * 100;
    i64::try_from(duration.as_millis()).unwrap_or(LONGEST).min(LONGEST)
}

pub(crate) async fn now(tx: &mut Tx) -> Result<Timestamp, StoreError> {
    let row = tx.row("SELECT {now}", &[]).await?;
    let row = row.ok_or_else(|| corrupt("clock", "no answer"))?;
    timestamp(row.int(0)?)
}
