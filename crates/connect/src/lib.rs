//! The way out: forges, trackers and wikis through MCP, and the MCP servers we ship for them.

pub mod adapters;
pub mod client;
pub mod profiles;
mod rest;
pub mod servers;
mod tls;
pub mod waiting;
