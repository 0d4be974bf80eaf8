use domain::ports::TaskStore;
use domain::tasks::{Added, Outcome, QueueLimit, Refusal, Task};

use crate::place::*;

scenarios![
    a_task_comes_back_as_it_was_written,
    a_task_without_a_time_gets_that_of_the_store,
    an_id_is_taken_once,
    a_key_is_taken_once_under_its_first_id,
    a_full_queue_says_so_until_there_is_room,
    an_unknown_dependency_is_named_and_nothing_is_stored,
    tasks_that_wait_for_each_other_are_refused,
    a_task_that_waits_for_itself_is_refused,
    blocks_can_close_a_circle_too,
    tasks_added_together_may_depend_on_each_other,
];

async fn a_task_comes_back_as_it_was_written(place: Place) {
    let json = r##"{"id": "review-qa-1738588800000-a1b2c3", "type": "review", "status": "pending",
        "priority": 50, "created_by": "engineer-1", "assigned_to": "qa",
        "created_at": "2026-02-03T10:00:00.000Z", "title": "Review PR #456", "description": "a\u0000\u202eb",
        "depends_on": [], "blocks": [], "acceptance_criteria": ["All"], "deliverables": [], "notes": [],
        "context": {"pr_number": 456, "of our own": {"deep": [1.5, null]}}, "retry_count": 0, "plan": null,
        "unheard_of": ["kept", 9007199254740993]}"##;
    place.add(Task::parse(json).unwrap()).await;
    let stored = place.stored("review-qa-1738588800000-a1b2c3").await;
    let written: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_value(&stored.task).unwrap(), written);
}

async fn a_task_without_a_time_gets_that_of_the_store(place: Place) {
    let before = place.store.now().await.unwrap();
    place.add(task("a")).await;
    let created = place.stored("a").await.task.created_at;
    let at: jiff::Timestamp = created.parse().unwrap();
    assert!(at >= before && at <= place.store.now().await.unwrap(), "{created}");
    assert_eq!(created.len(), "2026-02-03T10:00:00.000Z".len());
}

async fn an_id_is_taken_once(place: Place) {
    place.add(task("a")).await;
    assert_eq!(refusal(place.try_add(task("a")).await), Refusal::Duplicate(id("a")));
    assert_eq!(place.story("a").await, ["added"]);
}

async fn a_key_is_taken_once_under_its_first_id(place: Place) {
    let add = async |name| {
        let added = place.store.add(&[new(task(name)).once("fix of review 7")], QueueLimit::Unlimited).await;
        added.unwrap().remove(0)
    };
    assert_eq!(add("a").await, Added::Created(id("a")));
    assert_eq!(add("b").await, Added::AlreadyThere(id("a")));
    assert_eq!(place.store.get(&id("b")).await.unwrap(), None);
}

async fn a_full_queue_says_so_until_there_is_room(place: Place) {
    let add = async |name| place.store.add(&[new(task(name))], QueueLimit::AtMost(2)).await;
    add("a").await.unwrap();
    add("b").await.unwrap();
    let full = Refusal::QueueFull { agent: "qa".to_owned(), limit: 2 };
    assert_eq!(refusal(add("c").await), full);
    let lease = place.take().await;
    assert_eq!(refusal(add("c").await), full);
    place.finish(&lease, Outcome::Completed).await;
    add("c").await.unwrap();
    let other = Task { assigned_to: "engineer".to_owned(), ..task("d") };
    place.store.add(&[new(other)], QueueLimit::AtMost(2)).await.unwrap();
}

async fn an_unknown_dependency_is_named_and_nothing_is_stored(place: Place) {
    let batch = [new(task("a")), new(task_after("b", &["a", "ghost"]))];
    let refused = refusal(place.store.add(&batch, QueueLimit::Unlimited).await);
    assert_eq!(refused, Refusal::UnknownDependency { task: id("b"), dependency: id("ghost") });
    assert_eq!(place.store.get(&id("a")).await.unwrap(), None);
    assert!(place.story("a").await.is_empty());
}

async fn tasks_that_wait_for_each_other_are_refused(place: Place) {
    let ring = [task_after("a", &["c"]), task_after("b", &["a"]), task_after("c", &["b"])].map(new);
    assert!(matches!(
        refusal(place.store.add(&ring, QueueLimit::Unlimited).await),
        Refusal::DependencyCycle(_)
    ));
}

async fn a_task_that_waits_for_itself_is_refused(place: Place) {
    assert_eq!(refusal(place.try_add(task_after("a", &["a"])).await), Refusal::DependencyCycle(id("a")));
}

async fn blocks_can_close_a_circle_too(place: Place) {
    place.add(task("a")).await;
    place.add(task_after("b", &["a"])).await;
    let closing = Task { blocks: vec![id("a")], ..task_after("c", &["b"]) };
    assert_eq!(refusal(place.try_add(closing).await), Refusal::DependencyCycle(id("c")));
    assert!(place.stored("a").await.waits_for.is_empty());
}

async fn tasks_added_together_may_depend_on_each_other(place: Place) {
    let batch = [new(task_after("late", &["early"])), new(task("early"))];
    place.store.add(&batch, QueueLimit::Unlimited).await.unwrap();
    assert_eq!(*place.take().await.task(), id("early"));
    assert!(place.claim().await.is_none());
}
