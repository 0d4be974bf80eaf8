mod facts;
mod text;

use domain::cycle::TaskStatus;
use domain::ports::TaskStore;
use domain::tasks::{Note, Refusal, StoredTask, TaskId};

use self::facts::Facts;
use super::change::{answer, as_json};
use super::refused::{Tried, tried, what_works};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::store::{StoreArgs, task_id};

/// Explain how to queue work here; or, with an ID and a text, guide the task.
///
/// Without arguments it prints what a person, a program or a coding agent has to know to queue work in this
/// repository: its agents and limits, the task's format, where files go and what comes back.
///
/// With an ID, the text is kept with the task as guidance. Whoever works on it now does not see it; the next attempt
/// does, and so do the fixes that follow from it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign task guide\n  \
    countersign task guide fix-engineer-1738588800000-a1b2c3 \"Keep the old endpoint; only add the new one\"")]
pub(crate) struct Guide {
    /// The task to guide, as `task list` shows it.
    #[arg(value_name = "ID", value_parser = task_id, requires = "text")]
    id: Option<TaskId>,

    /// What the agent should know. Several words need no quotes.
    #[arg(value_name = "TEXT", num_args = 1..)]
    text: Vec<String>,

    #[command(flatten)]
    store: StoreArgs,

    /// With json, the guide as data, or the guided task.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl Guide {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match &self.id {
            Some(id) => self.guide(id),
            None => self.explain(),
        }
    }

    fn explain(&self) -> Result<Exit, Failure> {
        let facts = Facts::of(&self.store.operator_config()?);
        output::print(&match self.format {
            Listing::Json => output::json(&facts)?,
            Listing::Pretty => text::page(&facts)?,
        })?;
        Ok(Exit::Ok)
    }

    fn guide(&self, id: &TaskId) -> Result<Exit, Failure> {
        let note = Note::guidance(&self.store.actor(), &self.text.join(" "))
            .map_err(|invalid| Failure::new(invalid, "say in a few sentences what the agent should know"))?;
        let guided = self.store.with_store(async |store| {
            let kept = store.add_note(id, &note, &self.store.actor()).await;
            match tried(store, id, kept).await? {
                Tried::NotNow(stored) => Ok(Tried::NotNow(stored)),
                Tried::Done(()) => {
                    let stored = store.get(id).await?.ok_or_else(|| Refusal::NotFound(id.clone()))?;
                    Ok(Tried::Done((what_next(&stored), as_json(store, id).await?)))
                }
            }
        })?;
        let (next, shown) = guided.or_refuse("guided")?;
        answer(&shown, &next, self.format)
    }
}

fn what_next(stored: &StoredTask) -> String {
    let id = &stored.task.id;
    match stored.task.status {
        TaskStatus::Pending => format!("Whoever takes {id} will see it."),
        TaskStatus::InProgress => {
            format!("{id} is being worked on: what is under way does not see it, the next attempt does.")
        }
        TaskStatus::Failed => {
            format!("Kept. {id} has failed: `countersign task retry {id}` has it begin again.")
        }
        TaskStatus::Escalated => format!("Kept. {id} is escalated: {}.", what_works(stored)),
        TaskStatus::Completed | TaskStatus::Cancelled => format!("Kept with {id}."),
    }
}
