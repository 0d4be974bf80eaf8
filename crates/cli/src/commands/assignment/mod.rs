mod accept;
mod create;
mod list;
mod mine;
mod resolve;
mod review;
mod show;
mod submit;
mod view;

use domain::assignments::AssignmentId;

use crate::desk::DeskArgs;
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Hand work to and fro between a coder and a reviewer.
///
/// An assignment is accepted, worked on and submitted by its coder, and approved or sent back by a reviewer; after
/// three rejections a person decides. Agents do the same over MCP.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Assignment {
    Create(create::Create),
    List(list::List),
    Show(show::Show),
    Mine(mine::Mine),
    Accept(accept::Accept),
    Submit(submit::Submit),
    Review(review::Review),
    Resolve(resolve::Resolve),
}

impl Assignment {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Assignment::Create(command) => command.run(),
            Assignment::List(command) => command.run(),
            Assignment::Show(command) => command.run(),
            Assignment::Mine(command) => command.run(),
            Assignment::Accept(command) => command.run(),
            Assignment::Submit(command) => command.run(),
            Assignment::Review(command) => command.run(),
            Assignment::Resolve(command) => command.run(),
        }
    }
}

fn assignment_id(text: &str) -> Result<AssignmentId, String> {
    text.parse().map_err(|invalid: domain::tasks::Invalid| invalid.reason)
}

/// As `assignment show`, for a command that found the assignment in its own way.
pub(super) fn show(id: AssignmentId, desk: DeskArgs, format: Listing) -> Result<Exit, Failure> {
    show::Show { id, desk, format }.run()
}

/// As `assignment resolve` shows an assignment that was decided about.
pub(super) fn resolved(work: &domain::assignments::Assignment, format: Listing) -> Result<Exit, Failure> {
    let note = format!("Assignment {} is {}.", work.id, work.status().as_str());
    view::answer(work, &note, format)
}
