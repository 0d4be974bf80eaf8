mod add;
mod change;
mod escalated;
mod guide;
mod list;
mod page;
mod refused;
mod resolve;
mod show;
mod view;

pub(super) use resolve::Decision;

use domain::tasks::{Finished, TaskId};

use crate::failure::Failure;
use crate::output::{Exit, Listing};
use crate::store::StoreArgs;

/// Queue work for agents, and see what became of it.
///
/// Tasks live in `.agent-communication/countersign.db` of the repository, or in the PostgreSQL that
/// COUNTERSIGN_STORE=postgres://... names.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Task {
    Add(add::Add),
    List(list::List),
    Show(show::Show),
    Cancel(change::Cancel),
    Retry(change::Retry),
    Resolve(resolve::Resolve),
    Guide(guide::Guide),
}

impl Task {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self {
            Task::Add(command) => command.run(),
            Task::List(command) => command.run(),
            Task::Show(command) => command.run(),
            Task::Cancel(command) => command.run(),
            Task::Retry(command) => command.run(),
            Task::Resolve(command) => command.run(),
            Task::Guide(command) => command.run(),
        }
    }
}

/// As `task show`, for a command that found the task in its own way.
pub(super) fn show(id: TaskId, store: StoreArgs, format: Listing) -> Result<Exit, Failure> {
    show::Show { id, store, format }.run()
}

/// As `task resolve` shows a task that was decided about.
pub(super) fn resolved(
    id: &TaskId,
    finished: &Finished,
    store: &StoreArgs,
    format: Listing,
) -> Result<Exit, Failure> {
    let shown = store.with_store_to_read(async |store| change::as_json(store, id).await)?;
    resolve::answer(id, finished, shown, format)
}
