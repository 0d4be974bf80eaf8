//! The loop: review, fix, review again, and know when to stop.
//!
//! ```text
//!  Review -> Document -> Decide --clean------------------------------> Done
//!    ^                     |-----inconclusive--> Review, after a wait
//!    |                     |-----limit, or leads nowhere------------> Escalated --a)--> Blocked
//!    |                     `-----must-fix--> Fix -> Check -> Publish     |  `--b)--> Done
//!    |                                        ^      | refused  |        `--c)--> Fix
//!    |                                        `------'          |
//!    `----------------------------------------------------------'
//! ```
//!
//! A [`Story`] is everything the loop knows, and is saved whole after each [`Step`]. Whoever is killed goes on with the step
//! that was under way: every step may be performed twice, and those that cost money (review and fix) are saved the
//! moment they are over. Rules about rounds and humans are [`domain::cycle`]'s; this is the hand that turns the wheel.
//!
//! Reviewers never learn of earlier rounds. It is the story that remembers: of each finding whether it is new, still
//! there, fixed or back again.

mod claims;
mod document;
mod dossier;
mod human;
mod judge;
mod memory;
mod model;
mod report;
mod run;
mod touched;
mod world;

#[cfg(test)]
mod tests;

pub use claims::{Claim, claims_by_number, read_claims};
pub use dossier::{Dossier, DossierFinding, DossierRound, markdown};
pub use human::{Decided, NotNow};
pub use memory::{History, Standing, histories};
pub use model::{
    Fix, FixOutcome, HumanDecision, Order, Round, Ruling, RulingKind, Step, Story, Unproved, VERSION,
};
pub use report::Moment;
pub use run::{Ended, run};
pub use touched::Touched;
pub use world::{Checked, FixJob, Fixed, Halt, Published, Reviewed, World};
