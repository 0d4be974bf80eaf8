use std::collections::BTreeSet;

use domain::ports::TaskStore;
use domain::tasks::{Added, Finish, NewTask, Outcome, QueueLimit};

use crate::place::*;

scenarios![
    eight_workers_do_two_hundred_tasks_once_each,
    a_key_is_taken_once_by_many_at_a_time,
    dependencies_that_complete_together_free_their_dependent,
    a_dependency_that_completes_while_others_come_in_is_noticed,
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
