//! Countersign as a server: the tools that coding agents call, on standard input and output and over HTTP.
//!
//! What is promised:
//! - **No state in the handlers.** Everything is in the store, so any number of servers may stand beside each other,
//!   and a request means the same whoever answers it. What runs in the background is a review that somebody waits for;
//!   it holds a lease on its task as every worker does.
//! - **Who calls is known** before a tool runs: by its command line on stdio, by its token over HTTP.
//! - **Errors are for the caller.** They say what to do next and nothing about the machine. What an operator has to
//!   know goes to [`Surroundings::tell`].
//! - **What others wrote is cleaned** before an agent reads it: nothing invisible, no terminal sequence.

mod caller;
mod hand_ins;
pub mod http;
mod mcp;
mod mirror;
mod reviews;
mod stdio;
mod workbench;

pub use caller::{Callers, UnknownCaller};
pub use hand_ins::{HandInAsk, HandIns, HandedIn, WhichRequest};
pub use mcp::{Handler, catalogue};
pub use mirror::Mirror;
pub use reviews::{Heard, ReviewAsk, ReviewTrouble, Reviews};
pub use stdio::{StdioError, serve_stdio};
pub use workbench::{Stores, Surroundings, Tell, Workbench};
