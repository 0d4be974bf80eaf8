use std::borrow::Cow;
use std::collections::BTreeSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::requirement_names::{Named, folded, names, unknown};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::{Sample, SampleReach, neighbours};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("ticket-name-missing"),
    title: text(
        "A function, flag, variable or route that the ticket asks for and the change does not have; MAJOR for functions, types and flags, and where most are missing",
    ),
    why: text("Part of what was ordered seems to be missing"),
    fix: text("Add what is missing, or correct the ticket"),
    severity: Severity::Medium,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Speaks only of what the ticket wants to have: what is there already need not be in the change.
pub(crate) struct TicketNameMissing;

impl ChangeRule for TicketNameMissing {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(item) = change.request.order.item() else { return };
        let is_wanted = |named: &Named| named.asked_for || named.described;
        let asked: Vec<Named> = names(&item.text).into_iter().filter(is_wanted).collect();
        let writes_code =
            change.files.iter().any(|file| file.language.is_program() && file.added().next().is_some());
        if asked.is_empty() || !writes_code {
            return;
        }
        let mut missing = unknown(change, &asked).unwrap_or_default();
        if !missing.is_empty() {
            let around = around(change);
            missing.retain(|named| !around.iter().any(|text| named.is_in(text)));
        }
        if missing.len() >= MANY && missing.len() * 2 > asked.len() {
            let listed: Vec<String> =
                missing.iter().take(MOST_LISTED).map(|named| format!("`{}`", named.name)).collect();
            let message = format!(
                "{} of {} things that {} asks for by name are nowhere: {}",
                missing.len(),
                asked.len(),
                item.path,
                listed.join(", ")
            );
            report.add(Draft::summary(message).severity(Severity::Major));
        }
        for named in missing {
            let message = match named.asked_for {
                true => format!("{} asks for `{}`, which the change has nowhere", item.path, named.name),
                false => format!("{} says what `{}` does, which is nowhere", item.path, named.name),
            };
            let draft = Draft::summary(message);
            report.add(match (named.asked_for, named.has_one_form()) {
                (true, true) => draft.severity(Severity::Major),
                (true, false) => draft,
                (false, _) => draft.confidence(Confidence::Low),
            });
        }
    }
}

/// Single names can be written in another way; so many, and most of all, are not.
const MANY: usize = 3;

/// A summary has to stay one.
const MOST_LISTED: usize = 10;

/// What is looked at besides the change, per language.
const AROUND: Sample = Sample { files: 64, bytes: 1024 * 1024, reach: SampleReach::Repository };

/// What is there already need not be brought.
fn around(change: &ChangeContext<'_>) -> Vec<Vec<u8>> {
    let programs = || change.files.iter().filter(|file| file.language.is_program() && file.skipped.is_none());
    let languages: BTreeSet<Language> = programs().map(|file| file.language).collect();
    let near = languages.into_iter().flat_map(|language| {
        let files: Vec<&FileContext<'_>> = programs().filter(|file| file.language == language).collect();
        neighbours(change, &files, language, AROUND)
    });
    near.map(|one| folded(one.source.text())).collect()
}
