use domain::ports::TaskStore;
use domain::tasks::{Outcome, QueueLimit, Task};

use crate::place::*;

scenarios![
    the_most_urgent_comes_first_and_then_the_oldest,
    of_equal_priority_the_one_created_first_comes_first,
    several_queues_are_one_line,
    a_task_waits_for_all_its_dependencies,
    a_failed_dependency_is_named_and_retrying_it_frees,
    a_cancelled_dependency_is_in_the_way,
    blocking_is_depending_from_the_other_end,
    blocking_works_for_a_task_that_is_yet_to_come,
    what_has_begun_is_not_blocked_any_more,
    a_backoff_is_waited_for,
    a_paused_queue_gives_nothing,
    a_paused_holder_gets_nothing,
    one_task_is_claimed_by_its_id_and_by_one_holder,
];

async fn the_most_urgent_comes_first_and_then_the_oldest(place: Place) {
    for (name, priority) in [("old", 50), ("young", 50), ("urgent", 1), ("idle", 100)] {
        place.add(Task { priority, ..task(name) }).await;
    }
    for expected in ["urgent", "old", "young", "idle"] {
        assert_eq!(*place.take().await.task(), id(expected));
    }
    assert!(place.claim().await.is_none());
}

async fn of_equal_priority_the_one_created_first_comes_first(place: Place) {
    for (name, created_at) in
        [("late", "2026-02-03T12:00:00+01:00"), ("early", "2026-02-03T10:00:00Z"), ("now", "")]
    {
        place.add(Task { created_at: created_at.to_owned(), ..task(name) }).await;
    }
    place.add(Task { priority: 1, ..task("urgent") }).await;
    for expected in ["urgent", "early", "late", "now"] {
        assert_eq!(*place.take().await.task(), id(expected));
    }
}

async fn several_queues_are_one_line(place: Place) {
    for (name, agent, priority) in
        [("a", "qa", 9), ("b", "engineer", 2), ("c", "architect", 1), ("d", "qa", 3)]
    {
        place.add(Task { priority, assigned_to: agent.to_owned(), ..task(name) }).await;
    }
    let mut order = Vec::new();
    while let Some((claimed, _)) = place.store.claim(&["qa", "engineer"], "any", LONG).await.unwrap() {
        order.push(claimed.task.id);
    }
    assert_eq!(order, ["b", "d", "a"].map(id));
    assert!(place.store.claim(&[], "any", LONG).await.unwrap().is_none());
}

async fn a_task_waits_for_all_its_dependencies(place: Place) {
    for first in ["a", "b"] {
        place.add(task(first)).await;
    }
    place.add(Task { priority: 1, ..task_after("last", &["a", "b"]) }).await;
    let (a, b) = (place.take().await, place.take().await);
    place.finish(&a, Outcome::Completed).await;
    assert!(place.claim().await.is_none());
    assert_eq!(place.stored("last").await.waits_for.len(), 1);
    place.finish(&b, Outcome::Completed).await;
    assert_eq!(*place.take().await.task(), id("last"));
    place.add(task_after("after", &["a"])).await;
    assert_eq!(*place.take().await.task(), id("after"));
}

async fn a_failed_dependency_is_named_and_retrying_it_frees(place: Place) {
    place.store.add(&[fragile(task("a"))], QueueLimit::Unlimited).await.unwrap();
    place.add(task_after("b", &["a"])).await;
    let lease = place.take().await;
    place.finish(&lease, crash()).await;
    assert_eq!(place.status("a").await, "failed");
    assert_eq!(place.stored("b").await.blocked_because().as_deref(), Some("its dependency a has failed"));
    assert!(place.claim().await.is_none());
    place.store.retry(&id("a"), "mia").await.unwrap();
    assert_eq!(place.stored("b").await.blocked_because(), None);
    let lease = place.take().await;
    place.finish(&lease, Outcome::Completed).await;
    assert_eq!(*place.take().await.task(), id("b"));
}

