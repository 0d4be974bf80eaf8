mod named;
mod resume;
mod run;
mod speech;
mod status;
mod summary;
mod work;

use crate::failure::Failure;
use crate::output::Exit;

/// Have the tickets of an epic built, validated, reviewed and revised, wave by wave.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Epic {
    Run(run::Run),
    Status(status::Status),
    Resume(resume::Resume),
}

impl Epic {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Epic::Run(command) => command.run(),
            Epic::Status(command) => command.run(),
            Epic::Resume(command) => command.run(),
        }
    }
}
