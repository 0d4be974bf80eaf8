//! The review cycle: one pure state machine behind tickets, assignments, stories and tasks.
//!
//! ```text
//! work submitted -> validate -> review --passed---------------------> done
//!                      ^          |-----rejected, attempts left------> sent back, with feedback
//!                      |          |-----rejected, limit reached------> failed / escalated
//!                      |          `-----inconclusive-----------------> review again, costs no attempt
//!                      `------------- author corrects <---------------'
//! ```
//!
//! A [`Cycle`] is a value. [`Cycle::apply`] takes an [`Event`] and returns the next cycle with the
//! [`Effect`]s to perform, or says why the event is [`Illegal`] and what would be legal. The log of accepted
//! events is the whole truth: [`replay`] gives the same cycle again.
//!
//! The lifecycles share every rule and differ in words and in a few steps:
//!
//! | | ticket | assignment | story | task |
//! |---|---|---|---|---|
//! | validated before review | yes | | | |
//! | attempt counts up when | sent back | sent back | the fixer is finished | a fix task is answered by a new review task |
//! | waits to be corrected | `needs_revision` | `rework` | no, the fixer starts at once | no, a `fix` task is queued |
//! | review limit reached | `failed` | `escalated` | `escalated` | `escalated` |
//! | corrections lead nowhere | `failed` | `escalated` | `escalated` | `escalated` |
//! | inconclusive, retries left | stays `reviewing` | stays `completed` | stays in its round | `pending`, after a wait |
//! | inconclusive too often | `failed`, saying so | `escalated` | `escalated` | `escalated` |
//! | work crashed, retries left | stays `executing` | stays `in_progress` | stays with its fixer | `pending`, after a wait |
//! | work crashed too often | `failed` | `escalated` | `escalated` | `failed` |
//! | finished work cannot be merged | `executing`, on a new base | | | |
//! | cannot be merged too often | `failed` | | | |
//!
//! Decided here, because no workflow description says it:
//! - A failed ticket may be retried by a human and then begins anew, or, where reviews only proved nothing, is
//!   reviewed again as it is; that is how a dependency recovers.
//!   Blocking is passed on: what depends on a blocked ticket is blocked too.
//! - A human resolves an escalated assignment or task by accepting it, granting one more cycle up to the
//!   hard cap, or closing it (`closed`, `cancelled`).
//! - "One more" repeats what gave up. After the review limit that is a correction and then a review: the
//!   raised limit makes the decision matrix say "fix", and reviewing unchanged code would find the same
//!   again. After inconclusive reviews it is the review alone, and no attempt is spent.
//! - A story fixed by hand goes into its next round. At the hard cap the last round is repeated, since only a
//!   human can bring it there.
//! - A ticket that the machine gives up on is `failed`, for it has no other word, and is handed to a human
//!   all the same.
#![warn(clippy::wildcard_enum_match_arm)]

mod assignment;
mod effect;
mod event;
mod human;
mod illegal;
mod limits;
mod machine;
mod model;
mod problem;
mod state;
mod story;
mod story_text;
mod task;
mod ticket;
mod verdict;
mod work;

#[cfg(test)]
mod tests;

pub use assignment::{AssignmentStatus, ReviewResult, review_log_line};
pub use effect::{Activity, Chain, Effect, ReviewMark, ReviewerChoice};
pub use event::{Event, Outcome, Resolution};
pub use illegal::Illegal;
pub use limits::{Backoff, BadLimits, Limits};
pub use machine::replay;
pub use model::{BadCycle, Cycle, Status};
pub use problem::Problem;
pub use state::{Blocker, Cause, Counters, Done, Lifecycle, ReviewMode, State, TaskKind, WaitsFor, Work};
pub use story::{NextStep, StoryStatus, Tally, decide};
pub use story_text::{EscalationNotice, dry_run_fixer, dry_run_reviewer, escalation_message};
pub use task::TaskStatus;
pub use ticket::TicketStatus;
