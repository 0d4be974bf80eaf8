use std::cmp::Reverse;
use std::fmt::Write;

use super::page::{FIELD_LIMIT, NAME_LIMIT, cost, duration};
use super::{AttemptOutcome, AttemptReport, Merge, TicketReport};
use crate::cycle::{TicketStatus, Work};
use crate::formats::markdown::{code, text};
use crate::formats::review_report::ReportFinding;
use crate::words::Level;

/// Of each attempt; the rest is counted.
const MOST_FINDINGS: usize = 50;
const MOST_ATTEMPTS: usize = 50;

/// One ticket with all of its attempts.
pub(super) fn section(page: &mut String, ticket: &TicketReport) {
    let _ = writeln!(page, "\n### {}: {}\n", code(&ticket.id, NAME_LIMIT), text(&ticket.title, NAME_LIMIT));
    let _ = write!(page, "Status: **{}**", ticket.status.as_str().replace('_', " "));
    if ticket.status != TicketStatus::Completed {
        let _ = write!(page, ", {}", text(&ticket.why(), FIELD_LIMIT));
    }
    page.push_str(".\n");
    if let Some(branch) = &ticket.branch {
        let _ = write!(page, "Branch: {}", code(branch, NAME_LIMIT));
        let commits = [ticket.base_commit.as_deref(), ticket.final_commit.as_deref()];
        for (word, commit) in ["from", "to"].iter().zip(commits) {
            if let Some(commit) = commit {
                let _ = write!(page, " {word} {}", code(commit, NAME_LIMIT));
            }
        }
        page.push_str(".\n");
    }
    if let Some(merge) = merge(&ticket.merge) {
        let _ = writeln!(page, "{merge}");
    }
    match (ticket.cut_off, ticket.attempts.is_empty()) {
        (0, true) => page.push_str("It was never begun.\n"),
        (0, false) => {}
        (1, _) => page.push_str("Work on it was interrupted once.\n"),
        (several, _) => {
            let _ = writeln!(page, "Work on it was interrupted {several} times.");
        }
    }
    for number in ticket.attempts.iter().take(MOST_ATTEMPTS) {
        attempt(page, number);
    }
    if ticket.attempts.len() > MOST_ATTEMPTS {
        let _ = writeln!(page, "\nAnd {} more attempts.", ticket.attempts.len() - MOST_ATTEMPTS);
    }
    if !ticket.accepted_late.is_empty() {
        page.push_str("\n#### Found late and let through\n\n");
        findings(page, &ticket.accepted_late);
    }
}

fn merge(merge: &Merge) -> Option<String> {
    match merge {
        Merge::NotAttempted => None,
        Merge::Merged { commit } => Some(format!("Merged as {}.", code(commit, NAME_LIMIT))),
        Merge::Conflict { files } => {
            let files: Vec<_> = files.iter().take(20).map(|file| code(file, NAME_LIMIT)).collect();
            Some(format!("**Conflict** with the epic branch: {}.", files.join(", ")))
        }
        Merge::Refused { reason } => Some(format!("**Not merged:** {}", text(reason, FIELD_LIMIT))),
    }
}

fn attempt(page: &mut String, attempt: &AttemptReport) {
    let (number, what) = (attempt.attempt, work(attempt.work));
    let _ = write!(page, "\n#### Attempt {number} ({what}): {}", outcome(&attempt.outcome));
    if let Some(score) = attempt.overall_score {
        let _ = write!(page, ", score {score} of 100");
    }
    page.push_str("\n\n");
    if let Some(why) = &attempt.rebased_after {
        let _ = writeln!(page, "Rebase, because {}\n", text(why, FIELD_LIMIT));
    }
    if let Some(reason) = reason(&attempt.outcome) {
        let _ = writeln!(page, "Reason: {}\n", text(reason, FIELD_LIMIT));
    }
    let mut facts = Vec::new();
    facts.extend(attempt.reviewer.as_deref().map(|name| format!("reviewed by {}", text(name, NAME_LIMIT))));
    facts.extend(attempt.seconds.map(duration));
    facts.push(cost(&attempt.usage, attempt.unknown));
    let _ = writeln!(page, "Took: {}.", facts.join("; "));
    for correction in &attempt.corrected {
        let _ = writeln!(page, "\n**The report was corrected:** {}", text(correction, FIELD_LIMIT));
    }
    scores(page, attempt);
    must_fix(page, attempt);
    if !attempt.findings.is_empty() {
        let _ = writeln!(page, "\nFindings ({}):\n", attempt.findings.len());
        findings(page, &attempt.findings);
    }
}

