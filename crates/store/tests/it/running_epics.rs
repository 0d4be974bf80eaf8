//! Runs of epics: kept whole, changed by whoever took them last, and told of in the log.

use domain::change::Oid;
use domain::cycle::{Cycle, Event, Limits, ReviewMode};
use domain::epic::TicketId;
use domain::epic::run::{
    BranchWatch, EpicKey, EpicOrder, EpicRun, Logged, Merging, StoredEpic, TicketOrder, TicketRun,
};
use domain::ports::{Delivery, EpicError, EpicStore, TaskStore};
use jiff::Timestamp;
use store::Store;

use crate::place::*;

scenarios![
    a_run_is_read_back_as_it_was_begun,
    a_ticket_is_stored_over_the_version_before_it,
    of_two_who_change_a_ticket_one_is_refused,
    tickets_are_stored_together_or_not_at_all,
    whoever_was_superseded_changes_nothing,
    a_run_that_begins_anew_replaces_the_old_one_and_its_holder,
    epics_of_other_repositories_are_others,
    what_happened_is_in_the_log_and_in_the_outbox,
    many_tickets_are_saved_at_once_and_none_is_lost,
    large_and_odd_texts_are_kept_whole,
    failed_tickets_are_found_wherever_they_are,
];

fn ticket_id(name: &str) -> TicketId {
    TicketId::parse(name).unwrap()
}

fn key() -> EpicKey {
    EpicKey { repository: "/srv/shop/.git".to_owned(), id: ticket_id("login") }
}

fn oid(digit: char) -> Oid {
    Oid::parse(&digit.to_string().repeat(40)).unwrap()
}

fn stored(names: &[&str]) -> StoredEpic {
    let now = Timestamp::from_second(1_700_000_000).unwrap();
    let tickets = names.iter().map(|name| TicketOrder {
        id: ticket_id(name),
        path: format!("{name}.md"),
        text: "# T\n".to_owned(),
    });
    let order = EpicOrder {
        id: ticket_id("login"),
        file: "/srv/shop/epic.yaml".to_owned(),
        path: "epic.yaml".to_owned(),
        text: "id: login\n".to_owned(),
        tickets: tickets.collect(),
        base_branch: "main".to_owned(),
        base_commit: oid('a'),
        branch: "epic/login".to_owned(),
        builder: "engineer".to_owned(),
        reviewer: "rules".to_owned(),
        parallel: 2,
        merging: Merging::ByHand,
    };
    let run = EpicRun {
        version: 1,
        order,
        started_at: now,
        resumed_at: now,
        finished_at: None,
        stopped: None,
        epic_commit: oid('a'),
        watch: BranchWatch::default(),
        remarks: Vec::new(),
    };
    let cycle = || Cycle::ticket(ReviewMode::On, Limits::default()).unwrap();
    StoredEpic { run, tickets: names.iter().map(|name| TicketRun::new(ticket_id(name), cycle())).collect() }
}

/// The ticket after it was queued, as the next version.
fn queued(ticket: &TicketRun) -> TicketRun {
    let mut next = ticket.clone();
    next.cycle = next.cycle.apply(&Event::Enqueue).unwrap().0;
    next.log.push(Logged { at: Timestamp::from_second(1_700_000_001).unwrap(), event: Event::Enqueue });
    next.version += 1;
    next
}

async fn read(store: &Store) -> StoredEpic {
    store.epic(&key()).await.unwrap().expect("a stored run")
}

async fn a_run_is_read_back_as_it_was_begun(place: Place) {
    let begun = stored(&["b", "a"]);
    assert_eq!(place.store.epic(&key()).await.unwrap(), None);
    place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    assert_eq!(read(&place.store).await, begun);
    assert_eq!(place.neighbour().await.epics("/srv/shop/.git").await.unwrap(), [begun]);
}

async fn a_ticket_is_stored_over_the_version_before_it(place: Place) {
    let begun = stored(&["a", "b"]);
    let hold = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    let next = queued(&begun.tickets[1]);
    place.store.save_ticket(&hold, &next, "enqueue").await.unwrap();
    let mut run = begun.run.clone();
    run.remark("odd".to_owned());
    place.store.save_epic(&hold, &run, "noted").await.unwrap();
    let found = read(&place.store).await;
    assert_eq!((found.run, &found.tickets[0], &found.tickets[1]), (run, &begun.tickets[0], &next));
}

