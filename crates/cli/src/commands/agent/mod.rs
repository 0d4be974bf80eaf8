mod at_work;
mod author;
mod command;
mod crew;
mod equipped;
mod handlers;
mod local;
mod log;
mod logs;
mod pause;
mod requested;
mod start;
mod status;
mod telling;
mod tending;
mod trouble;

pub(crate) use log::Logs as ActivityLogs;
pub(crate) use start::interrupted;

use crate::failure::Failure;
use crate::output::Exit;

/// Run the agents that work off the queues.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Agent {
    Start(start::Start),
    Status(status::Status),
    Pause(pause::Pause),
    Resume(pause::Resume),
    Logs(logs::Logs),
}

impl Agent {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Agent::Start(command) => command.run(),
            Agent::Status(command) => command.run(),
            Agent::Pause(command) => command.run(),
            Agent::Resume(command) => command.run(),
            Agent::Logs(command) => command.run(),
        }
    }
}
