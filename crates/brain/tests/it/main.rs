//! Agents as they are really run: real processes, really confined.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests fail and skip aloud"
)]

mod acp;
mod agents;
mod authors;
mod hostile;
mod processes;
mod real;
mod stage;
