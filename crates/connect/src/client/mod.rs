//! A client of MCP servers: child processes, servers reached over HTTP, and servers within this process.
//!
//! Nothing a server says is believed and nothing it says is unbounded. What it writes to its error stream is kept, masked,
//! for whoever has to find out why it failed.

mod answer;
mod child;
mod entry;
mod http;
mod lines;
mod link;
mod refusal;
mod secrets;
mod tail;
mod words;

pub use answer::Answer;
pub use entry::{BadServers, Environment, McpServers, ServerEntry, own_server};
pub use link::{Effect, InProcess, Limits, Link, Source};
