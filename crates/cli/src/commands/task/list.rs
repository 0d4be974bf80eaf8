use domain::cycle::TaskStatus;
use domain::ports::TaskStore;
use domain::tasks::{Cursor, TaskFilter};

use super::view;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Look};
use crate::store::StoreArgs;

/// List tasks, the newest first.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only those of this agent.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    /// Only those in this state.
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<TaskStatus>,

    /// At most this many.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// Go on after the page that ended here.
    #[arg(long, value_name = "CURSOR")]
    after: Option<i64>,

    #[command(flatten)]
    store: StoreArgs,

    /// With json, every task as a whole, and where the next page begins.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl List {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let filter = TaskFilter { status: self.status, agent: self.agent.clone() };
        let (page, moment) = self.store.with_store_to_read(async |store| {
            let page = store.list(&filter, self.after.map(Cursor), self.limit).await?;
            Ok((page, view::Moment { now: store.now().await?, paused: store.paused().await? }))
        })?;
        match self.format {
            Listing::Json => {
                let tasks: Vec<_> = page.tasks.iter().map(|stored| view::json(stored, &moment)).collect();
                let next = page.next.map(|Cursor(at)| at);
                output::print(&output::json(&serde_json::json!({ "tasks": tasks, "next": next }))?)?;
            }
            Listing::Pretty => {
                output::print(&view::list(&page.tasks, &moment, Look::width_of_lists()))?;
                if page.tasks.is_empty() {
                    pretty::note(self.nothing());
                }
                if let Some(Cursor(at)) = page.next {
                    pretty::note(&format!("There are more: go on with --after {at}"));
                }
            }
        }
        Ok(Exit::Ok)
    }

    fn nothing(&self) -> &'static str {
        match (&self.agent, self.status, self.after) {
            (None, None, None) => "No tasks. `countersign task guide` says how to queue one.",
            (_, _, _) => "No such tasks.",
        }
    }
}

fn status(text: &str) -> Result<TaskStatus, String> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|_| "expected pending, in_progress, completed, failed, cancelled or escalated".to_owned())
}
