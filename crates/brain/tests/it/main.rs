//! Agents as they are really run: real processes, really confined.

#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod agents;
mod authors;
mod hostile;
mod processes;
mod stage;
