//! Puts a review where its authors work.
//!
//! A forge has no transactions, answers get lost, and others publish at the same time. So nothing here believes what it
//! did: it looks, plans what is missing, does it, and looks again. Killed anywhere, the next run does the rest.

mod claim;
mod error;
mod look;
mod perform;
mod run;
#[cfg(test)]
pub(crate) mod tests;
mod turns;

pub use error::PublishError;
pub use run::{Patience, PublishOutcome, Publisher, StatusOutcome, SummaryOutcome};
pub use turns::{LocalTurns, Turns};
