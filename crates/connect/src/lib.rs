//! The way out: forges, trackers and wikis through MCP, and the MCP servers we ship for them.

mod rest;
pub mod servers;
