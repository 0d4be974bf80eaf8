use std::collections::BTreeSet;

use domain::cycle::TaskStatus;
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Added, Finish, NewTask, Outcome, QueueLimit, Refusal, TaskFilter};
use store::Store;

use crate::place::*;

scenarios![
    eight_workers_do_two_hundred_tasks_once_each,
    a_key_is_taken_once_by_many_at_a_time,
    dependencies_that_complete_together_free_their_dependent,
    a_dependency_that_completes_while_others_come_in_is_noticed,
    everything_at_once_leaves_no_loose_ends,
];

async fn eight_workers_do_two_hundred_tasks_once_each(place: Place) {
    let tasks: Vec<NewTask> = (0..200).map(|n| new(task(&format!("t{n}")))).collect();
    place.store.add(&tasks, QueueLimit::Unlimited).await.unwrap();
    let neighbour = place.neighbour().await;
    let mut workers = Vec::new();
    for number in 0..8 {
        let store = if number % 2 == 0 { place.store.clone() } else { neighbour.clone() };
        workers.push(tokio::spawn(async move {
            let (holder, mut done) = (format!("qa-{number}"), Vec::new());
            while let Some((_, lease)) = store.claim(&["qa"], &holder, LONG).await.unwrap() {
                store.finish(&lease, &Finish::from(Outcome::Completed)).await.unwrap();
                done.push(lease.task().clone());
            }
            done
        }));
    }
    let mut done = Vec::new();
    for worker in workers {
        done.extend(worker.await.unwrap());
    }
    assert_eq!(done.len(), 200);
    assert_eq!(done.iter().collect::<BTreeSet<_>>().len(), 200);
    assert_eq!(place.story("t0").await, ["added", "claimed", "completed"]);
}

async fn a_key_is_taken_once_by_many_at_a_time(place: Place) {
    let mut adders = Vec::new();
    for number in 0..8 {
        let store = place.store.clone();
        adders.push(tokio::spawn(async move {
            let new = new(task(&format!("t{number}"))).once("only one");
            store.add(&[new], QueueLimit::Unlimited).await.unwrap().remove(0)
        }));
    }
    let mut created = 0;
    for adder in adders {
        created += usize::from(matches!(adder.await.unwrap(), Added::Created(_)));
    }
    assert_eq!(created, 1);
}

async fn dependencies_that_complete_together_free_their_dependent(place: Place) {
    let names: Vec<String> = (0..8).map(|n| format!("d{n}")).collect();
    for name in &names {
        place.add(task(name)).await;
    }
    let after: Vec<&str> = names.iter().map(String::as_str).collect();
    place.add(task_after("last", &after)).await;
    let mut workers = Vec::new();
    for _ in &names {
        let (store, lease) = (place.store.clone(), place.take().await);
        workers.push(tokio::spawn(async move {
            store.finish(&lease, &Finish::from(Outcome::Completed)).await.unwrap();
        }));
    }
    for worker in workers {
        worker.await.unwrap();
    }
    assert_eq!(*place.take().await.task(), id("last"));
}

async fn a_dependency_that_completes_while_others_come_in_is_noticed(place: Place) {
    for round in 0..20 {
        let first = format!("first{round}");
        place.add(task(&first)).await;
        let lease = place.take().await;
        let add = place.add(task_after(&format!("then{round}"), &[&first]));
        tokio::join!(place.finish(&lease, Outcome::Completed), add);
        let lease = place.take().await;
        assert_eq!(*lease.task(), id(&format!("then{round}")));
        place.finish(&lease, Outcome::Completed).await;
    }
}

/// Adds tasks that depend on others and block others, works some off, cancels some, and trips over nobody.
async fn mix(store: Store, worker: usize) {
    let holder = format!("qa-{worker}");
    for round in 0..15 {
        let name = |worker: usize, round: usize| format!("w{}.{round}", worker % 6);
        let mut mixed = task(&name(worker, round));
        let others = [name(worker + 1, round.saturating_sub(1)), name(worker + 2, round / 2)];
        let mut known = Vec::new();
        for other in others.iter().map(|other| id(other)) {
            known.extend(store.get(&other).await.unwrap().map(|_| other));
        }
        known.dedup();
        (mixed.depends_on, mixed.blocks) = (known, vec![id(&name(worker + 3, round + 1))]);
        let added = store.add(&[new(mixed)], QueueLimit::Unlimited).await;
        assert!(matches!(added, Ok(_) | Err(StoreError::Refused(Refusal::DependencyCycle(_)))), "{added:?}");
        if let Some((claimed, lease)) = store.claim(&["qa"], &holder, LONG).await.unwrap() {
            let follow_up = new(task(&format!("f.{}", claimed.task.id)));
            let finish = match claimed.task.id.as_str().starts_with("f.") {
                true => Finish::from(Outcome::Completed),
                false => Finish::from(Outcome::Completed).followed_by(follow_up),
            };
            let finished = store.finish(&lease, &finish).await;
            assert!(!matches!(finished, Err(StoreError::Unavailable { .. })), "{finished:?}");
        }
        if round % 7 == 6 {
            let cancelled = store.cancel(&id(&name(worker + 1, round)), "mia").await;
            assert!(!matches!(cancelled, Err(StoreError::Unavailable { .. })), "{cancelled:?}");
        }
        store.expire(10).await.unwrap();
    }
}

async fn everything_at_once_leaves_no_loose_ends(place: Place) {
    let neighbour = place.neighbour().await;
    let stores = [place.store.clone(), neighbour];
    let workers: Vec<_> =
        (0..6).map(|worker| tokio::spawn(mix(stores[worker % 2].clone(), worker))).collect();
    for worker in workers {
        worker.await.unwrap();
    }
    while let Some((_, lease)) = place.claim().await {
        place.finish(&lease, Outcome::Completed).await;
    }
    let page = place.store.list(&TaskFilter::default(), None, 1000).await.unwrap();
    assert!(page.tasks.len() > 50 && page.next.is_none());
    for stored in page.tasks {
        match stored.task.status {
            TaskStatus::Pending => assert!(!stored.waits_for.is_empty(), "{} is forgotten", stored.task.id),
            TaskStatus::Completed => assert!(stored.waits_for.is_empty()),
            TaskStatus::Cancelled => {}
            other => panic!("{} is {other:?}", stored.task.id),
        }
    }
}

#[test]
fn many_may_open_an_empty_file_at_once() {
    runtime().block_on(async {
        for _ in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let url = folder.path().join("store.db").to_string_lossy().into_owned();
            let opened = (0..6).map(|_| {
                let url = url.clone();
                tokio::spawn(async move { store::Store::open(&url).await.map(|_| ()) })
            });
            for opened in opened.collect::<Vec<_>>() {
                opened.await.unwrap().unwrap();
            }
        }
    });
}
