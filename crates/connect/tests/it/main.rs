//! The servers, called as clients call them, against a forge with the real rules.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot be set up is a failed test"
)]

mod confluence;
mod faults;
mod github;
mod github_reviews;
mod gitlab;
mod gitlab_discussions;
mod hostile;
mod jira;
mod limits;
mod listing;
mod mcp_over_http;
mod official;
mod ports_architecture;
mod ports_client;
mod ports_peers;
mod ports_publishing;
mod ports_stage;
mod ports_trackers;
mod proxies;
mod secrecy;
mod table;
mod tls;
