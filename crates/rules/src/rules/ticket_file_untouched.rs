use std::borrow::Cow;

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::requirement_place::{Place, placed};
use crate::context::ChangeContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("ticket-file-untouched"),
    title: text(
        "A file that the ticket names and the change does not bring: MAJOR where it is asked for; LOW where it is there, and was to be changed",
    ),
    why: text("Part of what was ordered seems to be missing"),
    fix: text("Add the file, or correct the ticket"),
    severity: Severity::Medium,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct TicketFileUntouched;

impl ChangeRule for TicketFileUntouched {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let order = change.request.order;
        for item in [&order.ticket, &order.story].into_iter().flatten() {
            for file in item.files.iter().filter(|file| is_missing(change, file)) {
                report.add(missing(&item.path, file, is_asked_for(&item.text, file)));
            }
            let kept = item.files.iter().filter(|file| !is_touched(change, file) && is_there(change, file));
            for file in kept.filter(|file| is_to_be_changed(&item.text, file)) {
                let message =
                    format!("{} wants `{file}` changed, which the change leaves as it is", item.path);
                report.add(Draft::summary(message).severity(Severity::Low));
            }
        }
    }
}

fn missing(ticket: &str, file: &str, is_asked_for: bool) -> Draft {
    match is_asked_for {
        true => Draft::summary(format!("{ticket} asks for `{file}`, which does not exist"))
            .severity(Severity::Major),
        false => Draft::summary(format!(
            "{ticket} names `{file}`, which the change does not touch and which does not exist"
        )),
    }
}

/// What orders a file, with no other verb between the two.
static BRINGS: Pattern = Pattern::new(
    r"(?i)\b(?:add|create|introduce|implement|write|provide|deliver|extend|update|edit|modify|change|adapt|move|put|place)\b",
);
static NOT_ORDERED: Pattern = Pattern::new(
    r"(?i)[.;] |\b(?:that|which|so|when|where|while|if|unless|uses?|using|calls?|writes?|reads?|creates|generates?|produces?|outputs?|prints?|from|like|as|see|than|not|never|without|instead|optional\w*|maybe|may|could|e\.g)\b|n't|n’t",
);
/// A list item that begins with the file is about it.
static ITEM: Pattern = Pattern::new(
    r"(?i)^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(?:\*\*)?(?:a |the )?(?:new )?(?:file )?$",
);
/// What a program makes of it, and what is to become of what is there.
static MADE: Pattern = Pattern::new(
    r"(?i)^[^.;]*\b(?:written|generated|produced|emitted|exported|downloaded|uploaded|loaded|parsed|read|accepted|rejected|refused|missing|absent|deleted|removed|gone|ignored|renamed|not|no longer)\b",
);
/// Where programs put what they make.
static OUTPUT: Pattern = Pattern::new(
    r"(?i)^(?:\./)?(?:[^/]+/)*(?:build|dist|out|outputs?|target|te?mp|coverage|logs?|\.?cache|node_modules|var|data)/",
);

/// Whether a line of the ticket orders the file, where it may be one that a program makes or that others have.
fn is_asked_for(ticket: &str, file: &str) -> bool {
    let quoted = format!("`{file}`");
    let is = |pattern: &Pattern, text: &str| pattern.regex().is_match(text.as_bytes());
    let orders = |line: &str| {
        let Some((before, behind)) = line.split_once(&quoted) else { return false };
        let before: String = before.split('`').step_by(2).collect();
        let verb = BRINGS.regex().find_iter(before.as_bytes()).last();
        let between = verb.and_then(|verb| before.get(verb.end()..));
        let is_ordered = between.is_some_and(|between| !is(&NOT_ORDERED, between));
        (is_ordered || is(&ITEM, &before)) && !is(&MADE, behind)
    };
    !is(&OUTPUT, file)
        && placed(ticket)
            .filter(|(place, _)| matches!(place, Place::Criteria | Place::Elsewhere))
            .any(|(_, line)| orders(line))
}

static CHANGES: Pattern = Pattern::new(
    r"(?i)(?:^|[.;:] |[-*] |\] |\band )(?:change|edit|update|modify|extend|fix|adapt|rewrite)\b",
);
static OTHERWISE: Pattern = Pattern::new(
    r"(?i)\b(?:not|never|without|like|as|see|instead|unless|if|optional\w*|maybe|could|may|e\.g)\b|n't|n’t",
);

/// Whether a line of the ticket asks for it, and says nothing else besides.
fn is_to_be_changed(ticket: &str, file: &str) -> bool {
    let quoted = format!("`{file}`");
    let mut lines = ticket.lines().filter(|line| line.contains(&quoted));
    lines
        .any(|line| CHANGES.regex().is_match(line.as_bytes()) && !OTHERWISE.regex().is_match(line.as_bytes()))
}

fn path_of(name: &str) -> RepoPath {
    RepoPath::from(name.strip_prefix("./").unwrap_or(name))
}

fn is_touched(change: &ChangeContext<'_>, name: &str) -> bool {
    let path = path_of(name);
    change.files.iter().any(|file| {
        [Side::Old, Side::New]
            .iter()
            .any(|side| file.change.side(*side).is_some_and(|side| side.path == path))
    })
}

fn is_there(change: &ChangeContext<'_>, name: &str) -> bool {
    matches!(change.request.sources.read_path(&path_of(name), Side::New), Ok(Some(_)))
}

/// A file that cannot be looked up is not called missing.
fn is_missing(change: &ChangeContext<'_>, name: &str) -> bool {
    !is_touched(change, name)
        && matches!(change.request.sources.read_path(&path_of(name), Side::New), Ok(None))
}
