mod answer;
mod graph;
mod load;
mod named;
mod resume;
mod run;
mod speech;
mod status;
mod summary;
mod validate;
mod work;

use crate::failure::Failure;
use crate::output::Exit;

/// Work with epics: tickets that belong together, in one YAML file.
///
/// Agents build them on branches, wave by wave, and nothing is completed without passing the gate. docs/EPICS.md
/// describes the file, the tickets and the run.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Epic {
    Run(run::Run),
    Status(status::Status),
    Resume(resume::Resume),
    Validate(validate::Validate),
    Graph(graph::Graph),
}

impl Epic {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Epic::Run(command) => command.run(),
            Epic::Status(command) => command.run(),
            Epic::Resume(command) => command.run(),
            Epic::Validate(command) => command.run(),
            Epic::Graph(command) => command.run(),
        }
    }
}
