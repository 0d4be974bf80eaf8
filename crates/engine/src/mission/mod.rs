//! A mission: a ticket asks for a review of a merge request, and is told how it went.
//!
//! ```text
//! Parse -> ReportStart -> Validate -> Review -> Publish -> Report -> Done
//!    \           \            \          ^  \       |
//!     `-----------`------------`---------|---`------|--> ReportFailure -> Failed
//!                                        `----------'
//!                             somebody pushed, or publishing failed and recovery is on
//! ```
//!
//! In either mode it is us who decide what comes next; a model is asked within one step, `Review`, and decides nothing but
//! what its tools look at there. A [`Mission`] is saved after every step, and every effect is looked for before it is
//! repeated: killed anywhere, the next run posts what is missing and nothing twice. Started again, anywhere, a mission that
//! is done says nothing: what it is known by ([`domain::mission::MissionIdentity`]) is in the store and on the ticket.
//!
//! A result that is inconclusive, or that the forge did not take, is not the last word: the next start of the same mission
//! reviews or publishes again.
//!
//! Nothing fails silently. Whatever goes wrong is told to the ticket, and where the ticket cannot be reached either, the
//! mission stays open for a human.

mod context;
mod find;
mod interrupted;
mod model;
mod outcome;
mod publish;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod world;

pub use interrupted::report_interruption;
pub use model::{Broken, Ended, Mission, Posted, Step, Trace, UnpostedReview, VERSION};
pub use run::run;
pub use world::{Forge, Halt, MissionPorts, ReviewJob, Reviewed, Unreviewed, World};
