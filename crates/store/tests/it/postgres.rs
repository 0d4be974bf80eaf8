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
    run_all(&[crate::adding::all(), crate::claiming::all(), crate::looking::all()]);
    run_all(&[crate::noting::all(), crate::reading::all(), crate::effects::all()]);
}

#[test]
fn postgres_keeps_the_promises_of_leasing_finishing_and_waiting() {
    run_all(&[crate::leasing::all(), crate::finishing::all(), crate::waiting::all()]);
}

#[test]
fn postgres_keeps_the_promises_of_assigning() {
    run_all(&[crate::assigning::all()]);
}

#[test]
fn postgres_keeps_the_promises_of_epics() {
    run_all(&[crate::running_epics::all()]);
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

#[test]
fn every_promise_holds_behind_a_pooler_in_transaction_mode() {
    let Some(Postgres::Ours(server)) = Postgres::find() else { return };
    let Some(bouncer) = Bouncer::start(&server) else { return };
    let postgres = Postgres::Ours(server);
    let groups = [
        crate::adding::all(),
        crate::assigning::all(),
        crate::claiming::all(),
        crate::effects::all(),
        crate::finishing::all(),
        crate::leasing::all(),
        crate::looking::all(),
        crate::racing::all(),
        crate::reading::all(),
        crate::running_epics::all(),
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
