use std::time::{Duration, Instant};

use domain::ports::{Pulse, TaskStore};
use domain::tasks::Outcome;
use store::Store;

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

/// How long a wait takes during which `news` happens.
async fn wait_during(store: &Store, news: impl Future<Output = ()>) -> Duration {
    let pulse = settled(store).await;
    let waits = async {
        let begun = Instant::now();
        store.wait_for_work(pulse, Duration::from_secs(20)).await;
        begun.elapsed()
    };
    let later = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        news.await;
    };
    tokio::join!(waits, later).0
}

async fn news_of_this_process_ends_the_wait(place: Place) {
    let waited = wait_during(&place.store, place.add(task("a"))).await;
    assert!(waited < Duration::from_secs(2), "{waited:?}");
}

async fn news_of_another_process_ends_the_wait(place: Place) {
    let neighbour = place.neighbour().await;
    let waited = wait_during(&neighbour, place.add(task("a"))).await;
    assert!(waited < Duration::from_secs(2), "{waited:?}");
    assert!(neighbour.claim(&["qa"], "qa-2", LONG).await.unwrap().is_some());
}

async fn news_between_claim_and_wait_is_not_missed(place: Place) {
    let pulse = settled(&place.store).await;
    assert!(place.claim().await.is_none());
    place.add(task("a")).await;
    let begun = Instant::now();
    place.store.wait_for_work(pulse, Duration::from_secs(20)).await;
    assert!(begun.elapsed() < Duration::from_secs(2));
}

async fn a_freed_dependent_is_news(place: Place) {
    place.add(task("a")).await;
    place.add(task_after("b", &["a"])).await;
    let lease = place.take().await;
    let waited = wait_during(&place.store, place.finish(&lease, Outcome::Completed)).await;
    assert!(waited < Duration::from_secs(2), "{waited:?}");
}

async fn without_news_the_wait_ends_in_time(place: Place) {
    let pulse = settled(&place.store).await;
    let begun = Instant::now();
    // Shorter than any interval at which an engine looks by itself.
    place.store.wait_for_work(pulse, Duration::from_millis(80)).await;
    assert!(begun.elapsed() >= Duration::from_millis(75));
    assert!(begun.elapsed() < Duration::from_secs(5));
}
