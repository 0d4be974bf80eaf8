use std::sync::Arc;
use std::time::Duration;

use domain::cycle::Limits;
use domain::ports::StoreError;
use domain::tasks::{Finish, Lease, NewTask, Outcome, QueueLimit, Refusal, Task};
use engine::kept::KeptReview;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use super::request::title;
use crate::mcp::found::{self, Found};
use crate::mcp::tools::Call;
use crate::mcp::tools::queue::new_id;
use crate::mcp::trouble::{Answer, Trouble};
use crate::reviews::{ReviewAsk, ReviewTrouble};
use crate::workbench::{Stores, Workbench};

/// The queue of reviews that somebody waits for. No worker serves it: whoever was asked holds the task itself.
const ON_DEMAND: &str = "on-demand";
const KIND: &str = "review-now";
const BEAT: Duration = Duration::from_secs(5);

/// Reviews and keeps the review with a task of its own. A caller that goes away does not stop it, but a server that
/// has to stop does after a while; one that dies leaves the task to a watchdog. Either way the task fails.
pub(super) async fn review_now<S: Stores>(
    bench: &Arc<Workbench<S>>,
    call: &Call,
    mut ask: ReviewAsk,
    history: Vec<Value>,
) -> Answer<Found> {
    call.progress.say(1, "Waiting for a free place").await;
    let turn = Arc::clone(&bench.running).acquire_owned().await;
    let turn = turn.map_err(|_| Trouble::new("the server is about to stop", "try again in a moment"))?;
    let lease = begin(bench, call, &mut ask, history).await?;
    let id = lease.task().clone();
    let (say, mut said) = mpsc::channel::<String>(64);
    let work = Arc::clone(bench);
    let mut reviewing = tokio::spawn(async move {
        let reviewed = perform(&work, &lease, ask, say).await;
        // The caller may be gone, and then nothing else shows it.
        work.mirror.update().await;
        drop(turn);
        reviewed
    });
    let mut step = 1;
    loop {
        tokio::select! {
            Some(line) = said.recv() => {
                step += 1;
                call.progress.say(step, &line).await;
            }
            reviewed = &mut reviewing => {
                reviewed.unwrap_or_else(|_| Err(Trouble::new("the review broke off", "call request_review again")))?;
                return found::review(bench, &id).await;
            }
        }
    }
}

/// Adds the task and takes it. It is not tried again: whoever asked for it can.
async fn begin<S: Stores>(
    bench: &Arc<Workbench<S>>,
    call: &Call,
    ask: &mut ReviewAsk,
    history: Vec<Value>,
) -> Answer<Lease> {
    let id = new_id(KIND, ON_DEMAND, bench.store.now().await?)?;
    ask.task = id.to_string();
    let mut task = Task::new(id.clone(), KIND, ON_DEMAND, &title(ask.base.as_deref(), ask.head.as_deref()));
    task.created_by = call.caller.name().to_owned();
    let named = [("base_branch", &ask.base), ("branch_name", &ask.head), ("reviewer", &ask.reviewer)];
    let named =
        named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.as_ref()?.as_str().into())));
    task.context.extend(named);
    if !history.is_empty() {
        task.context.insert("review_history".to_owned(), history.into());
    }
    let limits = Limits { max_retries: 0, ..bench.config.limits.clone() };
    let new = NewTask::new(task, limits)?;
    let limit = QueueLimit::AtMost(bench.config.safeguards.max_queue_size);
    bench.store.add(std::slice::from_ref(&new), limit).await?;
    let claimed = bench.store.claim_task(&id, ON_DEMAND, lease_length(bench)).await?;
    claimed.map(|(_, lease)| lease).ok_or_else(|| {
        Trouble::new(
            format!("reviews on demand are paused; {id} waits"),
            "use run: task, or ask the person who runs Countersign to resume on-demand",
        )
    })
}

fn lease_length<S: Stores>(bench: &Arc<Workbench<S>>) -> Duration {
    Duration::from_secs(bench.config.safeguards.heartbeat_timeout.into())
}

/// Has the review done on a thread of its own while the lease is kept alive, and stores what came of it.
async fn perform<S: Stores>(
    bench: &Arc<Workbench<S>>,
    lease: &Lease,
    ask: ReviewAsk,
    say: mpsc::Sender<String>,
) -> Answer<()> {
    let reviews = Arc::clone(&bench.reviews);
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        // Progress is a courtesy: what nobody takes in time is left out.
        let heard = Arc::new(move |line: &str| _ = say.try_send(line.to_owned()));
        _ = tell.send(reviews.review(&ask, heard));
    });
    let timeout = Duration::from_secs(bench.config.task.timeout.into());
    let reviewed = tokio::select! {
        told = told => told.unwrap_or_else(|_| Err(broke_off("the review broke off"))),
        () = keep_alive(bench, lease) => Err(broke_off("the review was cancelled")),
        () = sleep(timeout) => Err(broke_off("the review took too long")),
        () = bench.stop.requested() => Err(broke_off("the server stopped before the review was done")),
    };
    match reviewed {
        Ok(review) => {
            let detail = json!({ KeptReview::KEY: KeptReview::of(&review) });
            conclude(bench, lease, &Finish { outcome: Outcome::Completed, follow_ups: vec![], detail }).await
        }
        Err(trouble) => {
            let outcome = Outcome::Failed { reason: trouble.what.clone(), retry_after: None };
            // What went wrong is what the caller has to know, stored or not.
            let _ = conclude(bench, lease, &outcome.into()).await;
            Err(Trouble::new(trouble.what, trouble.next))
        }
    }
}

fn broke_off(what: &str) -> ReviewTrouble {
    ReviewTrouble { what: what.to_owned(), next: "call request_review again, or with run: task".to_owned() }
}

/// Returns when the lease is lost.
async fn keep_alive<S: Stores>(bench: &Arc<Workbench<S>>, lease: &Lease) {
    let length = lease_length(bench);
    loop {
        sleep(BEAT.min(length / 3)).await;
        if let Err(StoreError::Refused(_)) = bench.store.heartbeat(lease, length).await {
            return;
        }
    }
}

/// Asks a store that does not answer again for a while. If an answer was lost, it says that the lease is stale, and has
/// everything.
async fn conclude<S: Stores>(bench: &Arc<Workbench<S>>, lease: &Lease, finish: &Finish) -> Answer<()> {
    const PATIENCE: Duration = Duration::from_secs(30);
    let begun = Instant::now();
    loop {
        match bench.store.finish(lease, finish).await {
            Ok(_) | Err(StoreError::Refused(Refusal::StaleLease { .. })) => return Ok(()),
            Err(StoreError::Unavailable { .. }) if begun.elapsed() < PATIENCE => {
                sleep(Duration::from_millis(500)).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}
