use std::time::{Duration, Instant};

use domain::ports::{Pulse, TaskStore};
use domain::tasks::Outcome;
use store::Store;
use tokio::time::timeout;

use crate::place::*;

scenarios![
    news_of_this_process_ends_the_wait,
    news_of_another_process_ends_the_wait,
    news_between_claim_and_wait_is_not_missed,
    a_freed_dependent_is_news,
    without_news_the_wait_ends_in_time,
];

/// Waits until nothing that came before ends a wait any more.
pub(crate) async fn settled(store: &Store) -> Pulse {
    loop {
        let pulse = store.pulse();
        store.wait_for_work(pulse, Duration::from_millis(700)).await;
        if store.pulse() == pulse {
            return pulse;
        }
    }
}

/// A wait during which `news` happens, and which must not last until its time is over.
async fn wait_during(store: &Store, news: impl Future<Output = ()>) {
    let pulse = settled(store).await;
    let waits = timeout(HANGS, store.wait_for_work(pulse, LONG));
    let later = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        news.await;
    };
    tokio::join!(waits, later).0.expect("news");
}

async fn news_of_this_process_ends_the_wait(place: Place) {
    wait_during(&place.store, place.add(task("a"))).await;
}

async fn news_of_another_process_ends_the_wait(place: Place) {
    let neighbour = place.neighbour().await;
    wait_during(&neighbour, place.add(task("a"))).await;
    assert!(neighbour.claim(&["qa"], "qa-2", LONG).await.unwrap().is_some());
}

async fn news_between_claim_and_wait_is_not_missed(place: Place) {
    let pulse = settled(&place.store).await;
    assert!(place.claim().await.is_none());
    place.add(task("a")).await;
    timeout(HANGS, place.store.wait_for_work(pulse, LONG)).await.expect("news");
}

async fn a_freed_dependent_is_news(place: Place) {
    place.add(task("a")).await;
    place.add(task_after("b", &["a"])).await;
    let lease = place.take().await;
    wait_during(&place.store, place.finish(&lease, Outcome::Completed)).await;
}

/// A wait may end early for no reason, but not every time.
async fn without_news_the_wait_ends_in_time(place: Place) {
    // Shorter than any interval at which an engine looks by itself.
    let short = Duration::from_millis(80);
    let one_lasts = async {
        loop {
            let (pulse, begun) = (place.store.pulse(), Instant::now());
            place.store.wait_for_work(pulse, short).await;
            if begun.elapsed() >= short {
                return;
            }
        }
    };
    timeout(HANGS, one_lasts).await.expect("a wait to last, and to end");
}
