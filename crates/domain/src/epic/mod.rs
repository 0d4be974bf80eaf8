//! Epics: tickets that belong together, the order they are worked on in, and what became of them.
//!
//! An epic is a YAML file beside its tickets' markdown. [`EpicDocument`] is the checked whole of it; a review is
//! given only what concerns it, [`Epic`](crate::work::Epic). [`Plan`] orders the tickets, [`graph`] draws them,
//! [`state_file`] is `epic-state.json`, [`report`] the last page of a run, [`run`] the run itself.

mod document;
mod excerpt;
pub mod graph;
mod id;
mod limits;
mod plan;
mod problem;
pub(crate) mod read;
pub mod report;
pub mod run;
pub mod state_file;
mod stop;
pub mod ticket;
pub(crate) mod yaml;

pub use document::{Commands, EpicDocument, MOST_PARALLEL, ResolvedCommands, TicketEntry, TicketIndex};
pub use excerpt::Excerpt;
pub use id::TicketId;
pub use limits::{EpicLimits, TicketBounds, TicketBudget, TicketLimits, Tries, Usd};
pub use plan::Plan;
pub use problem::{Position, Problem, ProblemSeverity, Problems};
pub use read::{EpicFile, EpicPart};
pub use report::EpicReport;
pub use state_file::{EpicState, TicketState};
pub use stop::{Stop, StopReason};
