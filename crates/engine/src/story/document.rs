//! The findings document of a round: written, and read back with what a person made of it.

use domain::formats::findings_document::{DocumentFinding, FindingsDocument};
use domain::review::{Finding, Fingerprint};
use domain::text::{clean_line, short_line};

use super::judge::is_must_fix;
use super::{Halt, Round, Ruling, RulingKind, Story, World};

/// Who changed what must not be fixed, where the document does not say.
const EDITOR: &str = "the editor of the findings document";

/// The document of the last round, with what does not count marked as accepted.
pub(super) fn of_round(story: &Story, round: &Round) -> FindingsDocument {
    let mut document = FindingsDocument::from(&round.review);
    document.story_id.clone_from(&story.order.story_id);
    document.round = round.number;
    document.branch.clone_from(&story.order.branch);
    let groups = [&mut document.critical, &mut document.important, &mut document.minor];
    for written in groups.into_iter().flatten() {
        let known = written.fingerprint.as_ref().and_then(|known| round.finding(known));
        let Some(finding) = known else { continue };
        if let Some(Ruling { round, reason, by, .. }) = story.ruling(finding) {
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            written.accepted = Some(format!("in round {round}{reason}"));
            written.accepted_by = Some(by.clone());
        } else if round.late.contains(&finding.fingerprint) {
            written.accepted = Some(LATE.to_owned());
        }
    }
    document
}

const LATE: &str = "recorded, does not block: it is on lines that nobody touched since the round before";

/// Reads the document of the last round back. What a person accepted becomes a ruling, so that it neither reaches the fixer
/// nor counts in a later round; so does advice that was deleted. What must be fixed is accepted with a name and a reason
/// only.
pub(super) fn heed(story: &mut Story, world: &dyn World) -> Result<(), Halt> {
    let Some(round) = story.round() else { return Ok(()) };
    let (number, Some(written)) = (round.number, round.written.as_ref()) else { return Ok(()) };
    let Some(text) = world.read_document(story, number)? else { return Ok(()) };
    let path = round.document.as_deref().unwrap_or("the document");
    let found = FindingsDocument::parse(&text).map_err(|error| Halt::Failed {
        what: format!("{path} cannot be read: {error}"),
        hint: format!("{}; or delete the file, and what was written first counts", error.hint),
    })?;
    let (mut rulings, mut remarks) = (Vec::new(), Vec::new());
    for finding in written.findings() {
        match edit(round, written, finding, &found) {
            None => {}
            Some(Edit::Ruling(fingerprint, ruling)) => rulings.push((fingerprint, ruling)),
            Some(Edit::Incomplete(what)) => remarks.push(format!(
                "{} {what} in {path}, and still counts: to accept it, write `- **Accepted by NAME:** REASON` below it",
                describe(finding)
            )),
        }
    }
    story.rulings.extend(rulings);
    remarks.into_iter().for_each(|remark| story.remark(remark));
    Ok(())
}

/// What a person made of a finding.
enum Edit {
    Ruling(Fingerprint, Ruling),
    /// What was done to a finding that must be fixed, without a name and a reason.
    Incomplete(&'static str),
}

/// Nothing if the finding is in the document as it was.
fn edit(
    round: &Round,
    document: &FindingsDocument,
    written: &DocumentFinding,
    found: &FindingsDocument,
) -> Option<Edit> {
    let fingerprint = written.fingerprint.as_ref()?;
    // What is no finding, as the trouble of an inconclusive review, cannot be ruled out.
    let finding = round.finding(fingerprint)?;
    if written.accepted.is_some() {
        return None;
    }
    let place = (&written.file, written.line);
    let is_alone = document.findings().filter(|other| (&other.file, other.line) == place).count() == 1;
    let now = found.findings().find(|finding| is_same(finding, written, is_alone));
    let must_fix = is_must_fix(finding);
    let (kind, reason, by) = match now {
        None if must_fix => return Some(Edit::Incomplete("was deleted")),
        None => (RulingKind::Deleted, "deleted from the findings document".to_owned(), None),
        Some(finding) => {
            let reason = finding.accepted.as_deref().map(short_line)?;
            let by = finding.accepted_by.as_deref().map(clean_line).filter(|name| !name.is_empty());
            if must_fix && (reason.trim().is_empty() || by.is_none()) {
                return Some(Edit::Incomplete("was accepted without a name and a reason"));
            }
            (RulingKind::Accepted, reason, by)
        }
    };
    let ruling = Ruling {
        kind,
        round: round.number,
        by: by.unwrap_or_else(|| EDITOR.to_owned()),
        reason,
        finding: format!("{}: {}", describe(written), written.description),
        severity: finding.severity,
    };
    Some(Edit::Ruling(fingerprint.clone(), ruling))
}

/// By fingerprint. An item that was rewritten without its comment is recognised by its words, or by its place where no
/// other finding is there.
fn is_same(found: &DocumentFinding, written: &DocumentFinding, is_alone: bool) -> bool {
    match &found.fingerprint {
        Some(fingerprint) => written.fingerprint.as_ref() == Some(fingerprint),
        None => {
            let place = (&found.file, found.line) == (&written.file, written.line);
            let words = found.description == written.description;
            place && (words || (is_alone && found.file.is_some()))
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
