//! The deterministic reviewer: one structured question per bundle of hunks, and the model never decides what
//! happens next.

mod ask;
mod consensus;
mod merge;
mod mode;
mod plan;
mod reviewer;
mod similar;
#[cfg(test)]
mod tests;
mod verify;

pub use mode::{Before, Choice, Mode, Why, choose_mode};
pub use plan::{Plan, Unplannable, change_tokens};
pub use reviewer::LinearReviewer;
