use domain::ports::StoreError;
use domain::tasks::{Added, AuditKind, NewTask, QueueLimit, Refusal, Task};
use jiff::Timestamp;
use serde_json::Value;

use crate::audit::{self, Entry};
use crate::database::{Purpose, Tx};
use crate::dependencies;
use crate::dialect::Engine;
use crate::record::{self, task_id, to_json};
use crate::row::Arg;
use crate::store::{News, Store};

impl Store {
    pub(crate) async fn add_all(
        &self,
        tasks: &[NewTask],
        limit: QueueLimit,
    ) -> Result<Vec<Added>, StoreError> {
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.database.begin(Purpose::Write).await?;
        let outcome = add_in(&mut tx, tasks, limit).await;
        self.conclude(tx, outcome).await
    }
}

async fn add_in(tx: &mut Tx, tasks: &[NewTask], limit: QueueLimit) -> Result<(Vec<Added>, News), StoreError> {
    take_turn(tx).await?;
    let added = insert_all(tx, tasks, limit, None).await?;
    let created = added.iter().any(|added| matches!(added, Added::Created(_)));
    Ok((added, if created { News::Work } else { News::Nothing }))
}

/// Adding is one at a time: limits, keys and cycles are checked against what is there. Taken before any row
/// is locked, so that nobody waits in a circle.
pub(crate) async fn take_turn(tx: &mut Tx) -> Result<(), StoreError> {
    match tx.engine() {
        Engine::Sqlite => Ok(()),
        Engine::Postgres => tx.script("SELECT pg_advisory_xact_lock(4856236120592)").await,
    }
}

pub(crate) async fn insert_follow_ups(
    tx: &mut Tx,
    tasks: &[NewTask],
    actor: &str,
) -> Result<Vec<Added>, StoreError> {
    insert_all(tx, tasks, QueueLimit::Unlimited, Some(actor)).await
}

/// All are stored before any is tied to another, for they may depend on each other.
async fn insert_all(
    tx: &mut Tx,
    tasks: &[NewTask],
    limit: QueueLimit,
    actor: Option<&str>,
) -> Result<Vec<Added>, StoreError> {
    let mut now = None;
    let mut outcome = Vec::with_capacity(tasks.len());
    let mut created = Vec::with_capacity(tasks.len());
    for new in tasks {
        let added = insert(tx, new, limit, &mut now).await?;
        if let Added::Created(id) = &added {
            let actor = actor.unwrap_or(&new.task().created_by);
            let entry =
                Entry { task: Some(id), kind: AuditKind::Added, actor, token: None, detail: &Value::Null };
            audit::write(tx, entry).await?;
            created.push(new);
        }
        outcome.push(added);
    }
    dependencies::tie(tx, &created).await?;
    Ok(outcome)
}

async fn insert(
    tx: &mut Tx,
    new: &NewTask,
    limit: QueueLimit,
    now: &mut Option<Timestamp>,
) -> Result<Added, StoreError> {
    let task = new.task();
    if let Some(key) = new.key()
        && let Some(row) = tx.row("SELECT id FROM tasks WHERE once_key = $1", &[Arg::Text(key)]).await?
    {
        return Ok(Added::AlreadyThere(task_id(&row.text(0)?)?));
    }
    refuse_full_queue(tx, task, limit).await?;
    let (document, created) = document(tx, task, now).await?;
    let args = [
        Arg::Text(task.id.as_str()),
        Arg::MaybeText(new.key()),
        Arg::Text(&task.assigned_to),
        Arg::Int(i64::from(task.priority)),
        Arg::Text(&document),
        Arg::Text(&to_json("cycle", new.cycle())?),
        Arg::Int(created.as_millisecond()),
    ];
    let sql = "INSERT INTO tasks (id, once_key, agent, status, priority, doc, cycle, created, updated_at)
        VALUES ($1, $2, $3, 'pending', $4, $5, $6, $7, {now}) ON CONFLICT (id) DO NOTHING";
    match tx.run(sql, &args).await? {
        0 => Err(Refusal::Duplicate(task.id.clone()).into()),
        _ => Ok(Added::Created(task.id.clone())),
    }
}

async fn refuse_full_queue(tx: &mut Tx, task: &Task, limit: QueueLimit) -> Result<(), StoreError> {
    let QueueLimit::AtMost(limit) = limit else { return Ok(()) };
    let sql = "SELECT count(*) FROM (SELECT 1 FROM tasks
        WHERE agent = $1 AND status IN ('pending', 'in_progress') LIMIT $2) AS open";
    let row = tx.row(sql, &[Arg::Text(&task.assigned_to), Arg::Int(i64::from(limit))]).await?;
    let open = row.map(|row| row.int(0)).transpose()?.unwrap_or_default();
    if open < i64::from(limit) {
        return Ok(());
    }
    // What is there already does not need room.
    let known = tx.row("SELECT seq FROM tasks WHERE id = $1", &[Arg::Text(task.id.as_str())]).await?;
    Err(match known {
        Some(_) => Refusal::Duplicate(task.id.clone()),
        None => Refusal::QueueFull { agent: task.assigned_to.clone(), limit },
    }
    .into())
}

/// As it came, with the store's time if it came without one. All of one call have the same. And when it was created.
async fn document(
    tx: &mut Tx,
    task: &Task,
    now: &mut Option<Timestamp>,
) -> Result<(String, Timestamp), StoreError> {
    if let Ok(created) = task.created_at.parse() {
        return Ok((to_json("task", task)?, created));
    }
    let time = match *now {
        Some(time) => time,
        None => *now.insert(record::now(tx).await?),
    };
    let created_at = time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    Ok((to_json("task", &Task { created_at, ..task.clone() })?, time))
}
