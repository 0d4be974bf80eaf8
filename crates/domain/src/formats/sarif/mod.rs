//! SARIF 2.1.0, in the shape GitHub code scanning asks for.

mod result;
mod rules;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use self::rules::Catalogue;
use super::RuleDescription;
use super::escape::{clean, clip};
use super::shown::{body, stand_in, worst_first};
use crate::review::{Finding, Review, Verdict};
use crate::words::Level;

/// GitHub refuses a run with more results.
const MOST_RESULTS: usize = 25_000;

/// The name that stands for the repository's root in every location.
const ROOT: &str = "%SRCROOT%";

const FIELD_LIMIT: usize = 4_000;

/// Renders findings and suppressed findings as results of one run. `rules` describes the rules that could
/// have fired; one that fired without a description gets a minimal entry.
///
/// GitHub takes no result without a location, so what concerns the whole change is put at the first reviewed
/// file. If there is no file at all it becomes a notification, as does everything that kept the review from
/// being conclusive, and what there is to say about how it was made.
pub fn render(review: &Review, tool_version: &str, rules: &[RuleDescription]) -> Value {
    let mut catalogue = Catalogue::new(rules);
    let stand_in = stand_in(review);
    let mut notifications: Vec<_> = review
        .troubles
        .iter()
        .map(|trouble| notification(Level::Error, &trouble.kind, &trouble.message))
        .collect();

    let (kept, left_out) = reported(review);
    let mut results = Vec::with_capacity(kept.len());
    for (finding, accepted) in kept {
        match result::of(finding, accepted, review, stand_in, &mut catalogue) {
            Some(result) => results.push(result),
            None => notifications.push(notification(
                Level::Warning,
                &finding.rule,
                &body(finding, None, FIELD_LIMIT),
            )),
        }
    }
    if left_out > 0 {
        let message = format!("{left_out} results were left out: a run holds at most {MOST_RESULTS}.");
        notifications.push(notification(Level::Warning, "left_out", &message));
    }
    notifications.extend(review.remarks.iter().map(|remark| notification(Level::Info, "remark", remark)));

    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver(tool_version, catalogue.entries()) },
            "automationDetails": { "id": "countersign/" },
            "invocations": [{
                "executionSuccessful": review.verdict() != Verdict::Inconclusive,
                "endTimeUtc": review.reviewed_at.to_string(),
                "toolExecutionNotifications": notifications,
            }],
            "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the repository." } } },
            "columnKind": "utf16CodeUnits",
            "results": results,
            "properties": {
                "verdict": review.verdict().as_str(),
                "overallScore": review.decision.overall_score,
            },
        }],
    })
}

fn driver(tool_version: &str, rules: &[Value]) -> Value {
    json!({
        "name": "Countersign",
        "organization": "Countersign",
        "version": tool_version,
        "semanticVersion": tool_version,
        "rules": rules,
    })
}

/// Findings, then suppressed findings with the reason they were accepted for, in the order of the review;
/// and how many are too many. What is left out is the mildest.
fn reported(review: &Review) -> (Vec<(&Finding, Option<&str>)>, usize) {
    let total = review.findings.len() + review.suppressed.len();
    let open: Vec<_> =
        if total > MOST_RESULTS { worst_first(review) } else { review.findings.iter().collect() };
    let accepted =
        review.suppressed.iter().map(|accepted| (&accepted.finding, Some(accepted.reason.as_str())));
    let reported =
        open.into_iter().map(|finding| (finding, None)).chain(accepted).take(MOST_RESULTS).collect();
    (reported, total.saturating_sub(MOST_RESULTS))
}

fn notification(level: Level, kind: &str, message: &str) -> Value {
    json!({
        "descriptor": { "id": clip(&clean(kind), 128) },
        "level": word(level),
        "message": { "text": literal(message) },
    })
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// Text for a message, where `{0}` would be a placeholder and `[a](b)` a link. Other braces stay single:
/// hardly any viewer undoes the doubling.
fn literal(text: &str) -> String {
    let text = clean(text).replace("](", "] (");
    let mut literal = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(open) = rest.find('{') {
        let digits = rest[open + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let close = open + 1 + digits;
        literal.push_str(&rest[..open]);
        if digits > 0 && rest[close..].starts_with('}') {
            literal.push_str(&format!("{{{}}}", &rest[open..=close]));
            rest = &rest[close + 1..];
        } else {
            literal.push_str(&rest[open..close]);
            rest = &rest[close..];
        }
    }
    literal + rest
}
