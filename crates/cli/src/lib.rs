//! The `countersign` program: one file per command, and the only place where the parts are wired together.
//!
//! It is a library, because cargo compiles a library beside the crates it depends on, and a program after all of them.

mod commands;
mod desk;
mod documents;
mod epics;
mod failure;
mod loops;
mod memory;
mod missions;
mod output;
mod outward;
mod patches;
mod policy;
mod pretty;
mod progress;
mod requests;
mod reviewers;
mod reviewing;
mod serving;
mod stdio;
mod store;

use std::process::ExitCode;

use clap::Parser;
use commands::Command;

/// The review gate for code that agents write.
///
/// Reviews a change, scores it, decides by rule and says what to do next. Works offline and without a key.
#[derive(Debug, Parser)]
#[command(name = "countersign", version = env!("COUNTERSIGN_LONG_VERSION"), max_term_width = 100)]
#[command(after_help = "Exit codes: 0 pass, 1 the gate said no, 2 usage or configuration, 3 inconclusive, \
                        4 escalated to a human.")]
#[command(propagate_version = true, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = false)]
    color: output::Color,
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before anything else: what is confined must not depend on what a command line could change.
    if arguments.next().is_some_and(|first| first == "confine") {
        return brain::confine::main(arguments);
    }
    memory::limit();
    let cli = Cli::parse();
    cli.color.apply();
    match cli.command.run() {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.report();
            ExitCode::from(2)
        }
    }
}
