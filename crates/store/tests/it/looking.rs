use domain::cycle::TaskStatus;
use domain::ports::TaskStore;
use domain::tasks::{Cursor, Outcome, Refusal, Task, TaskFilter};

use crate::place::*;

scenarios![
    lists_are_paged_from_the_newest,
    lists_can_be_of_a_status_and_an_agent,
    pages_do_not_shift_when_tasks_come_in,
    events_tell_who_did_what_under_which_token,
    hostile_names_are_refused_and_not_passed_on,
];

async fn names(place: &Place, filter: &TaskFilter, after: Option<Cursor>) -> (Vec<String>, Option<Cursor>) {
    let page = place.store.list(filter, after, 2).await.unwrap();
    (page.tasks.iter().map(|stored| stored.task.id.to_string()).collect(), page.next)
}

async fn lists_are_paged_from_the_newest(place: Place) {
    for name in ["a", "b", "c", "d"] {
        place.add(task(name)).await;
    }
    let (first, next) = names(&place, &TaskFilter::default(), None).await;
    let (second, end) = names(&place, &TaskFilter::default(), next).await;
    assert_eq!((first, second, end), (vec!["d".into(), "c".into()], vec!["b".into(), "a".into()], None));
}

async fn lists_can_be_of_a_status_and_an_agent(place: Place) {
    for (name, agent) in [("a", "qa"), ("b", "engineer"), ("c", "qa")] {
        place.add(Task { assigned_to: agent.to_owned(), ..task(name) }).await;
    }
    let lease = place.take().await;
    place.finish(&lease, Outcome::Completed).await;
    let of = async |status, agent: Option<&str>| {
        names(&place, &TaskFilter { status, agent: agent.map(str::to_owned) }, None).await.0
    };
    assert_eq!(of(Some(TaskStatus::Pending), None).await, ["c", "b"]);
    assert_eq!(of(None, Some("qa")).await, ["c", "a"]);
    assert_eq!(of(Some(TaskStatus::Completed), Some("qa")).await, ["a"]);
    assert!(of(Some(TaskStatus::Failed), Some("qa")).await.is_empty());
}

async fn pages_do_not_shift_when_tasks_come_in(place: Place) {
    for name in ["a", "b", "c"] {
        place.add(task(name)).await;
    }
    let (_, next) = names(&place, &TaskFilter::default(), None).await;
    place.add(task("d")).await;
    assert_eq!(names(&place, &TaskFilter::default(), next).await.0, ["a"]);
}

async fn events_tell_who_did_what_under_which_token(place: Place) {
    place.add(Task { created_by: "mia".to_owned(), ..task("a") }).await;
    let lease = place.take().await;
    place.finish(&lease, crash()).await;
    let events = place.store.events(&id("a")).await.unwrap();
    let told: Vec<_> = events.iter().map(|e| (e.kind.as_str(), e.actor.as_str(), e.token)).collect();
    let token = Some(lease.token());
    assert_eq!(
        told,
        [("added", "mia", None), ("claimed", "qa-1", token), ("retry_scheduled", "qa-1", token)]
    );
    assert_eq!(events[2].detail["reason"], "it broke");
}

async fn hostile_names_are_refused_and_not_passed_on(place: Place) {
    let hostile = "a\0'; DROP TABLE tasks; --";
    let filter = TaskFilter { agent: Some(hostile.to_owned()), status: None };
    assert!(matches!(refusal(place.store.list(&filter, None, 2).await), Refusal::Invalid(_)));
    assert!(matches!(refusal(place.store.claim(&[hostile], "qa-1", LONG).await), Refusal::Invalid(_)));
    assert!(matches!(refusal(place.store.claim(&["qa"], hostile, LONG).await), Refusal::Invalid(_)));
    assert!(matches!(refusal(place.store.pause(hostile, "mia").await), Refusal::Invalid(_)));
    place.add(task("a")).await;
    place.store.cancel(&id("a"), hostile).await.unwrap();
    assert_eq!(place.story("a").await, ["added", "cancelled"]);
}
