//! The agentic reviewer: the model decides what to look at next, and we do the looking. `AGENTIC_ACT_LOOP`.
//!
//! A model acts by tools alone. Which there are, the policy says; what it asks for is checked before anything
//! happens; what it is shown is data, fenced off, masked and bounded. The loop always comes to an end, and what
//! was not shown to the model does not count as reviewed.

mod conversation;
mod grep;
mod heard;
mod instructions;
mod last_word;
mod lint;
mod listing;
mod paths;
mod reading;
mod repository;
mod reviewer;
mod run;
mod seen;
mod shares;
mod source;
#[cfg(test)]
mod tests;
mod toolbox;

pub use domain::tools::{Denied, Effect, Permission, ToolPolicy, permission};
pub use lint::{CollectLinter, LinterJob, Linters, Printed, RunLinter};
pub use repository::RepositoryView;
pub use reviewer::ModelReviewer;
pub use run::{Outcome, Stop, run};
pub use source::{Offer, ToolSource};
pub use toolbox::{Equipment, Toolbox};
