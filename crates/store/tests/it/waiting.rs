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
    a_backoff_that_begins_is_news,
    the_end_of_the_next_backoff_is_known,
    what_a_pause_or_a_dependency_holds_up_is_not_due,
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

fn fails_for(wait: Duration) -> Outcome {
    Outcome::Failed { reason: "it broke".to_owned(), retry_after: Some(wait) }
}

async fn due(place: &Place) -> Option<Duration> {
    place.store.next_due(&["qa", "engineer"], "qa-1").await.unwrap()
}

async fn a_backoff_that_begins_is_news(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    let pulse = place.store.pulse();
    place.finish(&lease, fails_for(LONG)).await;
    assert_ne!(place.store.pulse(), pulse);
}

async fn the_end_of_the_next_backoff_is_known(place: Place) {
    assert_eq!(due(&place).await, None);
    for name in ["a", "b"] {
        place.add(task(name)).await;
    }
    assert_eq!(due(&place).await, Some(NONE));
    let (a, b) = (place.take().await, place.take().await);
    assert_eq!(due(&place).await, None);
    place.finish(&a, fails_for(LONG)).await;
    let first = due(&place).await.unwrap();
    assert!(first <= LONG && first > LONG / 2, "{first:?}");
    place.finish(&b, fails_for(LONG / 4)).await;
    assert!(due(&place).await.unwrap() <= LONG / 4);
    assert_eq!(place.store.next_due(&["architect"], "qa-1").await.unwrap(), None);
    assert_eq!(place.store.next_due(&[], "qa-1").await.unwrap(), None);
}

async fn what_a_pause_or_a_dependency_holds_up_is_not_due(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    place.add(task_after("b", &["a"])).await;
    assert_eq!(due(&place).await, None);
    place.finish(&lease, Outcome::Completed).await;
    assert_eq!(due(&place).await, Some(NONE));
    for paused in ["qa", "qa-1"] {
        place.store.pause(paused, "mia").await.unwrap();
        assert_eq!(due(&place).await, None);
        place.store.resume(paused, "mia").await.unwrap();
    }
    assert_eq!(due(&place).await, Some(NONE));
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
