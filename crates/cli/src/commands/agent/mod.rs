mod handlers;
mod log;
mod start;

use crate::failure::Failure;
use crate::output::Exit;

/// Run the agents that work off the queues.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Agent {
    Start(start::Start),
}

impl Agent {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Agent::Start(command) => command.run(),
        }
    }
}
