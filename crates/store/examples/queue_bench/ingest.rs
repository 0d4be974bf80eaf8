use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use domain::tasks::{QueueLimit, TaskId};
use serde_json::{Value, json};
use store::Store;
use store::mailbox::Mailbox;

use crate::QUEUE;
use crate::fill::new_task;

/// The files are there before the clock runs, under names that are not their ids, as a program that knows
/// nothing of the store would leave them.
pub(crate) async fn ingest(store: &Store, root: PathBuf, files: u32) -> Result<Value> {
    let mailbox = Mailbox::open(root)?;
    let folder = mailbox.root().join("queues").join(QUEUE);
    std::fs::create_dir_all(&folder)?;
    for number in 0..files {
        let task = new_task(TaskId::parse(&format!("ingest-{QUEUE}-1700000000000-{number:06x}"))?)?;
        std::fs::write(folder.join(format!("work-{number}.json")), serde_json::to_vec_pretty(task.task())?)?;
    }
    let begun = Instant::now();
    let mut added = 0;
    while added < files as usize {
        let taken = mailbox.tend(store, QueueLimit::Unlimited).await?;
        ensure!(taken.set_aside.is_empty(), "{:?} was set aside", taken.set_aside);
        added += taken.added.len();
    }
    let stored = begun.elapsed().as_secs_f64();
    mailbox.tend(store, QueueLimit::Unlimited).await?;
    let settled = begun.elapsed().as_secs_f64();
    store.close().await;
    Ok(json!({ "files": files, "stored_seconds": stored, "settled_seconds": settled }))
}
