//! Tools of MCP servers, and what a model may do with them. Pure.
//!
//! Ports say what their servers offer; [`sort`] says which of it a model gets to see; [`check_call`] is asked again
//! before every single call, because arguments can turn a harmless tool into another one.

mod call;
mod policy;
mod scope;
mod tool;

pub use call::{DeniedCall, Reason, check_call};
pub use policy::{Denied, Effect, Permission, ToolPolicy, asks_for_more, permission};
pub use scope::CallScope;
pub use tool::{McpTool, Sorted, sort};
