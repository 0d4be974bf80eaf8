mod list;
mod mission;
mod one;
mod resolve;
mod show;
mod story;
mod ticket;

use engine::escalation::EscalationRef;

use crate::failure::Failure;
use crate::output::Exit;

/// See what waits for a person's word, and give it.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Escalation {
    List(list::List),
    Show(show::Show),
    Resolve(resolve::Resolve),
}

impl Escalation {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Escalation::List(command) => command.run(),
            Escalation::Show(command) => command.run(),
            Escalation::Resolve(command) => command.run(),
        }
    }
}

fn name(text: &str) -> Result<EscalationRef, String> {
    text.parse().map_err(|invalid: domain::tasks::Invalid| invalid.reason)
}
