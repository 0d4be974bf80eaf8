//! How a story is shown to whoever decides about it.

use std::path::Path;

use engine::story::{Decided, Dossier, Story, markdown};
use git::Repository;
use jiff::Timestamp;

use crate::commands::task::Decision;
use crate::failure::Failure;
use crate::loops;
use crate::output::{self, Exit, Listing};
use crate::pretty;

pub(super) fn show(root: &Path, id: &str, format: Listing) -> Result<Exit, Failure> {
    let repository = Repository::discover(root)?;
    let story = loops::find(&repository, id)?.ok_or_else(|| unknown(id))?;
    let dossier = Dossier::of(&story, Timestamp::now());
    output::print(&match format {
        Listing::Json => output::json(&dossier)?,
        Listing::Pretty => markdown(&dossier) + &decisions(&story),
    })?;
    Ok(Exit::Ok)
}

fn decisions(story: &Story) -> String {
    let offered: Vec<String> = story
        .cycle
        .options()
        .into_iter()
        .map(Decision::offered)
        .map(|decision| {
            let id = &story.id;
            format!(
                "- `countersign escalation resolve story/{id} {}`: {}",
                decision.as_str(),
                decision.meaning()
            )
        })
        .collect();
    if offered.is_empty() {
        String::new()
    } else {
        format!("\n## What you can do\n\n{}\n", offered.join("\n"))
    }
}

pub(super) fn resolved(story: &Story, decided: Decided, format: Listing) -> Result<Exit, Failure> {
    let id = &story.id;
    let next = format!("countersign loop --resume {id}");
    match format {
        Listing::Json => output::print(&output::json(&Dossier::of(story, Timestamp::now()))?)?,
        Listing::Pretty => pretty::note(&match decided {
            Decided::Blocked => format!("story/{id} is blocked. When it is corrected: {next}"),
            Decided::Accepted => format!("story/{id} is accepted as it is."),
            Decided::GoesOn => format!("story/{id} goes on with: {next}"),
        }),
    }
    Ok(Exit::Ok)
}

fn unknown(id: &str) -> Failure {
    Failure::new(
        format!("there is no story/{id} here"),
        "`countersign escalation list` shows what waits for a person",
    )
}
