use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::config::AgentConfig;
use domain::tasks::Task;
use engine::worker::{Handlers, Handling, Job, TaskHandler};
use tokio::sync::Notify;

/// Knows which replica works on which task, for its heartbeat.
#[derive(Debug)]
pub(super) struct AtWork<H> {
    handlers: H,
    tasks: Arc<Tasks>,
}

#[derive(Debug, Default)]
struct Tasks {
    by_replica: Mutex<BTreeMap<String, String>>,
    changed: Notify,
}

/// Work on a task, however it ends.
struct Working {
    tasks: Arc<Tasks>,
    replica: String,
}

impl<H> AtWork<H> {
    pub(super) fn new(handlers: H) -> AtWork<H> {
        AtWork { handlers, tasks: Arc::default() }
    }

    pub(super) fn task_of(&self, replica: &str) -> Option<String> {
        self.tasks.by_replica.lock().unwrap_or_else(PoisonError::into_inner).get(replica).cloned()
    }

    /// Returns when somebody has begun or ended since the last time.
    pub(super) async fn changed(&self) {
        self.tasks.changed.notified().await;
    }
}

impl<H: Handlers> Handlers for AtWork<H> {
    fn handler(&self, _: &AgentConfig, _: &Task) -> &dyn TaskHandler {
        self
    }
}

impl<H: Handlers> TaskHandler for AtWork<H> {
    fn handle<'a>(&'a self, job: Job<'a>) -> Handling<'a> {
        let working = Working::begin(&self.tasks, &job);
        let handling = self.handlers.handler(job.agent, job.task).handle(job);
        Box::pin(async move {
            let handled = handling.await;
            drop(working);
            handled
        })
    }
}

impl Working {
    fn begin(tasks: &Arc<Tasks>, job: &Job<'_>) -> Working {
        let task = job.task.id.to_string();
        let mut by_replica = tasks.by_replica.lock().unwrap_or_else(PoisonError::into_inner);
        by_replica.insert(job.replica.to_owned(), task);
        tasks.changed.notify_one();
        Working { tasks: Arc::clone(tasks), replica: job.replica.to_owned() }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.tasks.by_replica.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.replica);
        self.tasks.changed.notify_one();
    }
}
