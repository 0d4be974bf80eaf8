//! Minds behind reviewers, fixers and builders: models that are called, and coding agents that are run.
//!
//! Whatever answers here is not trusted: its text is checked and cleaned before anybody else sees it, its
//! process is confined, and what it costs is counted before it is spent.

pub mod agents;
mod call;
pub mod confine;
pub mod process;

pub use call::{Answer, Call, CallError, Ended, Message, Mind, Schema, Tool, ToolCall, ToolResult};
