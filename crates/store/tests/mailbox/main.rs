//! The mailbox over a real SQLite store, in a real directory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up is a failed test")]

mod deleted;
mod hostile;
mod killed;
mod life;
mod locks;
mod many;
mod pauses;
mod readers;
mod support;
