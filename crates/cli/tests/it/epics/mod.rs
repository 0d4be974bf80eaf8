//! Epics as their users meet them: real repositories, real processes, builders and reviewers that are small scripts.

mod builders;
mod dependencies;
mod killed;
mod merging;
mod reviewers;
pub(crate) mod stage;
mod states;
mod stopping;
mod strangers;
mod workflow;
