//! What a store survives by itself.

use std::time::Duration;

use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Finish, Outcome, QueueLimit};
use sqlx::{Connection, PgConnection, Row};
use store::Pickup;
use testkit::postgres::Server;

use crate::place::*;
use crate::route::{is_told, until};

const CALLERS: usize = 60;

#[test]
fn work_goes_on_after_every_connection_was_killed() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let place = Place::postgres(postgres.fresh_database().await).await;
        let mut killer = PgConnection::connect(&place.url).await.unwrap();
        for round in 0..10 {
            let name = format!("t{round}");
            place.add(task(&name)).await;
            let lease = place.take().await;
            let finish = Finish::from(Outcome::Completed);
            let (finished, ()) = tokio::join!(place.store.finish(&lease, &finish), kill_all(&mut killer));
            if matches!(finished, Err(StoreError::Unavailable { .. })) {
                let again = place.store.finish(&lease, &finish).await;
                assert!(again.is_ok() || is_stale(again));
            }
            assert_eq!(place.story(&name).await, ["added", "claimed", "completed"]);
        }
    });
}

/// Waits until they are gone: one that was only told to go may still serve the next statement, or half of it.
async fn kill_all(killer: &mut PgConnection) {
    let sql = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    sqlx::raw_sql(sql).execute(killer).await.unwrap();
}

#[test]
fn work_goes_on_after_the_server_was_restarted() {
    let Some(Postgres::Ours(mut server)) = Postgres::find() else { return };
    runtime().block_on(async {
        let place = Place::postgres(server.url()).await;
        place.add(task("a")).await;
        let lease = place.take().await;
        server.stop_at_once();
        server.start_again();
        place.finish(&lease, Outcome::Completed).await;
        assert_eq!(place.story("a").await, ["added", "claimed", "completed"]);
    });
}

#[test]
fn a_restarted_server_is_heard_again() {
    let Some(mut server) = Server::start() else { return };
    runtime().block_on(async {
        let place = Place::postgres(server.url()).await;
        let neighbour = place.neighbour().await;
        for name in ["a", "b"] {
            until(&neighbour, Pickup::Told).await;
            is_told(&neighbour, &place, name).await;
            server.stop_at_once();
            until(&neighbour, Pickup::NotYetTold).await;
            server.start_again();
        }
        until(&neighbour, Pickup::Told).await;
        is_told(&neighbour, &place, "c").await;
    });
}

#[test]
fn a_killed_listener_is_replaced() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let place = Place::postgres(postgres.fresh_database().await).await;
        let mut killer = PgConnection::connect(&place.url).await.unwrap();
        until(&place.store, Pickup::Told).await;
        let before = listener(&mut killer).await;
        kill_all(&mut killer).await;
        within_a_minute(async {
            while listener(&mut killer).await.is_none_or(|now| Some(now) == before) {
                place.store.wait_for_work(place.store.pulse(), Duration::from_millis(10)).await;
            }
        })
        .await;
        until(&place.store, Pickup::Told).await;
        is_told(&place.store, &Place::postgres(place.url.clone()).await, "a").await;
    });
}

/// The process on the server that serves whoever listens.
async fn listener(connection: &mut PgConnection) -> Option<i32> {
    let sql = "SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()";
    sqlx::raw_sql(sql).fetch_optional(connection).await.unwrap().map(|row| row.get(0))
}

#[test]
fn more_callers_than_connections_all_get_their_answer() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let place = Place::postgres(postgres.fresh_database().await).await;
        assert_eq!(added_at_once(&place).await, CALLERS);
        place.add(task("last")).await;
    });
}

#[test]
fn a_store_recovers_from_a_server_that_had_no_connection_left() {
    let Some(server) = Server::start_with(&["max_connections=14"]) else { return };
    runtime().block_on(async {
        let place = Place::postgres(server.url()).await;
        let mut others = Vec::new();
        while let Ok(other) = PgConnection::connect(&server.url()).await {
            others.push(other);
        }
        assert!(others.len() > 5, "{}", others.len());
        let freeing = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            others.clear();
        };
        let (added, ()) = tokio::join!(added_at_once(&place), freeing);
        assert!(added > 0);
        place.add(task("last")).await;
        assert_eq!(place.stored("last").await.task.id, id("last"));
    });
}

/// How many of the callers had their task added. All others were told that the store cannot be had.
async fn added_at_once(place: &Place) -> usize {
    let callers: Vec<_> = (0..CALLERS)
        .map(|number| {
            let store = place.store.clone();
            let task = new(task(&format!("t{number}")));
            tokio::spawn(async move { (number, store.add(&[task], QueueLimit::Unlimited).await) })
        })
        .collect();
    let mut added = 0;
    for caller in callers {
        match within_a_minute(caller).await.unwrap() {
            (number, Ok(_)) => {
                assert_eq!(place.status(&format!("t{number}")).await, "pending");
                added += 1;
            }
            (_, Err(StoreError::Unavailable { .. })) => {}
            (number, Err(error)) => panic!("t{number}: {error}"),
        }
    }
    added
}