/// What a verdict rests on besides findings: it may rest on that alone.
fn scores(page: &mut String, attempt: &AttemptReport) {
    let scored = attempt.dimension_scores.0.iter().take(MOST_FINDINGS);
    let scored: Vec<_> =
        scored.map(|(name, scored)| format!("{} {}", code(name, NAME_LIMIT), scored.score)).collect();
    if !scored.is_empty() {
        let _ = writeln!(page, "\nScores: {}.", scored.join(", "));
    }
    if !attempt.unmet.is_empty() {
        page.push_str("\nNot met:\n\n");
        for unmet in attempt.unmet.iter().take(MOST_FINDINGS) {
            let (name, actual) = (code(&unmet.name, NAME_LIMIT), text(&unmet.actual, FIELD_LIMIT));
            let required = match unmet.required.strip_prefix(">= ") {
                Some(least) => format!("at least {}", text(least, NAME_LIMIT)),
                None => text(&unmet.required, NAME_LIMIT),
            };
            let _ = writeln!(page, "- {name}: {actual}, required: {required}");
        }
    }
}

fn must_fix(page: &mut String, attempt: &AttemptReport) {
    if attempt.blocking_issues.is_empty() {
        return;
    }
    let _ = writeln!(page, "\nMust fix ({}):\n", attempt.blocking_issues.len());
    for issue in attempt.blocking_issues.iter().take(MOST_FINDINGS) {
        let (dimension, message) = (code(&issue.dimension, NAME_LIMIT), text(&issue.message, FIELD_LIMIT));
        let _ = writeln!(page, "- {dimension}: {message}");
        let action = text(&issue.required_action, FIELD_LIMIT);
        if !action.is_empty() {
            let _ = writeln!(page, "  - Required: {action}");
        }
    }
    and_more(page, attempt.blocking_issues.len());
}

/// The worst first.
fn findings(page: &mut String, findings: &[ReportFinding]) {
    let mut sorted: Vec<_> = findings.iter().collect();
    sorted.sort_by_key(|finding| Reverse(finding.severity));
    for finding in sorted.into_iter().take(MOST_FINDINGS) {
        let place = match (&finding.file, finding.line) {
            (Some(file), Some(line)) => format!(" {}", code(&format!("{file}:{line}"), NAME_LIMIT)),
            (Some(file), None) => format!(" {}", code(&file.to_string(), NAME_LIMIT)),
            (None, _) => String::new(),
        };
        let _ = writeln!(
            page,
            "- **{}**{place}: {}",
            level(finding.severity),
            text(&finding.message, FIELD_LIMIT)
        );
        let suggestion = text(&finding.suggestion, FIELD_LIMIT);
        if !suggestion.is_empty() {
            let _ = writeln!(page, "  - Fix: {suggestion}");
        }
    }
    and_more(page, findings.len());
}

fn and_more(page: &mut String, all: usize) {
    if all > MOST_FINDINGS {
        let _ = writeln!(page, "- And {} more.", all - MOST_FINDINGS);
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "info",
    }
}

fn work(work: Work) -> &'static str {
    match work {
        Work::Build => "original",
        Work::Revise => "revision",
        Work::Repair => "repair",
        Work::Rebase => "rebase",
    }
}

fn outcome(outcome: &AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Passed => "passed",
        AttemptOutcome::Failed => "failed its review",
        AttemptOutcome::Invalid { .. } => "failed validation",
        AttemptOutcome::Inconclusive { .. } => "inconclusive",
        AttemptOutcome::Crashed { .. } => "the builder did not finish",
        AttemptOutcome::Unreviewed => "validated, not reviewed",
        AttemptOutcome::NotReviewed => "not reviewed yet",
    }
}

fn reason(outcome: &AttemptOutcome) -> Option<&str> {
    match outcome {
        AttemptOutcome::Passed
        | AttemptOutcome::Failed
        | AttemptOutcome::Unreviewed
        | AttemptOutcome::NotReviewed => None,
        AttemptOutcome::Invalid { reason }
        | AttemptOutcome::Inconclusive { reason }
        | AttemptOutcome::Crashed { reason } => Some(reason),
    }
}
