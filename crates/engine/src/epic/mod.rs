//! An epic run: tickets built, validated, reviewed and revised in parallel, wave by wave.
//!
//! ```text
//!  pending -> queued -> Build -> Validate -> Review --pass--> completed --> Merge --> merged
//!                         ^  ^      | failed    |  fail          ^           | conflict
//!                         |  `------'           v                |           v
//!                         `---------------- needs_revision       `-------- Build, on a new base
//! ```
//!
//! What may follow what is [`domain::cycle`]'s to say; this is the hand that turns the wheel. Every change of a ticket is
//! saved before the next thing is done about it. Whoever is killed goes on with the step that was under way: every
//! step may be performed twice, and those that cost money (build and review) are saved the moment they are over.
//!
//! Tickets run on threads of their own. One thread schedules: it alone says which ticket begins, what is blocked, and
//! what is merged next.

mod budget;
mod build;
mod criteria;
mod ground;
mod human;
mod leg;
mod merge;
mod report;
mod review;
mod schedule;
mod settle;
mod step;
mod world;

#[cfg(test)]
mod tests;

pub use criteria::{Claims, read_criteria};
pub use ground::{BadGround, Ground};
pub use human::{NotRetried, begin, interrupted, resume, retry};
pub use report::report_of;
pub use schedule::{Ended, run};
pub use settle::is_at_rest;
pub use world::{
    Based, BuildJob, Built, Halt, MergeMade, MergePublished, Placed, Reviewed, TicketMoment, Validated, World,
};
