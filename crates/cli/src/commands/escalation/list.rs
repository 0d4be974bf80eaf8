use domain::ports::TaskStore;
use engine::escalation::{self, OpenEscalation};
use engine::story::Story;
use jiff::Timestamp;

use super::story;
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
        let (open, now) = self.desk.with_desk(Access::Read, async |at| {
            let store = &at.desk.store;
            Ok((escalation::open(store, self.limit).await?, store.now().await?))
        })?;
        let stories = story::waiting(&self.desk.store.root())?;
        match self.format {
            Listing::Json => {
                let stories = stories.iter().map(story::json);
                let stored = open.iter().map(|one| serde_json::json!(one));
                let all: Vec<serde_json::Value> = stored.chain(stories).collect();
                output::print(&output::json(&serde_json::json!({ "escalations": all }))?)?;
            }
            Listing::Pretty if open.is_empty() && stories.is_empty() => {
                pretty::note("Nothing waits for a person.");
            }
            Listing::Pretty => output::print(&shown(&open, &stories, now))?,
        }
        Ok(Exit::Ok)
    }
}

fn shown(open: &[OpenEscalation], stories: &[Story], now: Timestamp) -> String {
    let stories = stories.iter().map(|story| story::row(story, now));
    let rows: Vec<Vec<Cell>> = open.iter().map(|one| row(one, now)).chain(stories).collect();
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
