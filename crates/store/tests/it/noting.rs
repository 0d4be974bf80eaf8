use domain::ports::TaskStore;
use domain::tasks::{Note, Outcome, QueueCounts, QueueLimit, Refusal, Task};

use crate::place::*;

scenarios![
    the_next_attempt_sees_a_note_and_the_log_says_whose_it_is,
    a_note_on_a_held_task_leaves_the_lease_alone,
    a_note_on_what_is_over_or_unknown_is_refused,
    more_notes_than_a_task_can_carry_are_refused,
    queues_are_counted_without_what_is_over,
];

fn note(text: &str) -> Note {
    Note::guidance("mia", text).unwrap()
}

async fn the_next_attempt_sees_a_note_and_the_log_says_whose_it_is(place: Place) {
    let earlier = vec!["first".to_owned()];
    place.add(Task { notes: earlier, ..task("a") }).await;
    place.store.add_note(&id("a"), &note("use the index"), "mia").await.unwrap();
    let (claimed, _) = place.claim().await.unwrap();
    assert_eq!(claimed.task.notes, ["first", "Guidance from mia: use the index"]);
    let events = place.store.events(&id("a")).await.unwrap();
    assert_eq!((events[1].kind.as_str(), events[1].actor.as_str()), ("note_added", "mia"));
    assert_eq!(events[1].detail["note"], "Guidance from mia: use the index");
}

async fn a_note_on_a_held_task_leaves_the_lease_alone(place: Place) {
    place.add(task("a")).await;
    let lease = place.take().await;
    place.store.add_note(&id("a"), &note("hurry"), "mia").await.unwrap();
    place.finish(&lease, crash()).await;
    let (claimed, _) = place.claim().await.unwrap();
    assert_eq!(claimed.task.notes, ["Guidance from mia: hurry"]);
}

async fn a_note_on_what_is_over_or_unknown_is_refused(place: Place) {
    place.add(task("done")).await;
    let lease = place.take().await;
    place.finish(&lease, Outcome::Completed).await;
    let over = refusal(place.store.add_note(&id("done"), &note("x"), "mia").await);
    assert!(matches!(&over, Refusal::Illegal(illegal) if illegal.status == "completed"), "{over:?}");
    let unknown = refusal(place.store.add_note(&id("nobody"), &note("x"), "mia").await);
    assert_eq!(unknown, Refusal::NotFound(id("nobody")));
    assert_eq!(place.story("done").await, ["added", "claimed", "completed"]);
}

async fn more_notes_than_a_task_can_carry_are_refused(place: Place) {
    place.add(Task { notes: vec![String::new(); 1000], ..task("a") }).await;
    let refused = refusal(place.store.add_note(&id("a"), &note("x"), "mia").await);
    assert!(matches!(&refused, Refusal::Invalid(invalid) if invalid.field == "notes"), "{refused:?}");
    assert_eq!(place.stored("a").await.task.notes.len(), 1000);
}

async fn queues_are_counted_without_what_is_over(place: Place) {
    let fragile: Vec<_> = ["fails", "completes", "held"].map(|name| fragile(task(name))).into();
    place.store.add(&fragile, QueueLimit::Unlimited).await.unwrap();
    let (fails, completes) = (place.take().await, place.take().await);
    place.finish(&fails, crash()).await;
    place.finish(&completes, Outcome::Completed).await;
    place.take().await;
    for name in ["one", "two"] {
        place.add(task(name)).await;
    }
    place.add(Task { assigned_to: "engineer".to_owned(), ..task("theirs") }).await;
    let counts = QueueCounts { pending: 2, in_progress: 1, failed: 1, escalated: 0 };
    assert_eq!(place.store.counts("qa").await.unwrap(), counts);
    assert_eq!(place.store.counts("nobody").await.unwrap(), QueueCounts::default());
    assert!(matches!(refusal(place.store.counts("a\0").await), Refusal::Invalid(_)));
}
