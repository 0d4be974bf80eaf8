use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::requirement_names::{Named, names, unknown};
use crate::context::ChangeContext;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("ticket-name-missing"),
    title: text("A function, flag, variable or route that the ticket asks for and the change does not have"),
    why: text("Part of what was ordered seems to be missing"),
    fix: text("Add what is missing, or correct the ticket"),
    severity: Severity::Medium,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Speaks only of what the ticket wants to have added: what is there already need not be in the change.
pub(crate) struct TicketNameMissing;

impl ChangeRule for TicketNameMissing {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(item) = change.request.order.item() else { return };
        let asked: Vec<Named> = names(&item.text).into_iter().filter(|named| named.asked_for).collect();
        let writes_code =
            change.files.iter().any(|file| file.language.is_program() && file.added().next().is_some());
        if asked.is_empty() || !writes_code {
            return;
        }
        for named in unknown(change, &asked).unwrap_or_default() {
            report.add(Draft::summary(format!(
                "{} asks for `{}`, which the change has nowhere",
                item.path, named.name
            )));
        }
    }
}
