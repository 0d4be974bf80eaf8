use domain::cycle::{self, Effect, Limits, Resolution};
use domain::ports::TaskStore;
use domain::tasks::{Added, Finish, NewTask, Outcome, QueueLimit, Refusal, Task};

use crate::place::*;

scenarios![
    giving_back_costs_nothing,
    what_is_postponed_costs_nothing_and_waits,
    a_crash_is_tried_again_until_the_limit,
    a_rejected_review_hands_on_to_one_fix_task,
    follow_ups_come_into_a_full_queue,
    a_follow_up_that_is_refused_leaves_the_task_held,
    a_review_ends_with_a_verdict,
    a_review_that_proves_nothing_is_made_again,
    the_last_rejection_goes_to_a_human,
    a_cancelled_task_is_lost_to_its_holder,
    what_is_over_takes_no_decision,
    nothing_is_decided_about_a_task_that_is_not_there,
];

fn review(name: &str) -> Task {
    Task { kind: "review".to_owned(), ..task(name) }
}

fn rejected() -> Outcome {
    Outcome::Reviewed(cycle::Outcome::Rejected)
}

async fn giving_back_costs_nothing(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    place.finish(&lease, Outcome::Released).await;
    let (again, _) = place.claim().await.unwrap();
    assert_eq!(again.task.retry_count, 0);
}

async fn what_is_postponed_costs_nothing_and_waits(place: Place) {
    for name in ["a", "b"] {
        place.add(task(name)).await;
    }
    let lease = place.take().await;
    place.finish(&lease, Outcome::Postponed { reason: "locked".to_owned(), wait: LONG }).await;
    let stored = place.stored("a").await;
    assert_eq!((stored.task.status.as_str(), stored.task.retry_count), ("pending", 0));
    assert_eq!(stored.reason.as_deref(), Some("locked"));
    assert_eq!(*place.take().await.task(), id("b"));
    assert!(place.claim().await.is_none());
    assert_eq!(place.story("a").await, ["added", "claimed", "released"]);
}

async fn a_crash_is_tried_again_until_the_limit(place: Place) {
    let limits = Limits { max_retries: 2, ..Limits::default() };
    let new = NewTask::new(task("a"), limits).unwrap();
    place.store.add(&[new], QueueLimit::Unlimited).await.unwrap();
    for _ in 0..3 {
        let lease = place.take().await;
        place.finish(&lease, crash()).await;
    }
    assert!(place.claim().await.is_none());
    let stored = place.stored("a").await;
    assert_eq!((stored.task.status.as_str(), stored.task.retry_count), ("failed", 2));
    assert!(stored.reason.unwrap().contains("it broke"));
}

async fn a_rejected_review_hands_on_to_one_fix_task(place: Place) {
    place.add(review("r1")).await;
    let lease = place.take().await;
    let fix = |name| {
        let task = Task { kind: "fix".to_owned(), assigned_to: "engineer".to_owned(), ..task(name) };
        new(task).once("fix of r1")
    };
    place.store.add(&[fix("f0")], QueueLimit::Unlimited).await.unwrap();
    let finish = Finish::from(rejected()).followed_by(fix("f1"));
    let finished = place.store.finish(&lease, &finish).await.unwrap();
    assert_eq!(finished.status.as_str(), "completed");
    assert!(finished.effects.iter().any(|effect| matches!(effect, Effect::QueueFixTask { .. })));
    assert_eq!(finished.follow_ups, [Added::AlreadyThere(id("f0"))]);
    assert_eq!(place.store.get(&id("f1")).await.unwrap(), None);
}

async fn follow_ups_come_into_a_full_queue(place: Place) {
    place.store.add(&[new(task("a"))], QueueLimit::AtMost(1)).await.unwrap();
    let lease = place.take().await;
    place.store.add(&[new(task("b"))], QueueLimit::AtMost(2)).await.unwrap();
    let finish = Finish::from(Outcome::Completed).followed_by(new(task("c"))).followed_by(new(task("d")));
    place.store.finish(&lease, &finish).await.unwrap();
    assert_eq!(place.status("d").await, "pending");
}

async fn a_follow_up_that_is_refused_leaves_the_task_held(place: Place) {
    place.add(task("a")).await;
    place.add(task("b")).await;
    let lease = place.take().await;
    let finish = Finish::from(Outcome::Completed).followed_by(new(task("b")));
    assert_eq!(refusal(place.store.finish(&lease, &finish).await), Refusal::Duplicate(id("b")));
    assert_eq!(place.status("a").await, "in_progress");
    place.finish(&lease, Outcome::Completed).await;
}

async fn a_review_ends_with_a_verdict(place: Place) {
    place.add(review("r")).await;
    let lease = place.take().await;
    let refused = place.store.finish(&lease, &Finish::from(Outcome::Completed)).await;
    assert!(matches!(refusal(refused), Refusal::Illegal(_)));
    place.finish(&lease, Outcome::Reviewed(cycle::Outcome::Passed)).await;
    assert_eq!(place.status("r").await, "completed");
}

async fn a_review_that_proves_nothing_is_made_again(place: Place) {
    place.add(review("r")).await;
    let lease = place.take().await;
    let verdict = cycle::Outcome::Inconclusive { reason: "cut off".to_owned() };
    place.finish(&lease, Outcome::Reviewed(verdict)).await;
    let stored = place.stored("r").await;
    assert_eq!((stored.task.status.as_str(), stored.reason.as_deref()), ("pending", Some("cut off")));
    assert_eq!(stored.task.retry_count, 0);
    assert!(stored.not_before.is_some());
}

async fn the_last_rejection_goes_to_a_human(place: Place) {
    let limits = Limits { max_review_cycles: 1, ..Limits::default() };
    let new = NewTask::new(review("r"), limits).unwrap();
    place.store.add(&[new], QueueLimit::Unlimited).await.unwrap();
    place.add(task_after("next", &["r"])).await;
    let lease = place.take().await;
    place.finish(&lease, rejected()).await;
    assert_eq!(place.status("r").await, "escalated");
    assert!(place.stored("next").await.blocked_because().unwrap().contains("escalated"));
    assert!(matches!(refusal(place.store.retry(&id("r"), "mia").await), Refusal::Illegal(_)));
    place.store.resolve(&id("r"), Resolution::Accept, &[], "mia").await.unwrap();
    assert_eq!(place.story("r").await, ["added", "claimed", "escalated", "completed"]);
    assert_eq!(*place.take().await.task(), id("next"));
}

async fn a_cancelled_task_is_lost_to_its_holder(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    place.store.cancel(&id("a"), "mia").await.unwrap();
    assert!(is_stale(place.store.heartbeat(&lease, LONG).await));
    assert!(is_stale(place.store.finish(&lease, &Finish::from(Outcome::Completed)).await));
    assert_eq!(place.status("a").await, "cancelled");
}

async fn what_is_over_takes_no_decision(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    place.finish(&lease, Outcome::Completed).await;
    assert!(matches!(refusal(place.store.cancel(&id("a"), "mia").await), Refusal::Illegal(_)));
    assert!(matches!(refusal(place.store.retry(&id("a"), "mia").await), Refusal::Illegal(_)));
}

async fn nothing_is_decided_about_a_task_that_is_not_there(place: Place) {
    assert_eq!(refusal(place.store.cancel(&id("ghost"), "mia").await), Refusal::NotFound(id("ghost")));
}
