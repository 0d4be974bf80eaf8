use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use domain::ports::TaskStore;
use domain::tasks::{Finish, Outcome};
use serde_json::{Value, json};
use store::Store;
use tokio::task::JoinSet;

use crate::QUEUE;
use crate::samples::Samples;

const LEASE: Duration = Duration::from_secs(600);

#[derive(Debug, Default)]
struct Times {
    claims: Samples,
    finishes: Samples,
}

/// Workers of one process that share its store, as replicas do.
pub(crate) async fn cycle(store: &Store, workers: u32, time: Duration, most: u32) -> Result<Value> {
    let left: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(most)));
    let begun = Instant::now();
    let until = begun + time;
    let mut running = JoinSet::new();
    for number in 0..workers {
        running.spawn(work(store.clone(), format!("bench-{number}"), until, left));
    }
    let mut times = Times::default();
    while let Some(ended) = running.join_next().await {
        let one = ended??;
        times.claims.extend(one.claims);
        times.finishes.extend(one.finishes);
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let cycles = times.finishes.len();
    Ok(json!({
        "cycles": cycles,
        "seconds": elapsed,
        "per_second": cycles as f64 / elapsed,
        "claim_ms": times.claims.summary(),
        "finish_ms": times.finishes.summary(),
    }))
}

async fn work(store: Store, holder: String, until: Instant, left: &AtomicU32) -> Result<Times> {
    let mut times = Times::default();
    let take = |left: u32| left.checked_sub(1);
    while Instant::now() < until && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
        let begun = Instant::now();
        let Some((_, lease)) = store.claim(&[QUEUE], &holder, LEASE).await? else {
            anyhow::bail!("nothing left to claim: the measurement was too long for what was stored");
        };
        times.claims.push(begun.elapsed());
        let begun = Instant::now();
        store.finish(&lease, &Finish::from(Outcome::Completed)).await?;
        times.finishes.push(begun.elapsed());
    }
    Ok(times)
}
