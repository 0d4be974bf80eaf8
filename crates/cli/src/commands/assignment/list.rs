use domain::assignments::{AssignmentCursor, AssignmentFilter};
use domain::cycle::AssignmentStatus;
use domain::ports::TaskStore;

use super::view;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Look};

/// List assignments, the newest first.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only those of this coder.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    /// Only those that name this reviewer.
    #[arg(long, value_name = "AGENT")]
    reviewer: Option<String>,

    /// Only those in this state.
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<AssignmentStatus>,

    /// At most this many.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// Go on after the page that ended here.
    #[arg(long, value_name = "CURSOR")]
    after: Option<i64>,

    #[command(flatten)]
    desk: DeskArgs,

    /// With json, every assignment as a whole, and where the next page begins.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl List {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let filter = AssignmentFilter {
            status: self.status,
            agent: self.agent.clone(),
            reviewer: self.reviewer.clone(),
        };
        let (page, now) = self.desk.with_desk(Access::Read, async |at| {
            let page = at.desk.list(&filter, self.after.map(AssignmentCursor), self.limit).await?;
            Ok((page, at.desk.store.now().await?))
        })?;
        match self.format {
            Listing::Json => {
                let assignments: Vec<_> = page.assignments.iter().map(view::json).collect();
                let next = page.next.map(|AssignmentCursor(at)| at);
                let shown = serde_json::json!({ "assignments": assignments, "next": next });
                output::print(&output::json(&shown)?)?;
            }
            Listing::Pretty => {
                output::print(&view::list(&page.assignments, now, Look::width_of_lists()))?;
                if page.assignments.is_empty() {
                    pretty::note(self.nothing());
                }
                if let Some(AssignmentCursor(at)) = page.next {
                    pretty::note(&format!("There are more: go on with --after {at}"));
                }
            }
        }
        Ok(Exit::Ok)
    }

    fn nothing(&self) -> &'static str {
        match (&self.agent, &self.reviewer, self.status, self.after) {
            (None, None, None, None) => "No assignments. `countersign assignment create` makes one.",
            (_, _, _, _) => "No such assignments.",
        }
    }
}

fn status(text: &str) -> Result<AssignmentStatus, String> {
    let known = AssignmentStatus::ALL.into_iter().find(|known| known.as_str() == text);
    known.ok_or_else(|| {
        format!("expected one of {}", AssignmentStatus::ALL.map(AssignmentStatus::as_str).join(", "))
    })
}
