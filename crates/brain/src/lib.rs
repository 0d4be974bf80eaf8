//! Minds behind reviewers, fixers and builders: models that are called, and coding agents that are run.
//!
//! Whatever answers here is not trusted: its text is checked and cleaned before anybody else sees it, its
//! process is confined, and what it costs is counted before it is spent.

mod budget;
mod cache;
mod call;
mod model;

pub use budget::{Budgeted, CountTokens, Ledger};
pub use cache::{CacheFolder, CachedMind};
pub use call::{Answer, Call, CallError, Ended, Message, Mind, Schema, Tool, ToolCall, ToolResult};
pub use model::{MODEL_PRIORITY, Models};