async fn a_cancelled_dependency_is_in_the_way(place: Place) {
    place.add(task("a")).await;
    place.add(task_after("b", &["a"])).await;
    place.store.cancel(&id("a"), "mia").await.unwrap();
    assert_eq!(place.stored("b").await.blocked_because().as_deref(), Some("its dependency a was cancelled"));
    assert!(place.claim().await.is_none());
}

async fn blocking_is_depending_from_the_other_end(place: Place) {
    place.add(task("later")).await;
    place.add(Task { blocks: vec![id("later")], ..task("first") }).await;
    let lease = place.take().await;
    assert_eq!(*lease.task(), id("first"));
    assert!(place.claim().await.is_none());
    place.finish(&lease, Outcome::Completed).await;
    assert_eq!(*place.take().await.task(), id("later"));
}

async fn blocking_works_for_a_task_that_is_yet_to_come(place: Place) {
    place.add(Task { blocks: vec![id("later")], ..task("first") }).await;
    place.add(Task { priority: 1, ..task_after("later", &["first"]) }).await;
    let lease = place.take().await;
    assert_eq!(*lease.task(), id("first"));
    place.finish(&lease, Outcome::Completed).await;
    assert_eq!(*place.take().await.task(), id("later"));
}

async fn what_has_begun_is_not_blocked_any_more(place: Place) {
    place.add(task("busy")).await;
    let lease = place.take().await;
    place.add(Task { blocks: vec![id("busy")], ..task("late") }).await;
    place.finish(&lease, Outcome::Released).await;
    assert_eq!(*place.take().await.task(), id("busy"));
}

async fn a_backoff_is_waited_for(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    place.finish(&lease, Outcome::Failed { reason: "x".to_owned(), retry_after: Some(LONG) }).await;
    assert!(place.claim().await.is_none());
    assert!(place.stored("a").await.not_before.is_some());
    place.execute("UPDATE tasks SET not_before = not_before - 3600000").await;
    assert_eq!(place.claim().await.unwrap().0.task.retry_count, 1);
}

async fn a_paused_queue_gives_nothing(place: Place) {
    place.add(task("a")).await;
    place.store.pause("qa", "mia").await.unwrap();
    place.store.pause("qa", "mia").await.unwrap();
    assert_eq!(place.store.paused().await.unwrap(), ["qa"]);
    assert!(place.claim().await.is_none());
    assert!(place.store.claim(&["qa", "engineer"], "qa-1", LONG).await.unwrap().is_none());
    place.store.resume("qa", "mia").await.unwrap();
    place.take().await;
}

async fn a_paused_holder_gets_nothing(place: Place) {
    place.add(task("a")).await;
    place.store.pause("qa-1", "mia").await.unwrap();
    assert!(place.claim().await.is_none());
    assert!(place.store.claim(&["qa"], "qa-2", LONG).await.unwrap().is_some());
}

async fn one_task_is_claimed_by_its_id_and_by_one_holder(place: Place) {
    for name in ["urgent", "wanted"] {
        place.add(Task { priority: if name == "urgent" { 1 } else { 99 }, ..task(name) }).await;
    }
    place.add(task_after("later", &["urgent"])).await;
    let claim = async |name: &str| place.store.claim_task(&id(name), "me", LONG).await.unwrap();
    let (claimed, lease) = claim("wanted").await.unwrap();
    assert_eq!((claimed.task.id, lease.holder()), (id("wanted"), "me"));
    assert!(claim("wanted").await.is_none(), "it is held");
    assert!(claim("later").await.is_none(), "it waits for another");
    assert!(claim("nobody-knows").await.is_none());
    place.finish(&lease, Outcome::Completed).await;
    assert_eq!(place.stored("wanted").await.task.status.as_str(), "completed");
    place.store.pause("qa", "mia").await.unwrap();
    assert!(claim("urgent").await.is_none(), "its queue is paused");
}
