use domain::cycle::{Resolution, TaskStatus};
use domain::tasks::{Finished, Note, TaskId};
use engine::escalation;

use super::change::{self, as_json};
use super::refused::{Tried, tried};
use crate::failure::Failure;
use crate::output::{Exit, Listing};
use crate::store::{StoreArgs, task_id};

/// Decide about an escalated task. `task show` tells its story.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign task resolve review-qa-1738588800000-a1b2c3 accept\n  \
    countersign task resolve review-qa-1738588800000-a1b2c3 one-more --note \"Only the login matters\"")]
pub(crate) struct Resolve {
    /// The task, as `task list --status escalated` shows it.
    #[arg(value_name = "ID", value_parser = task_id)]
    id: TaskId,

    /// What is to become of it.
    #[arg(value_name = "DECISION")]
    decision: Decision,

    /// Something that whoever works on it next should know.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    store: StoreArgs,

    /// How the task is shown afterwards.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Decision {
    /// Take it with its findings.
    Accept,
    /// Have what was found fixed and reviewed once more; a review that proved nothing is made again.
    OneMore,
    /// End it without a result.
    Close,
    /// Pause and fix it by hand. Stories only.
    Block,
}

impl Decision {
    /// As it is typed.
    pub(crate) fn offered(resolution: Resolution) -> Decision {
        match resolution {
            Resolution::Accept => Decision::Accept,
            Resolution::OneMore => Decision::OneMore,
            Resolution::Close => Decision::Close,
            Resolution::Block => Decision::Block,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Decision::Accept => "accept",
            Decision::OneMore => "one-more",
            Decision::Close => "close",
            Decision::Block => "block",
        }
    }

    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Decision::Accept => "take it with its findings",
            Decision::OneMore => "have it tried once more",
            Decision::Close => "end it without a result",
            Decision::Block => "fix it by hand",
        }
    }

    pub(crate) fn resolution(self) -> Resolution {
        match self {
            Decision::Accept => Resolution::Accept,
            Decision::OneMore => Resolution::OneMore,
            Decision::Close => Resolution::Close,
            Decision::Block => Resolution::Block,
        }
    }
}

impl Resolve {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let note = self.note.as_deref().map(|text| Note::guidance(&self.store.actor(), text)).transpose();
        let note =
            note.map_err(|invalid| Failure::new(invalid, "say in a few sentences what should be known"))?;
        let resolution = self.decision.resolution();
        let outcome = self.store.with_store(async |store| {
            let resolved =
                escalation::resolve_task(store, &self.id, resolution, note.as_ref(), &self.store.actor())
                    .await;
            match tried(store, &self.id, resolved).await? {
                Tried::Done(finished) => Ok(Tried::Done((finished, as_json(store, &self.id).await?))),
                Tried::NotNow(stored) => Ok(Tried::NotNow(stored)),
            }
        })?;
        let verb = format!("resolved with `{}`", self.decision.as_str());
        let (finished, shown) = outcome.or_refuse(&verb)?;
        answer(&self.id, &finished, shown, self.format)
    }
}

/// `shown` is the task as it stands now.
pub(super) fn answer(
    id: &TaskId,
    finished: &Finished,
    mut shown: serde_json::Value,
    format: Listing,
) -> Result<Exit, Failure> {
    let follow_ups: Vec<&TaskId> = finished.follow_ups.iter().map(domain::tasks::Added::id).collect();
    shown["follow_ups"] = serde_json::json!(follow_ups);
    change::answer(&shown, &what_follows(id, finished), format)
}

fn what_follows(id: &TaskId, finished: &Finished) -> String {
    match (finished.status, finished.follow_ups.first()) {
        (_, Some(fix)) => format!("{} will correct what the last review of {id} found.", fix.id()),
        (TaskStatus::Completed, None) => format!("{id} is accepted as it is."),
        (TaskStatus::Cancelled, None) => format!("{id} is closed."),
        (TaskStatus::Pending, None) => format!("{id} is pending again."),
        (TaskStatus::InProgress | TaskStatus::Failed | TaskStatus::Escalated, None) => {
            format!("{id} is {}.", finished.status.as_str())
        }
    }
}
