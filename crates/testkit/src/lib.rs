//! What tests share. Everything here fails loudly: a test that cannot be set up is a failed test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "only tests use this crate")]

pub mod pgbouncer;
pub mod postgres;
mod repo;
mod snapshot;

pub use repo::Repo;
pub use snapshot::Snapshot;
