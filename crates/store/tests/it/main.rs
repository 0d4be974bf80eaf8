//! What the store promises, asked of both engines.
//!
//! Scenarios are plain functions of a [`place::Place`]. On SQLite each is a test; on PostgreSQL one test runs
//! them all against one server, each in a database of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot be set up is a failed test"
)]

#[macro_use]
mod place;

mod adding;
mod assigning;
mod assigning_model;
mod claiming;
mod crashing;
mod effects;
mod finishing;
mod leasing;
mod looking;
mod mailbox;
mod model;
mod noting;
mod outage;
mod postgres;
mod proxy;
mod racing;
mod reading;
mod route;
mod running_epics;
mod tls;
mod waiting;
