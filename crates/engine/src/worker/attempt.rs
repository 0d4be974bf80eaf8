use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;
use std::time::Duration;

use domain::ports::{ActivityLog, StoreError, TaskLocks, TaskStore};
use domain::tasks::{Lease, StoredTask};
use tokio::time::sleep;

use super::follow_up::as_shown;
use super::handler::{Handled, Handlers, Handling, Job};
use super::run::Worker;

/// How often the store is asked at least whether the task is still ours: work that was cancelled should end soon.
const BEAT: Duration = Duration::from_secs(5);

/// How work on a task ended.
pub(super) enum Attempt {
    Handled(Handled),
    /// Somebody else has it by now, or it was cancelled.
    Lost,
    /// The worker has to stop and waited long enough.
    Interrupted,
}

impl<S: TaskStore, H: Handlers, K: TaskLocks, L: ActivityLog> Worker<'_, S, H, K, L> {
    /// Has the task handled while the lease is kept alive, for as long as the agent's timeout allows.
    pub(super) async fn attempt(&self, stored: &StoredTask, lease: &Lease) -> Attempt {
        let task = as_shown(&stored.task);
        let job = Job {
            task: &task,
            agent: self.agent,
            replica: self.replica,
            review_attempt: stored.cycle.review_attempt(),
            stop: &self.stop,
        };
        let handling = Box::pin(async move { self.handlers.handler(self.agent, job.task).handle(job).await });
        let handling = without_panic(handling);
        tokio::select! {
            biased;
            handled = handling => Attempt::Handled(handled),
            () = self.keep_alive(lease) => Attempt::Lost,
            () = sleep(self.agent.timeout) => {
                let reason = format!("timed out after {} s", self.agent.timeout.as_secs_f64());
                Attempt::Handled(Handled::Failed { reason })
            }
            () = self.grace_is_over() => Attempt::Interrupted,
        }
    }

    /// Returns when the lease is lost. A store that does not answer is asked again: only it knows.
    async fn keep_alive(&self, lease: &Lease) {
        let length = self.agent.heartbeat_timeout;
        loop {
            sleep(BEAT.min(length / 3)).await;
            match self.store.heartbeat(lease, length).await {
                Err(StoreError::Refused(_)) => return,
                Ok(_) | Err(StoreError::Unavailable { .. } | StoreError::Corrupt { .. }) => {}
            }
        }
    }

    async fn grace_is_over(&self) {
        self.stop.requested().await;
        sleep(self.agent.grace).await;
    }
}

/// A panic of the handler is a failure of its task. (Where panics abort, nothing can be done about them.)
async fn without_panic(mut handling: Handling<'_>) -> Handled {
    poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| handling.as_mut().poll(context)));
        polled.unwrap_or_else(|panic| Poll::Ready(Handled::Failed { reason: words_of(&*panic) }))
    })
    .await
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    match text {
        Some(text) => format!("the handler panicked: {text}"),
        None => "the handler panicked".to_owned(),
    }
}
