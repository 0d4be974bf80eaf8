//! Who waits for whom. Each task counts its open dependencies, so that a claim need not.

use std::collections::HashSet;

use domain::cycle::TaskStatus;
use domain::ports::StoreError;
use domain::tasks::{MissingDependencies, NewTask, Refusal, Task, TaskId};

use crate::database::Tx;
use crate::row::{Arg, Row};
use crate::store::News;

/// Takes a completed task off the account of everyone who waited for it.
///
/// The dependents are counted down one by one, in the order of their ids: two dependencies that complete at
/// the same moment must neither wait for each other nor overwrite each other's count.
pub(crate) async fn count_down(tx: &mut Tx, met: &[Row]) -> Result<News, StoreError> {
    let mut dependents = met.iter().map(|row| row.text(0)).collect::<Result<Vec<_>, _>>()?;
    dependents.sort_unstable();
    let mut news = News::Nothing;
    for dependent in dependents {
        let sql = "UPDATE tasks SET blocked_by = blocked_by - 1 WHERE id = $1 RETURNING blocked_by";
        let counted = tx.row(sql, &[Arg::Text(&dependent)]).await?;
        if counted.map(|row| row.int(0)).transpose()? == Some(0) {
            news = News::Work;
        }
    }
    Ok(news)
}

/// Ties new tasks, which are stored already, to what they depend on and to what they block.
pub(crate) async fn tie(tx: &mut Tx, tasks: &[&NewTask]) -> Result<(), StoreError> {
    for task in tasks.iter().map(|new| new.task()) {
        for dependency in &task.depends_on {
            insert_edge(tx, &task.id, dependency).await?;
        }
    }
    for task in tasks.iter().map(|new| new.task()) {
        for blocked in &task.blocks {
            block(tx, &task.id, blocked, tasks).await?;
        }
    }
    let tied = having_links(tx, tasks).await?;
    for new in tasks.iter().filter(|new| tied.contains(new.task().id.as_str())) {
        count_open(tx, new).await?;
    }
    for task in tasks.iter().map(|new| new.task()).filter(|task| has_links(task)) {
        refuse_cycle(tx, &task.id).await?;
    }
    Ok(())
}

/// Those that wait for another, by their own word or by that of the other. Most wait for nobody.
async fn having_links(tx: &mut Tx, tasks: &[&NewTask]) -> Result<HashSet<String>, StoreError> {
    let ids: Vec<&str> = tasks.iter().map(|new| new.task().id.as_str()).collect();
    let sql = "SELECT DISTINCT d.task FROM task_dependencies d WHERE d.task IN {texts}";
    let rows = tx.rows(sql, &[Arg::Text(&serde_json::json!(ids).to_string())]).await?;
    rows.iter().map(|row| row.text(0)).collect()
}

fn has_links(task: &Task) -> bool {
    !task.depends_on.is_empty() || !task.blocks.is_empty()
}

async fn insert_edge(tx: &mut Tx, task: &TaskId, dependency: &TaskId) -> Result<u64, StoreError> {
    let sql = "INSERT INTO task_dependencies (task, depends_on, met) VALUES ($1, $2, 0)
        ON CONFLICT (task, depends_on) DO NOTHING";
    tx.run(sql, &[Arg::Text(task.as_str()), Arg::Text(dependency.as_str())]).await
}

/// A task that has begun already is not held up, and one that is yet to come will find the tie.
async fn block(tx: &mut Tx, task: &TaskId, blocked: &TaskId, new: &[&NewTask]) -> Result<(), StoreError> {
    if insert_edge(tx, blocked, task).await? == 0 || new.iter().any(|new| new.task().id == *blocked) {
        return Ok(());
    }
    let sql = "UPDATE tasks SET blocked_by = blocked_by + 1 WHERE id = $1 AND status = 'pending'";
    if tx.run(sql, &[Arg::Text(blocked.as_str())]).await? == 1 {
        return Ok(());
    }
    let sql = "UPDATE task_dependencies SET met = 1 WHERE task = $1 AND depends_on = $2
        AND EXISTS (SELECT 1 FROM tasks WHERE id = $1)";
    tx.run(sql, &[Arg::Text(blocked.as_str()), Arg::Text(task.as_str())]).await?;
    Ok(())
}

/// The dependencies are locked until the commit: none of them completes unnoticed meanwhile.
async fn count_open(tx: &mut Tx, new: &NewTask) -> Result<(), StoreError> {
    let task = new.task();
    let sql = "SELECT t.id, t.status FROM tasks t
        WHERE t.id IN (SELECT d.depends_on FROM task_dependencies d WHERE d.task = $1)
        ORDER BY t.id {for_share}";
    let id = Arg::Text(task.id.as_str());
    let mut known = Vec::new();
    for row in tx.rows(sql, &[id]).await? {
        let dependency = row.text(0)?;
        if row.text(1)? == TaskStatus::Completed.as_str() {
            let sql = "UPDATE task_dependencies SET met = 1 WHERE task = $1 AND depends_on = $2";
            tx.run(sql, &[id, Arg::Text(&dependency)]).await?;
        }
        known.push(dependency);
    }
    let missing = task.depends_on.iter().find(|id| !known.iter().any(|known| known == id.as_str()));
    if let (Some(unknown), MissingDependencies::Refused) = (missing, new.missing_dependencies()) {
        let refusal = Refusal::UnknownDependency { task: task.id.clone(), dependency: unknown.clone() };
        return Err(refusal.into());
    }
    let sql = "UPDATE tasks SET blocked_by =
            (SELECT count(*) FROM task_dependencies d WHERE d.task = $1 AND d.met = 0)
        WHERE id = $1";
    tx.run(sql, &[id]).await?;
    Ok(())
}

/// Only open dependencies are followed: what has completed waits for nobody.
async fn refuse_cycle(tx: &mut Tx, id: &TaskId) -> Result<(), StoreError> {
    let sql = "WITH RECURSIVE above (id) AS (
            SELECT depends_on FROM task_dependencies WHERE task = $1 AND met = 0
            UNION
            SELECT d.depends_on FROM task_dependencies d JOIN above ON d.task = above.id WHERE d.met = 0)
        SELECT id FROM above WHERE id = $1";
    match tx.row(sql, &[Arg::Text(id.as_str())]).await? {
        Some(_) => Err(Refusal::DependencyCycle(id.clone()).into()),
        None => Ok(()),
    }
}
