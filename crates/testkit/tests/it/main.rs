//! The fake forge keeps the rules it says it keeps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod github_pulls;
mod http;
mod jira;
