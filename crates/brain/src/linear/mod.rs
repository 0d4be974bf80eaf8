//! The deterministic reviewer: one structured question per bundle of hunks, and the model never decides what
//! happens next.

mod ask;
mod conclude;
mod consensus;
mod ground;
mod merge;
mod mode;
mod plan;
mod reviewer;
mod similar;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use ask::{answer, first_reading, is_other_left, no_answer, who_answered};
pub(crate) use conclude::{Heard, conclude};
pub(crate) use ground::Ground;
pub(crate) use merge::{Found, Opinion, Summary, without_duplicates};
pub use mode::{Before, Choice, Mode, Why, choose_mode};
pub use plan::{Draft, Plan, Unplannable};
pub use reviewer::LinearReviewer;
