//! What is told about comments that ask to ignore a rule.

use std::borrow::Cow;

use domain::config::RulesPolicy;
use domain::review::{BARE_SUPPRESSION_RULE, Confidence, Finding, rules_named};
use domain::text::{is_typing_error, nearest};
use domain::words::{Category, Dimension, Severity};

use crate::catalogue;
use crate::context::FileContext;
use crate::data::Bank;
use crate::reporter::{Draft, Reporter};
use crate::rule::{RuleInfo, text};

/// The gate tells of it, whoever reviewed.
pub(crate) static WITHOUT_REASON: RuleInfo = RuleInfo {
    id: text(BARE_SUPPRESSION_RULE),
    title: text("A comment that asks to ignore a rule and does not say why; it is not honoured"),
    why: text("Nobody can tell later whether the exception was justified"),
    fix: text("Write the reason behind two hyphens, or remove the comment"),
    severity: Severity::Low,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Needs to know the rules of the project, too.
pub(crate) static MISSPELT: RuleInfo = RuleInfo {
    id: text("suppression-misspelt"),
    title: text("A comment that asks to ignore a rule by a name that none has"),
    why: text("It accepts nothing, and whoever reads it believes that it does"),
    fix: text("Write the rule as `countersign rules list` has it"),
    severity: Severity::Low,
    category: Category::BestPractices,
    dimension: Dimension::PATTERN_CONSISTENCY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

/// Comments that name a rule nearly right. Other names may be those of a model's rules, or of another program's.
pub(crate) fn misspelt(file: &FileContext<'_>, banks: &[&Bank], policy: &RulesPolicy) -> Vec<Finding> {
    let mut asking =
        file.added().filter(|line| memchr::memmem::find(line.text, b"countersign:ignore").is_some());
    let Some(first) = asking.next() else { return Vec::new() };
    if policy.disable.iter().any(|id| *id == MISSPELT.id) {
        return Vec::new();
    }
    let own = banks.iter().flat_map(|bank| bank.heads()).map(|info| info.id.as_ref());
    let known: Vec<&str> = catalogue::ids().into_iter().chain(own).collect();
    let mut report =
        Reporter::new(&MISSPELT, policy.severity.get(MISSPELT.id.as_ref()).copied(), Some(file.change));
    for line in std::iter::once(first).chain(asking) {
        let text = String::from_utf8_lossy(line.text);
        let meant = rules_named(&text).filter(|name| !known.contains(name)).find_map(|name| {
            let near = nearest(name, known.iter().copied()).filter(|near| is_typing_error(name, near))?;
            Some(format!("There is no rule `{name}`; `{near}` was probably meant"))
        });
        if let Some(message) = meant {
            report.add(Draft::line(&line, message));
        }
    }
    report.finish()
}
