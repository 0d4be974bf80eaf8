//! The findings document of a round: written, and read back with what a person made of it.

use domain::formats::findings_document::{DocumentFinding, FindingsDocument};
use domain::review::{Finding, Fingerprint};
use domain::text::short_line;

use super::{Halt, Round, Ruling, RulingKind, Story, World};

/// Who is said to have edited a document: it does not tell.
const EDITOR: &str = "whoever edited the findings document";

/// The document of the last round, with what does not count marked as accepted.
pub(super) fn of_round(story: &Story, round: &Round) -> FindingsDocument {
    let mut document = FindingsDocument::from(&round.review);
    document.story_id.clone_from(&story.order.story_id);
    document.round = round.number;
    document.branch.clone_from(&story.order.branch);
    let groups = [&mut document.critical, &mut document.important, &mut document.minor];
    for finding in groups.into_iter().flatten() {
        let known = finding.fingerprint.as_ref().and_then(|known| round.finding(known));
        finding.accepted = known.and_then(|known| accepted(story, round, known));
    }
    document
}

fn accepted(story: &Story, round: &Round, finding: &Finding) -> Option<String> {
    if let Some(Ruling { round, reason, .. }) = story.ruling(finding) {
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        return Some(format!("in round {round}{reason}"));
    }
    round.late.contains(&finding.fingerprint).then(|| {
        "recorded, does not block: it is on lines that nobody touched since the round before".to_owned()
    })
}

/// Reads the document of the last round back. What a person deleted or accepted becomes a ruling, so that it neither
/// reaches the fixer nor counts in a later round.
pub(super) fn heed(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    let Some(round) = story.round() else { return Ok(()) };
    let (number, Some(written)) = (round.number, round.written.as_ref()) else { return Ok(()) };
    let Some(text) = world.read_document(story, number)? else { return Ok(()) };
    let found = FindingsDocument::parse(&text).map_err(|error| Halt::Failed {
        what: format!("{} cannot be read: {error}", round.document.as_deref().unwrap_or("the document")),
        hint: format!("{}; or delete the file, and what was written first counts", error.hint),
    })?;
    let rulings: Vec<(Fingerprint, Ruling)> =
        written.findings().filter_map(|finding| ruling(round, finding, &found)).collect();
    story.rulings.extend(rulings);
    Ok(())
}

/// Nothing if the finding is in the document as it was.
fn ruling(
    round: &Round,
    written: &DocumentFinding,
    found: &FindingsDocument,
) -> Option<(Fingerprint, Ruling)> {
    let fingerprint = written.fingerprint.as_ref()?;
    // What is no finding, as the trouble of an inconclusive review, cannot be ruled out.
    let severity = round.finding(fingerprint)?.severity;
    if written.accepted.is_some() {
        return None;
    }
    let now = found.findings().find(|finding| is_same(finding, written));
    let (kind, reason) = match now {
        None => (RulingKind::Deleted, "deleted from the findings document".to_owned()),
        Some(finding) => (RulingKind::Accepted, finding.accepted.as_deref().map(short_line)?),
    };
    let finding = format!("{}: {}", describe(written), written.description);
    let ruling = Ruling { kind, round: round.number, by: EDITOR.to_owned(), reason, finding, severity };
    Some((fingerprint.clone(), ruling))
}

/// By fingerprint; whoever rewrote an item without its comment is believed if place or words are the same.
fn is_same(found: &DocumentFinding, written: &DocumentFinding) -> bool {
    match &found.fingerprint {
        Some(fingerprint) => written.fingerprint.as_ref() == Some(fingerprint),
        None => {
            let place = (&found.file, found.line) == (&written.file, written.line) && found.file.is_some();
            place || found.description == written.description
        }
    }
}

fn describe(finding: &DocumentFinding) -> String {
    match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.to_string(),
        (None, _) => "the change as a whole".to_owned(),
    }
}

/// What the fixer is given: everything that nobody ruled out, worst first.
pub(super) fn open(story: &Story, round: &Round) -> FindingsDocument {
    let mut document = of_round(story, round);
    let is_finding = |finding: &DocumentFinding| {
        finding.fingerprint.as_ref().is_some_and(|known| round.finding(known).is_some())
    };
    let groups = [&mut document.critical, &mut document.important, &mut document.minor];
    for group in groups {
        group.retain(|finding| finding.accepted.is_none() && is_finding(finding));
    }
    document
}

/// `src/a.rs:3: message`, for rulings.
pub(super) fn in_words(finding: &Finding) -> String {
    short_line(&format!("{}: {}", finding.location(), finding.message))
}
