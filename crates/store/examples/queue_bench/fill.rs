use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::cycle::Limits;
use domain::ports::TaskStore;
use domain::tasks::{Finish, NewTask, Outcome, QueueLimit, Task, TaskId};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use store::Store;

use crate::QUEUE;

/// One task is added, and finished, as it should be; the others are copies of its rows.
pub(crate) async fn fill(url: &str, finished: u32, pending: u32) -> Result<Value> {
    let store = Store::open(url).await?;
    if finished > 0 {
        let pattern = pattern(&store, "finished").await?;
        let (_, lease) = store.claim(&[QUEUE], "bench", Duration::from_secs(600)).await?.context("a task")?;
        ensure!(lease.task() == &pattern, "fill a store that has nothing to do");
        store.finish(&lease, &Finish::from(Outcome::Completed)).await?;
        copy(url, &pattern, finished - 1).await?;
        gather_statistics(url).await?;
    }
    if pending > 0 {
        let pattern = pattern(&store, "pending").await?;
        copy(url, &pattern, pending - 1).await?;
    }
    store.close().await;
    Ok(json!({ "finished": finished, "pending": pending }))
}

pub(crate) fn new_task(id: TaskId) -> Result<NewTask> {
    let mut task = Task::new(id, "implementation", QUEUE, "Count the tasks of a store");
    task.description = "What a task says is seldom shorter than this. ".repeat(6);
    Ok(NewTask::new(task, Limits::default())?)
}

async fn pattern(store: &Store, kind: &str) -> Result<TaskId> {
    let now = store.now().await?.as_millisecond();
    let id = TaskId::parse(&format!("{kind}-{QUEUE}-{now}-000000"))?;
    store.add(&[new_task(id.clone())?], QueueLimit::Unlimited).await?;
    Ok(id)
}

/// The events of the copies count as told.
async fn copy(url: &str, pattern: &TaskId, copies: u32) -> Result<()> {
    let id = pattern.as_str();
    let stem = id.trim_end_matches("000000");
    let tasks = format!(
        "INSERT INTO tasks (id, agent, status, priority, doc, cycle, lease_token, updated_at)
         SELECT '{stem}' || n, agent, status, priority, replace(doc, '{id}', '{stem}' || n), cycle,
             lease_token, updated_at
         FROM tasks, (SELECT 1000000 + n AS n FROM numbers) AS numbered WHERE id = '{id}'"
    );
    let events = format!(
        "INSERT INTO task_events (task, at, kind, actor, token, detail)
         SELECT '{stem}' || n, at, kind, actor, token, detail
         FROM (SELECT 1000000 + n AS n FROM numbers) AS numbered, task_events WHERE task = '{id}'"
    );
    if url.starts_with("postgres") {
        let numbers = format!("WITH numbers AS (SELECT generate_series(1, {copies}) AS n)");
        let mut connection = PgConnection::connect(url).await?;
        for insert in [&tasks, &events] {
            sqlx::raw_sql(AssertSqlSafe(format!("{numbers} {insert}"))).execute(&mut connection).await?;
        }
        connection.close().await?;
    } else {
        let numbers = format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT {copies})"
        );
        let mut connection = SqliteConnection::connect(&format!("sqlite:{url}")).await?;
        for insert in [&tasks, &events].into_iter().filter(|_| copies > 0) {
            sqlx::raw_sql(AssertSqlSafe(format!("{numbers} {insert}"))).execute(&mut connection).await?;
        }
        sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await?;
        connection.close().await?;
    }
    Ok(())
}

/// While nothing is pending, as a server does most of the time: that is what plans are then made from.
async fn gather_statistics(url: &str) -> Result<()> {
    if url.starts_with("postgres") {
        let mut connection = PgConnection::connect(url).await?;
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut connection).await?;
        connection.close().await?;
    }
    Ok(())
}
