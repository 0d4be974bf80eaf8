//! Four processes on one queue, killed at random moments, on both stores. Whatever happens to them, no task is
//! lost, none is finished twice, no stale write is accepted and every follow-up is there once.
//!
//! What happened is judged from the store's own log and from the files that are left, not from what workers
//! say. `scripts/crash` runs the long form; `COUNTERSIGN_CRASH_SEED` repeats the choices of an earlier run.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot be set up is a failed test"
)]

mod chains;
mod crew;
mod feed;
mod journal;
mod judge;
mod killer;
mod leftovers;
mod plan;
mod scorecard;
mod siege;
mod weather;
mod workshop;

use plan::Plan;
use siege::Siege;
use testkit::postgres::Server;
use weather::{PostgresWeather, SqliteWeather};
use workshop::Workshop;

#[test]
fn nothing_is_lost_or_done_twice_on_sqlite() {
    let plan = Plan::from_environment();
    let workshop = Workshop::on_sqlite(&plan);
    let weather = SqliteWeather::over(&workshop);
    Siege { name: "sqlite", plan, workshop: &workshop }.run(weather);
}

#[test]
fn nothing_is_lost_or_done_twice_on_postgres() {
    let Some(server) = Server::start() else { return };
    let plan = Plan::from_environment();
    let workshop = Workshop::on_postgres(&plan, &server.url());
    Siege { name: "postgres", plan, workshop: &workshop }.run(PostgresWeather::over(server));
}