async fn of_two_who_change_a_ticket_one_is_refused(place: Place) {
    let begun = stored(&["a"]);
    let hold = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    let next = queued(&begun.tickets[0]);
    let saves = (0..8).map(|_| place.store.save_ticket(&hold, &next, "enqueue"));
    let mut stored = 0;
    for save in saves {
        match save.await {
            Ok(()) => stored += 1,
            Err(EpicError::Outdated(id)) => assert_eq!(id, next.id),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(stored, 1);
}

async fn tickets_are_stored_together_or_not_at_all(place: Place) {
    let begun = stored(&["a", "b"]);
    let hold = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    let (a, b) = (queued(&begun.tickets[0]), queued(&begun.tickets[1]));
    let refused = place.store.save_tickets(&hold, &[(&a, "enqueue"), (&begun.tickets[1], "enqueue")]).await;
    assert!(matches!(refused, Err(EpicError::Outdated(id)) if id == b.id));
    assert_eq!(read(&place.store).await.tickets, begun.tickets);
    place.store.save_tickets(&hold, &[(&a, "enqueue"), (&b, "enqueue")]).await.unwrap();
    assert_eq!(read(&place.store).await.tickets, [a, b]);
    let events = place.store.epic_events(&key()).await.unwrap();
    assert_eq!(events.len(), 3, "one for each, and one for the beginning");
}

async fn whoever_was_superseded_changes_nothing(place: Place) {
    let begun = stored(&["a"]);
    let old = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    let other = place.neighbour().await;
    let (new, found) = other.take_epic(&key(), "mia").await.unwrap().expect("a run to take");
    assert!(new.token > old.token && found == begun);
    let next = queued(&begun.tickets[0]);
    let refused = place.store.save_ticket(&old, &next, "enqueue").await;
    assert!(matches!(refused, Err(EpicError::Superseded(_))), "{refused:?}");
    let refused = place.store.save_epic(&old, &begun.run, "noted").await;
    assert!(matches!(refused, Err(EpicError::Superseded(_))), "{refused:?}");
    assert_eq!(read(&place.store).await, begun);
    other.save_ticket(&new, &next, "enqueue").await.unwrap();
}

async fn a_run_that_begins_anew_replaces_the_old_one_and_its_holder(place: Place) {
    let old = place.store.begin_epic(&key(), &stored(&["a", "b"]), "ada").await.unwrap();
    let anew = stored(&["c"]);
    let hold = place.store.begin_epic(&key(), &anew, "ada").await.unwrap();
    assert!(hold.token > old.token);
    assert_eq!(read(&place.store).await, anew);
    let refused = place.store.save_ticket(&old, &queued(&anew.tickets[0]), "enqueue").await;
    assert!(matches!(refused, Err(EpicError::Superseded(_))), "{refused:?}");
}

async fn epics_of_other_repositories_are_others(place: Place) {
    place.store.begin_epic(&key(), &stored(&["a"]), "ada").await.unwrap();
    let elsewhere = EpicKey { repository: "/srv/other/.git".to_owned(), ..key() };
    assert_eq!(place.store.epic(&elsewhere).await.unwrap(), None);
    assert!(place.store.take_epic(&elsewhere, "mia").await.unwrap().is_none());
    place.store.begin_epic(&elsewhere, &stored(&["b"]), "mia").await.unwrap();
    assert_eq!(read(&place.store).await, stored(&["a"]));
}

async fn what_happened_is_in_the_log_and_in_the_outbox(place: Place) {
    place.store.outbox_register("reader").await.unwrap();
    let begun = stored(&["a"]);
    let hold = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    place.store.save_ticket(&hold, &queued(&begun.tickets[0]), "enqueue").await.unwrap();
    let events = place.store.epic_events(&key()).await.unwrap();
    let told: Vec<_> = events.iter().map(|event| (event.kind.as_str(), event.actor.as_str())).collect();
    assert_eq!(told, [("epic_changed", "ada"), ("ticket_changed", "ada")]);
    assert_eq!(events[1].detail["ticket"], "a");
    assert_eq!(events[1].detail["status"], "queued");
    assert_eq!(events[1].token, Some(hold.token));
    match place.store.outbox_take("reader", 10, LONG).await.unwrap() {
        Delivery::Entries(entries) => assert_eq!(entries.len(), 2),
        Delivery::NotRegistered => panic!("the reader is registered"),
    }
}

async fn many_tickets_are_saved_at_once_and_none_is_lost(place: Place) {
    let names: Vec<String> = (0..40).map(|number| format!("t{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let begun = stored(&names);
    let hold = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    let mut saves = Vec::new();
    for ticket in &begun.tickets {
        let (store, hold, next) = (place.store.clone(), hold.clone(), queued(ticket));
        saves.push(tokio::spawn(async move { store.save_ticket(&hold, &next, "enqueue").await }));
    }
    for save in saves {
        within_a_minute(save).await.unwrap().unwrap();
    }
    let found = read(&place.store).await;
    assert!(found.tickets.iter().all(|ticket| ticket.version == 1 && ticket.status().as_str() == "queued"));
    assert_eq!(place.store.epic_events(&key()).await.unwrap().len(), 41);
}

async fn large_and_odd_texts_are_kept_whole(place: Place) {
    let mut begun = stored(&["a"]);
    begun.run.order.text = "\u{0}\u{1f600}\t'; DROP TABLE epics; --\n".repeat(20_000);
    place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    assert_eq!(read(&place.store).await, begun);
}

async fn failed_tickets_are_found_wherever_they_are(place: Place) {
    let begun = stored(&["a", "b"]);
    let hold = place.store.begin_epic(&key(), &begun, "ada").await.unwrap();
    assert_eq!(place.store.failed_tickets(10).await.unwrap(), []);
    let mut failed = queued(&begun.tickets[1]);
    let crash = Event::ExecutionFailed { reason: "it broke".to_owned() };
    failed.cycle = failed.cycle.apply(&Event::Start).unwrap().0;
    while failed.status().as_str() != "failed" {
        failed.cycle = failed.cycle.apply(&crash).unwrap().0;
    }
    place.store.save_ticket(&hold, &failed, "execution_failed").await.unwrap();
    let found = place.neighbour().await.failed_tickets(10).await.unwrap();
    assert_eq!((found.len(), &found[0].ticket, &found[0].epic), (1, &failed, &key()));
    assert_eq!((found[0].title.as_str(), found[0].builder.as_str()), ("T", "engineer"));
}
