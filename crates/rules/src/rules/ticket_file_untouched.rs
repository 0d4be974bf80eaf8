use std::borrow::Cow;

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::ChangeContext;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("ticket-file-untouched"),
    title: text("A file that the ticket names and the change does not bring"),
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
        }
    }
}

/// A file that cannot be looked up is not called missing.
fn is_missing(change: &ChangeContext<'_>, name: &str) -> bool {
    let path = RepoPath::from(name.strip_prefix("./").unwrap_or(name));
    let touched = change.files.iter().any(|file| {
        [Side::Old, Side::New]
            .iter()
            .any(|side| file.change.side(*side).is_some_and(|side| side.path == path))
    });
    !touched && matches!(change.request.sources.read_path(&path, Side::New), Ok(None))
}
