//! Minds behind reviewers, fixers and builders: models that are called, and coding agents that are run.
//!
//! Whatever answers here is not trusted: its text is checked and cleaned before anybody else sees it, its
//! process is confined, and what it costs is counted before it is spent.

pub mod act;
pub mod agents;
pub mod answer;
mod budget;
mod cache;
mod call;
pub mod clean;
pub mod confine;
mod json_schema;
pub mod linear;
pub mod linters;
mod model;
pub mod packing;
pub mod process;
pub mod prompt;
#[cfg(test)]
mod scripted;

pub use budget::{Budgeted, CountTokens, Ledger};
pub use cache::{CacheFolder, CachedMind};
pub use call::{Answer, Call, CallError, Ended, Message, Mind, Schema, Tool, ToolCall, ToolResult};
pub use model::{Listed, MODEL_PRIORITY, Models, key_variables, listed_models};
