use std::time::Duration;

use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Finish, Outcome};
use sqlx::{Connection, PgConnection};
use testkit::pgbouncer::Bouncer;

use crate::place::*;

fn run_all(groups: &[Vec<Scenario>]) {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        for (name, scenario) in groups.iter().flatten() {
            eprintln!("{name}");
            let place = Place::postgres(postgres.fresh_database().await).await;
            scenario(place).await;
        }
    });
}

#[test]
fn postgres_keeps_the_promises_of_adding_claiming_and_looking() {
    run_all(&[crate::adding::all(), crate::claiming::all(), crate::looking::all(), crate::reading::all()]);
}

#[test]
fn postgres_keeps_the_promises_of_leasing_finishing_and_waiting() {
    run_all(&[crate::leasing::all(), crate::finishing::all(), crate::waiting::all()]);
}

#[test]
fn a_direct_connection_hears_of_news_and_keeps_statements() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        for (name, scenario) in crate::waiting::all() {
            eprintln!("{name}");
            let url = postgres.fresh_database().await + "?statement-cache-capacity=100";
            scenario(Place::postgres(url).await).await;
        }
    });
}

#[test]
fn postgres_keeps_its_promises_under_pressure() {
    run_all(&[crate::racing::all(), crate::crashing::all()]);
}

#[test]
fn many_may_open_an_empty_database_at_once() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let url = postgres.fresh_database().await;
        let opened = (0..6).map(|_| {
            let url = url.clone();
            tokio::spawn(async move { store::Store::open(&url).await.map(|_| ()) })
        });
        for opened in opened.collect::<Vec<_>>() {
            opened.await.unwrap().unwrap();
        }
    });
}

/// Answers when they are gone, which is a little later than when they are told to go.
async fn kill_all_but(killer: &mut PgConnection) {
    let kill = "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let killed: Vec<(i32, bool)> = sqlx::query_as(kill).fetch_all(&mut *killer).await.unwrap();
    let killed: Vec<i32> = killed.into_iter().map(|(pid, _)| pid).collect();
    let left = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1)";
    while sqlx::query_scalar::<_, i64>(left).bind(&killed).fetch_one(&mut *killer).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

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
            let (finished, ()) = tokio::join!(place.store.finish(&lease, &finish), kill_all_but(&mut killer));
            if matches!(finished, Err(StoreError::Unavailable { .. })) {
                let again = place.store.finish(&lease, &finish).await;
                assert!(again.is_ok() || is_stale(again));
            }
            assert_eq!(place.story(&name).await, ["added", "claimed", "completed"]);
        }
    });
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
fn every_promise_holds_behind_a_pooler_in_transaction_mode() {
    let Some(Postgres::Ours(server)) = Postgres::find() else { return };
    let Some(bouncer) = Bouncer::start(&server) else {
        eprintln!("left out: PgBouncer is not installed");
        return;
    };
    let postgres = Postgres::Ours(server);
    let groups = [
        crate::adding::all(),
        crate::claiming::all(),
        crate::finishing::all(),
        crate::leasing::all(),
        crate::looking::all(),
        crate::racing::all(),
        crate::reading::all(),
        crate::waiting::all(),
    ];
    runtime().block_on(async {
        for (name, scenario) in groups.iter().flatten() {
            eprintln!("{name}");
            let url = bouncer.in_front_of(&postgres.fresh_database().await);
            scenario(Place::postgres(url).await).await;
        }
    });
}

/// Once it hears, a direct connection does not look by itself: without notification this would take an hour.
#[test]
fn news_comes_by_notification_and_not_by_looking() {
    let Some(postgres) = Postgres::find() else { return };
    runtime().block_on(async {
        let place = Place::postgres(postgres.fresh_database().await + "?statement-cache-capacity=100").await;
        let neighbour = place.neighbour().await;
        for round in 0..9 {
            let pulse = crate::waiting::settled(&neighbour).await;
            let name = format!("t{round}");
            let waiting = tokio::time::timeout(HANGS, neighbour.wait_for_work(pulse, LONG));
            tokio::join!(waiting, place.add(task(&name))).0.expect("to hear of it");
        }
    });
}
