use std::borrow::Cow;

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::ChangeContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("ticket-file-untouched"),
    title: text(
        "A file that the ticket names and the change does not bring; LOW where it is there, and was to be changed",
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
                report.add(Draft::summary(format!(
                    "{} names `{file}`, which the change does not touch and which does not exist",
                    item.path
                )));
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
