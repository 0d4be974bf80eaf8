use std::collections::BTreeSet;
use std::time::Duration;

use domain::ports::{Delivery, OutboxEntry, Registered, TaskStore};
use domain::tasks::{Refusal, TaskFilter, TaskId};
use store::Store;

use crate::place::*;

scenarios![
    what_nobody_acknowledged_is_delivered_again,
    every_reader_gets_every_event_and_acknowledges_for_itself,
    a_reader_gets_what_happens_after_it_registered,
    nobody_registers_twice,
    whoever_is_not_registered_is_told_so,
    a_reader_that_stays_away_is_dropped_with_what_was_kept_for_it,
    a_reader_that_comes_back_in_time_is_kept,
    two_of_one_name_share_what_there_is,
    nothing_is_missed_between_registering_and_looking_up,
    readers_have_harmless_names,
];

async fn take(store: &Store, reader: &str, visibility: Duration) -> Vec<OutboxEntry> {
    match store.outbox_take(reader, 1000, visibility).await.unwrap() {
        Delivery::Entries(entries) => entries,
        Delivery::NotRegistered => panic!("{reader} is not registered"),
    }
}

fn tasks(entries: &[OutboxEntry]) -> Vec<TaskId> {
    entries.iter().filter_map(|entry| entry.event.task.clone()).collect()
}

async fn what_nobody_acknowledged_is_delivered_again(place: Place) {
    place.store.outbox_register("mail").await.unwrap();
    place.add(task("a")).await;
    place.add(task("b")).await;
    let first = take(&place.store, "mail", NONE).await;
    assert_eq!(tasks(&first), ["a", "b"].map(id));
    assert_eq!(take(&place.store, "mail", LONG).await, first);
    assert_eq!(take(&place.store, "mail", LONG).await, []);
    place.store.outbox_ack("mail", &first).await.unwrap();
    place.claim().await.unwrap();
    assert_eq!(take(&place.store, "mail", NONE).await.len(), 1);
}

async fn every_reader_gets_every_event_and_acknowledges_for_itself(place: Place) {
    for reader in ["mail", "hook"] {
        place.store.outbox_register(reader).await.unwrap();
    }
    place.add(task("a")).await;
    let told = take(&place.store, "mail", NONE).await;
    place.store.outbox_ack("mail", &told).await.unwrap();
    assert_eq!(take(&place.store, "mail", NONE).await, []);
    assert_eq!(take(&place.store, "hook", NONE).await, told);
    assert_eq!(place.story("a").await, ["added"]);
}

async fn a_reader_gets_what_happens_after_it_registered(place: Place) {
    place.add(task("before")).await;
    place.store.outbox_register("mail").await.unwrap();
    assert_eq!(take(&place.store, "mail", NONE).await, []);
    place.add(task("after")).await;
    assert_eq!(tasks(&take(&place.store, "mail", NONE).await), [id("after")]);
}

async fn nobody_registers_twice(place: Place) {
    assert_eq!(place.store.outbox_register("mail").await.unwrap(), Registered::Anew);
    assert_eq!(place.store.outbox_register("mail").await.unwrap(), Registered::Already);
    place.add(task("a")).await;
    assert_eq!(take(&place.store, "mail", NONE).await.len(), 1);
}

async fn whoever_is_not_registered_is_told_so(place: Place) {
    place.add(task("a")).await;
    let delivery = place.store.outbox_take("mail", 10, NONE).await.unwrap();
    assert_eq!(delivery, Delivery::NotRegistered);
}

const TWO_DAYS: &str = "UPDATE outbox_readers SET last_seen = last_seen - 172800000 WHERE name = 'mail'";

async fn a_reader_that_stays_away_is_dropped_with_what_was_kept_for_it(place: Place) {
    for reader in ["mail", "hook"] {
        place.store.outbox_register(reader).await.unwrap();
    }
    place.add(task("a")).await;
    place.execute(TWO_DAYS).await;
    place.store.expire(10).await.unwrap();
    assert_eq!(place.store.outbox_take("mail", 10, NONE).await.unwrap(), Delivery::NotRegistered);
    assert_eq!(take(&place.store, "hook", NONE).await.len(), 1);
    assert_eq!(place.store.outbox_register("mail").await.unwrap(), Registered::Anew);
    assert_eq!(take(&place.store, "mail", NONE).await, []);
}

async fn a_reader_that_comes_back_in_time_is_kept(place: Place) {
    place.store.outbox_register("mail").await.unwrap();
    place.execute(TWO_DAYS).await;
    assert_eq!(take(&place.store, "mail", NONE).await, []);
    place.store.expire(10).await.unwrap();
    assert_eq!(take(&place.store, "mail", NONE).await, []);
}

async fn two_of_one_name_share_what_there_is(place: Place) {
    place.store.outbox_register("mail").await.unwrap();
    for number in 0..50 {
        place.add(task(&format!("t{number}"))).await;
    }
    let neighbour = place.neighbour().await;
    let drain = async |store: &Store| {
        let mut got = Vec::new();
        loop {
            match store.outbox_take("mail", 3, LONG).await.unwrap() {
                Delivery::Entries(entries) if entries.is_empty() => return got,
                Delivery::Entries(entries) => got.extend(tasks(&entries)),
                Delivery::NotRegistered => panic!("not registered"),
            }
        }
    };
    let (mut got, more) = tokio::join!(drain(&place.store), drain(&neighbour));
    got.extend(more);
    got.extend(tasks(&take(&place.store, "mail", LONG).await));
    assert_eq!((got.len(), got.into_iter().collect::<BTreeSet<_>>().len()), (50, 50));
}

/// Each task is there when the reader looks, or is delivered to it.
async fn nothing_is_missed_between_registering_and_looking_up(place: Place) {
    for round in 0..10 {
        let reader = format!("mail{round}");
        let adders: Vec<_> = (0..4)
            .map(|number| {
                let (store, new) = (place.store.clone(), new(task(&format!("t{round}.{number}"))));
                tokio::spawn(async move {
                    store.add(&[new], domain::tasks::QueueLimit::Unlimited).await.unwrap();
                })
            })
            .collect();
        place.store.outbox_register(&reader).await.unwrap();
        let page = place.store.list(&TaskFilter::default(), None, 1000).await.unwrap();
        let mut known: BTreeSet<TaskId> = page.tasks.into_iter().map(|stored| stored.task.id).collect();
        for adder in adders {
            adder.await.unwrap();
        }
        known.extend(tasks(&take(&place.store, &reader, NONE).await));
        assert_eq!(known.len(), 4 * (round + 1));
    }
}

async fn readers_have_harmless_names(place: Place) {
    let hostile = place.store.outbox_register("a'; DROP TABLE outbox; --").await;
    assert!(matches!(refusal(hostile), Refusal::Invalid(_)));
}
