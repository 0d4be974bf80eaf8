use domain::ports::TaskStore;
use domain::tasks::{Finish, Outcome, QueueLimit};

use crate::place::*;

scenarios![
    whoever_comes_back_from_the_dead_changes_nothing,
    a_late_holder_may_finish_until_its_task_is_freed,
    a_heartbeat_keeps_the_lease,
    the_watchdog_says_whose_task_it_freed,
    a_task_that_kills_its_holders_comes_to_an_end,
    tokens_only_grow,
    a_held_task_shows_its_holder,
];

async fn whoever_comes_back_from_the_dead_changes_nothing(place: Place) {
    place.add(task("a")).await;
    let (_, dead) = place.store.claim(&["qa"], "qa-1", NONE).await.unwrap().unwrap();
    place.store.expire(10).await.unwrap();
    let finish = Finish::from(Outcome::Completed);
    assert!(is_stale(place.store.finish(&dead, &finish).await));
    let (_, alive) = place.store.claim(&["qa"], "qa-2", LONG).await.unwrap().unwrap();
    assert!(is_stale(place.store.heartbeat(&dead, LONG).await));
    assert!(is_stale(place.store.finish(&dead, &finish).await));
    assert_eq!(place.stored("a").await.held.unwrap().holder, "qa-2");
    place.store.finish(&alive, &finish).await.unwrap();
    assert!(is_stale(place.store.finish(&alive, &finish).await));
}

async fn a_late_holder_may_finish_until_its_task_is_freed(place: Place) {
    place.add(task("a")).await;
    let (_, lease) = place.store.claim(&["qa"], "qa-1", NONE).await.unwrap().unwrap();
    place.finish(&lease, Outcome::Completed).await;
    assert_eq!(place.status("a").await, "completed");
    assert!(place.store.expire(10).await.unwrap().is_empty());
}

async fn a_heartbeat_keeps_the_lease(place: Place) {
    place.add(task("a")).await;
    let (_, lease) = place.store.claim(&["qa"], "qa-1", NONE).await.unwrap().unwrap();
    let until = place.store.heartbeat(&lease, LONG).await.unwrap();
    assert!(until > lease.expires_at());
    assert!(place.store.expire(10).await.unwrap().is_empty());
}

async fn the_watchdog_says_whose_task_it_freed(place: Place) {
    place.add(task("a")).await;
    place.add(task("b")).await;
    place.store.claim(&["qa"], "qa-1", NONE).await.unwrap();
    place.store.claim(&["qa"], "qa-2", LONG).await.unwrap();
    let freed = place.store.expire(10).await.unwrap();
    let freed: Vec<_> =
        freed.iter().map(|e| (e.task.as_str(), e.holder.as_str(), e.status.as_str())).collect();
    assert_eq!(freed, [("a", "qa-1", "pending")]);
    let stored = place.stored("a").await;
    assert_eq!((stored.task.retry_count, stored.reason.as_deref()), (1, Some("qa-1 stopped answering")));
    assert_eq!(place.story("a").await, ["added", "claimed", "lease_expired"]);
}

async fn a_task_that_kills_its_holders_comes_to_an_end(place: Place) {
    place.store.add(&[fragile(task("a"))], QueueLimit::Unlimited).await.unwrap();
    place.store.claim(&["qa"], "qa-1", NONE).await.unwrap();
    assert_eq!(place.store.expire(10).await.unwrap()[0].status.as_str(), "failed");
    assert!(place.claim().await.is_none());
}

async fn tokens_only_grow(place: Place) {
    place.add(task("a")).await;
    let mut last = 0;
    for outcome in [Outcome::Released, crash(), Outcome::Released] {
        let lease = place.take().await;
        assert!(lease.token() > last);
        last = lease.token();
        place.finish(&lease, outcome).await;
    }
}

async fn a_held_task_shows_its_holder(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    let held = place.stored("a").await.held.unwrap();
    assert_eq!((held.holder.as_str(), held.token, held.until), ("qa-1", lease.token(), lease.expires_at()));
    place.finish(&lease, Outcome::Released).await;
    assert_eq!(place.stored("a").await.held, None);
}
