//! The rules, held to examples of what they have to find and of what they have to leave alone.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests may panic as tests may

mod breaking;
mod cases;
mod characters;
mod complexity;
mod consistency;
mod coordination;
mod copies;
mod files;
mod good_changes;
mod mending;
mod order;
mod policy;
mod properties;
mod reviewing;
mod secrets;
mod support;
mod tests_of_tests;
mod weakening;
