use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::cycle::{Backoff, Limits};
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{NewTask, QueueLimit, Refusal, Task, TaskId};
use serde_json::json;
use store::Store;

use super::chains::{Chain, Story};
use super::killer::Unrest;
use super::plan::Plan;
use super::workshop::Workshop;

const AGAIN: Duration = Duration::from_millis(100);

/// Queues the first tasks of all chains while the killing goes on: a third by the store itself, a third by
/// the program, a third as files in the mailbox. Whoever is told that the store is away asks again.
pub(crate) struct Feed<'a> {
    pub(crate) workshop: &'a Workshop,
    pub(crate) plan: Plan,
    pub(crate) unrest: &'a Unrest,
}

impl Feed<'_> {
    pub(crate) fn run(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Store::open(self.workshop.address()).await.unwrap();
            for chain in (0..self.plan.chains()).map(Chain::numbered) {
                self.wait_for_turn(chain.number).await;
                let task = first_task(chain);
                match chain.number % 3 {
                    0 => add(&store, &task).await,
                    1 => self.add_by_program(&task).await,
                    _ => self.put_into_mailbox(&task),
                }
            }
            store.close().await;
        });
    }

    /// Some are there from the beginning, the others come with the kills.
    async fn wait_for_turn(&self, number: u32) {
        let due = |kills: u32| 6 + kills * self.plan.chains() / self.plan.kills.max(1);
        while due(self.unrest.kills.load(Ordering::Relaxed)) <= number
            && !self.unrest.is_over.load(Ordering::Relaxed)
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn add_by_program(&self, task: &Task) {
        let file = self.workshop.repo().outside("next-task.json");
        fs::write(&file, serde_json::to_vec(task).unwrap()).unwrap();
        loop {
            let mut program = self.workshop.countersign(task.id.as_str().len());
            let output = program.args(["task", "add", "--from"]).arg(&file).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() || said.contains("there is already a task") {
                return;
            }
            let passing =
                ["the store cannot", "which does not exist"].iter().any(|words| said.contains(words));
            assert!(passing, "task add: {said}");
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// The file's name is not the task's id, and it is there whole or not at all.
    fn put_into_mailbox(&self, task: &Task) {
        let folder = self.workshop.mailbox().join("queues").join(&task.assigned_to);
        fs::create_dir_all(&folder).unwrap();
        let temporary = folder.join(format!("{}.tmp", task.id));
        fs::write(&temporary, serde_json::to_vec_pretty(task).unwrap()).unwrap();
        fs::rename(&temporary, folder.join(format!("by-hand-{}.json", task.id))).unwrap();
    }
}

async fn add(store: &Store, task: &Task) {
    let backoff = Backoff { first_seconds: 1, ceiling_seconds: 2 };
    let limits = Limits { max_retries: 100, backoff, ..Limits::default() };
    let new = [NewTask::new(task.clone(), limits).unwrap()];
    loop {
        match store.add(&new, QueueLimit::Unlimited).await {
            // A duplicate is our own: the answer was lost, not the task.
            Ok(_) | Err(StoreError::Refused(Refusal::Duplicate(_))) => return,
            Err(StoreError::Unavailable { .. })
            | Err(StoreError::Refused(Refusal::UnknownDependency { .. })) => tokio::time::sleep(AGAIN).await,
            Err(error) => panic!("the store does not take {}: {error}", task.id),
        }
    }
}

/// Every fifth waits for the one before it.
fn first_task(chain: Chain) -> Task {
    let (kind, agent) = match chain.story {
        Story::Plain => ("implementation", "engineer"),
        Story::Clean | Story::Mended | Story::Late | Story::Flaky | Story::Stubborn => ("review", "qa"),
    };
    let id = TaskId::parse(&chain.first_task()).unwrap();
    let mut task = Task::new(id, kind, agent, &format!("Work on {}", chain.name()));
    task.created_by = "crash-test".to_owned();
    task.created_at = "2026-02-03T10:00:00.000Z".to_owned();
    task.context.insert("chain".to_owned(), json!(chain.name()));
    if kind == "review" {
        task.context.insert("branch_name".to_owned(), json!(chain.name()));
        task.context.insert("base_branch".to_owned(), json!("main"));
    }
    if chain.number % 5 == 4 {
        task.depends_on = vec![TaskId::parse(&Chain::numbered(chain.number - 1).first_task()).unwrap()];
    }
    task
}
