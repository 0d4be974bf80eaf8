//! The fake forge keeps the rules it says it keeps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

mod confluence;
mod contract;
mod faults;
mod git;
mod github_access;
mod github_pulls;
mod gitlab;
mod http;
mod jira;
mod odd_files;
mod webhooks;
