//! The same workers on a real PostgreSQL, which tells them of work as SQLite's file does.

use std::sync::Arc;

use testkit::postgres::Server;

use super::hall::{House, Scenario};

/// Nothing where PostgreSQL is not installed.
async fn run_all(scenarios: Vec<Scenario>) {
    let Some(server) = Server::start() else { return };
    let house = House::Postgres(Arc::new(server));
    for (name, scenario) in scenarios {
        eprintln!("{name}");
        scenario(house.clone()).await;
    }
}

#[tokio::test]
async fn workers_hold_and_let_go_on_postgres_too() {
    run_all(super::worker::all()).await;
}

#[tokio::test]
async fn what_follows_from_a_review_follows_on_postgres_too() {
    run_all(super::chain::all()).await;
}
