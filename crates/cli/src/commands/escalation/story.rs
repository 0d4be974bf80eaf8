//! Stories among what waits for a person.

use std::path::Path;

use domain::text::brief_line;
use engine::story::{Decided, Dossier, Step, Story, markdown};
use git::Repository;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::commands::task::Decision;
use crate::failure::Failure;
use crate::loops;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Cell, span};
use crate::store::actor;

/// Those that need a decision, and blocked ones, which have had theirs and wait for a correction. None where there is
/// no repository.
pub(super) fn waiting(root: &Path) -> Result<Vec<Story>, Failure> {
    let Ok(repository) = Repository::discover(root) else { return Ok(Vec::new()) };
    let all = loops::unfinished(&repository)?;
    Ok(all.into_iter().filter(Story::waits_for_a_human).collect())
}

pub(super) fn row(story: &Story, now: Timestamp) -> Vec<Cell> {
    let reason = brief_line(&story.cycle.failure_reason().unwrap_or_default());
    let reason = match story.step == Step::Blocked {
        true => format!("blocked until corrected and resumed: {reason}"),
        false => reason,
    };
    vec![
        Cell::text(&format!("story/{}", story.id)),
        Cell::text(&story.order.fixer),
        Cell::number(story.cycle.round()),
        Cell::number(span(since(story), now)),
        Cell::text(&format!("{}  ({reason})", story.order.title)),
    ]
}

/// With the fields that other escalations have.
pub(super) fn json(story: &Story) -> Value {
    json!({
        "kind": "story",
        "id": story.id,
        "title": story.order.title,
        "agent": story.order.fixer,
        "reason": story.cycle.failure_reason(),
        "status": story.cycle.status(),
        "review_attempt": story.cycle.round(),
        "options": story.cycle.options(),
        "since": since(story),
    })
}

/// When the last thing happened to it.
fn since(story: &Story) -> Timestamp {
    let reviewed = story.round().map(|round| round.review.reviewed_at);
    let fixed = story.round().and_then(|round| round.fix()).map(|fix| fix.at);
    reviewed.into_iter().chain(fixed).max().unwrap_or(story.started_at)
}

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

pub(super) fn resolve(
    root: &Path,
    id: &str,
    decision: Decision,
    reason: Option<&str>,
    format: Listing,
) -> Result<Exit, Failure> {
    let repository = Repository::discover(root)?;
    let by = actor();
    let (story, decided) =
        loops::resolve(&repository, id, decision.resolution(), &by, reason.unwrap_or_default())?;
    let next = format!("countersign loop --resume {id}");
    match format {
        Listing::Json => output::print(&output::json(&Dossier::of(&story, Timestamp::now()))?)?,
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
