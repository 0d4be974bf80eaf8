use super::one::{self, Found};
use super::{Named, name, story};
use crate::commands::assignment;
use crate::commands::task::{self, Decision};
use crate::desk::DeskArgs;
use crate::failure::Failure;
use crate::output::{Exit, Listing};

/// Decide about an escalation. `escalation show` tells its story.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign escalation resolve assignment/7 accept\n  \
    countersign escalation resolve assignment/7 one-more --note \"Only the login matters\"")]
pub(crate) struct Resolve {
    /// The escalation, as `escalation list` shows it: assignment/7, or only 7; story/ID for a loop.
    #[arg(value_name = "ID", value_parser = name)]
    id: Named,

    /// What is to become of it.
    #[arg(value_name = "DECISION")]
    decision: Decision,

    /// Something that whoever works on it next should know; of an accepted story, why it is accepted.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    desk: DeskArgs,

    /// How it is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Resolve {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.desk.check_person()?;
        let (decision, note) = (self.decision, self.note);
        let id = match &self.id {
            Named::Story(id) => {
                let root = self.desk.store.root();
                return story::resolve(&root, id, decision, note.as_deref(), self.format);
            }
            Named::Stored(id) => id,
        };
        match one::find(&self.desk, id)? {
            Found::Task(id) => task::resolve(id, decision, note, self.desk.store, self.format),
            Found::Assignment(id) => assignment::resolve(id, decision, note, self.desk, self.format),
        }
    }
}
