use std::path::{Path, PathBuf};

use git::Repository;

use super::answer::Answer;
use crate::epics::Purpose;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};

/// Check an epic and its tickets, and say everything that is wrong.
///
/// Also whether the branch it begins at, its builder and its reviewer are there: in the repository around the current
/// folder, or else around the epic. Nothing is changed and nothing is run. Warnings alone leave the exit code 0.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 it can be run, 2 it cannot.")]
pub(crate) struct Validate {
    /// The epic.
    #[arg(value_name = "EPIC.yaml")]
    epic: PathBuf,

    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Validate {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let around = repository_of(&self.epic);
        let around = around.as_ref().map_err(ToString::to_string);
        let answer = Answer::about(&self.epic, around, Purpose::Validate)?;
        output::print(&answer.shown(&self.epic.display().to_string(), self.format)?)?;
        Ok(if answer.valid { Exit::Ok } else { Exit::Invalid })
    }
}

/// Where the epic would be run from here.
fn repository_of(epic: &Path) -> Result<Repository, git::GitError> {
    let folder = epic.parent().filter(|folder| !folder.as_os_str().is_empty());
    Repository::discover(Path::new(".")).or_else(|_| Repository::discover(folder.unwrap_or(Path::new("."))))
}
