//! The MCP server as clients meet it: real processes, real pipes and sockets, both stores.

#![allow(clippy::panic, reason = "a test that cannot go on has failed")]

pub(crate) mod client;
mod escalations;
mod hostile;
mod http;
mod identity;
mod mortal;
mod outward;
mod place;
mod protocol;
mod real;
mod reviews;
mod stories;
mod tasks;
mod tools;
