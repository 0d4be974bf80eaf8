mod list;
mod one;
mod resolve;
mod show;
mod story;

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

/// What somebody calls an escalation.
#[derive(Debug, Clone)]
enum Named {
    /// `story/ID`: a loop, which is kept beside its repository.
    Story(String),
    /// What is kept in the store.
    Stored(EscalationRef),
}

fn name(text: &str) -> Result<Named, String> {
    match text.strip_prefix("story/") {
        Some(id) => Ok(Named::Story(id.to_owned())),
        None => text.parse().map(Named::Stored).map_err(|invalid: domain::tasks::Invalid| invalid.reason),
    }
}
