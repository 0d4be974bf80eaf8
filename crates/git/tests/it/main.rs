//! Scenarios over real repositories.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail loudly")]

mod agreement;
mod attributes;
mod base;
mod branches;
mod checkout;
mod environment;
mod export;
mod files;
mod flagged;
mod hiding;
mod hooks;
mod merging;
mod mirroring;
mod odd_repositories;
mod paths;
mod revisions;
mod sources;
mod staged;
mod support;
mod unreadable;
mod untouched;
mod workshop;
mod worktree;
