mod graph;
mod load;
mod validate;

use crate::failure::Failure;
use crate::output::Exit;

/// Work with epics: tickets that belong together, in one YAML file.
///
/// docs/EPICS.md describes the file and the tickets.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Epic {
    Validate(validate::Validate),
    Graph(graph::Graph),
}

impl Epic {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Epic::Validate(command) => command.run(),
            Epic::Graph(command) => command.run(),
        }
    }
}
