//! The program as its users meet it: real repositories, the real binary, exit codes and every line it prints.

#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod acp;
mod agents;
mod assignments;
mod bad_input;
mod brains;
mod connect;
mod corrections;
mod crash;
mod doors;
mod epic_files;
mod epics;
mod exploring;
mod formats;
mod guides;
mod linters;
mod logs;
mod loops;
mod mcp;
mod missions;
mod models;
mod other_tools;
mod policy;
mod program;
mod surroundings;
mod tasks;
mod upkeep;
mod validators;
