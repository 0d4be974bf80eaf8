use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::{WorkItem, heading};

use crate::context::ChangeContext;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("criterion-unmet"),
    title: text("Acceptance criteria that are not ticked; MAJOR where others of the ticket are ticked"),
    why: text("The author does not claim that the work order is done"),
    fix: text("Do what is missing, and tick the criteria that are met"),
    severity: Severity::Low,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// A summary has to stay one.
const MOST_LISTED: usize = 10;

pub(crate) struct CriterionUnmet;

impl ChangeRule for CriterionUnmet {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(item) = change.request.order.item() else { return };
        let open: Vec<&str> = item
            .criteria
            .iter()
            .filter(|criterion| !criterion.met)
            .map(|criterion| criterion.criterion.as_str())
            .collect();
        if open.is_empty() {
            return;
        }
        let mut listed = open.iter().take(MOST_LISTED).copied().collect::<Vec<_>>().join("; ");
        if open.len() > MOST_LISTED {
            listed.push_str(&format!("; and {} more", open.len() - MOST_LISTED));
        }
        let draft = Draft::summary(format!(
            "{} of {} acceptance {} of {} {} not ticked: {listed}",
            open.len(),
            item.criteria.len(),
            if item.criteria.len() == 1 { "criterion" } else { "criteria" },
            item.path,
            if open.len() == 1 { "is" } else { "are" },
        ));
        // Where no box is ticked, the list says nothing about the work.
        let is_kept = open.len() < item.criteria.len() && has_acceptance_criteria(item);
        report.add(match is_kept {
            true => draft.severity(Severity::Major).confidence(Confidence::Medium),
            false => draft,
        });
    }
}

/// Without a heading for them, any checklist counts as criteria, as one of steps to take.
fn has_acceptance_criteria(item: &WorkItem) -> bool {
    let mut headings = item.text.lines().filter_map(heading);
    headings.any(|(_, title)| title.to_lowercase().contains("acceptance"))
}
