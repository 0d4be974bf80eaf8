use std::borrow::Cow;

use domain::change::{RepoPath, Side};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use domain::work::AcceptanceCriterion;

use super::requirement_names::{in_line, unknown};
use super::requirement_place::Place;
use crate::context::ChangeContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("ticked-without-change"),
    title: text("A criterion that is ticked while nothing it names is in the change"),
    why: text("The author may claim something that was not done"),
    fix: text("Do what the criterion asks for, or take the tick away"),
    severity: Severity::Low,
    category: Category::Correctness,
    dimension: Dimension::REQUIREMENT_ADHERENCE,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

static PATH: Pattern = Pattern::new(r"`((?:\./)?[\w.\-]+(?:/[\w.\-]+)+\.\w{1,5})`");

/// What shall stay as it is needs no change, and what shall not be is in none.
static STAYS: Pattern = Pattern::new(
    r"(?i)\b(?:unchanged|untouched|not|no|never|without|still|stays?|remains?|keeps?|kept|existing|as before|all tests?|tests? pass)\b|n't|n’t",
);

pub(crate) struct TickedWithoutChange;

impl ChangeRule for TickedWithoutChange {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let Some(item) = change.request.order.item() else { return };
        if change.files.is_empty() {
            return;
        }
        let claims = |criterion: &&AcceptanceCriterion| {
            let prose: Vec<&str> = criterion.criterion.split('`').step_by(2).collect();
            criterion.met && !STAYS.regex().is_match(prose.join("`").as_bytes())
        };
        for criterion in item.criteria.iter().filter(claims).take(MOST_CRITERIA) {
            let names = in_line(&criterion.criterion, Place::Criteria);
            let paths: Vec<String> = PATH
                .regex()
                .captures_iter(criterion.criterion.as_bytes())
                .map(|groups| String::from_utf8_lossy(&groups[1]).into_owned())
                .collect();
            let nothing_named = names.is_empty() && paths.is_empty();
            if nothing_named || paths.iter().any(|path| is_touched(change, path)) {
                continue;
            }
            let Some(missing) = unknown(change, &names) else { return };
            if missing.len() == names.len() {
                let message = format!(
                    "{} ticks \"{}\", but the change touches nothing it names",
                    item.path, criterion.criterion
                );
                report.add(Draft::summary(message));
            }
        }
    }
}

/// More are hardly read by anybody.
const MOST_CRITERIA: usize = 50;

fn is_touched(change: &ChangeContext<'_>, path: &str) -> bool {
    let path = RepoPath::from(path.strip_prefix("./").unwrap_or(path));
    let has = |side| {
        move |file: &crate::context::FileContext<'_>| {
            file.change.side(side).is_some_and(|one| one.path == path)
        }
    };
    change.files.iter().any(has.clone()(Side::Old)) || change.files.iter().any(has(Side::New))
}
