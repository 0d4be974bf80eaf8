//! What is posted where authors work, and what not to post again. Pure.
//!
//! [`plan()`] holds a review against what the forge shows and says what is still to be done. It is made so that doing it
//! and planning again leaves nothing to do, whoever was killed half-way: every comment of ours begins with a hidden
//! marker that says which finding it is about, and [`Seal`] tells our markers from copies of them.

mod carried;
mod claim;
mod finder;
mod inline;
mod mac;
mod marker;
mod ours;
mod place;
mod plan;
mod settle;
mod standing;
mod suggestion;
mod summary;
#[cfg(test)]
mod tests;
mod ticket;
mod verdict;

pub use claim::{Claim, claims};
pub use finder::{Finder, Found};
pub use marker::{Mark, MarkKind, MarkState, NoSeal, PublishKey, Seal, is_marked};
pub use place::Places;
pub use plan::{
    CannotPublish, Memory, Publication, PublishPlan, PublishPolicy, Settle, Stage, SummaryStep, ThreadStep,
    plan,
};
pub use ticket::{
    TicketMark, TicketMove, addresses, handed_in, reviewed, summary_of, ticket_summary, verdict_told,
};
