use domain::ports::TaskStore;
use engine::escalation::OpenEscalation;
use jiff::Timestamp;

use super::one::with_escalations;
use crate::desk::{Access, DeskArgs};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Cell, Look, span, table};

/// List what waits for a person, what has waited longest first.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// At most this many of each kind.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    #[command(flatten)]
    desk: DeskArgs,

    /// With json, everything that is known about each.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

impl List {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (open, now) = with_escalations(&self.desk, Access::Read, async |escalations, _| {
            Ok((escalations.open(self.limit).await?, escalations.desk.store.now().await?))
        })?;
        match self.format {
            Listing::Json => {
                output::print(&output::json(&serde_json::json!({ "escalations": open }))?)?;
            }
            Listing::Pretty if open.is_empty() => pretty::note("Nothing waits for a person."),
            Listing::Pretty => output::print(&shown(&open, now))?,
        }
        Ok(Exit::Ok)
    }
}

fn shown(open: &[OpenEscalation], now: Timestamp) -> String {
    let rows: Vec<Vec<Cell>> = open.iter().map(|one| row(one, now)).collect();
    let width = Look::width_of_lists();
    let heading = ["ESCALATION", "AGENT", "ATTEMPT", "WAITS", "TITLE"];
    table(if width.is_some() { &heading } else { &[] }, &rows, width)
}

fn row(one: &OpenEscalation, now: Timestamp) -> Vec<Cell> {
    let title = match &one.reason {
        Some(reason) => format!("{}  ({reason})", one.title),
        None => one.title.clone(),
    };
    vec![
        Cell::text(&one.name().to_string()),
        Cell::text(&one.agent),
        Cell::number(one.review_attempt),
        Cell::number(span(one.since, now)),
        Cell::text(&title),
    ]
}
