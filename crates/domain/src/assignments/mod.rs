//! Assignments: what a coder and a reviewer hand to and fro until it is approved or a person decides.
//!
//! An [`Assignment`] is a record with a [`cycle`](crate::cycle) inside. Whoever wants something of it asks
//! for a [`Step`], and [`decide()`] is the only place where a step meets the rules: who may take it, whether it
//! fits the state, and what the record says afterwards. Stores keep what it decided and decide nothing.

mod assignment;
mod branch;
mod caller;
mod decide;
mod document;
mod draft;
mod feedback;
mod listing;
mod metrics;
mod permit;
mod refusal;
mod review;
mod step;

#[cfg(test)]
mod tests;

pub use assignment::{Assignment, AssignmentId};
pub use branch::{BaseChoice, BranchName, BranchTrouble, Examined};
pub use caller::{Caller, Role};
pub use decide::{Decision, Entry, decide, holds_to};
pub use document::{AssignmentDocument, ReviewDocument};
pub use draft::{AssignmentDraft, NewAssignment, check_base};
pub use feedback::Feedback;
pub use listing::{AssignmentCursor, AssignmentFilter, AssignmentPage};
pub use metrics::{AgentRates, Metrics, Tallied};
pub use permit::{is_for_another_reviewer, may_review, may_work_on};
pub use refusal::Refusal;
pub use review::{Review, ReviewOutcome};
pub use step::{AfterAccept, Step, Submission, Verdict};
