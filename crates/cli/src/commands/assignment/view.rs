//! How assignments are shown.

use domain::assignments::{Assignment, AssignmentDocument, BranchName, Review};
use domain::change::Oid;
use domain::cycle::AssignmentStatus;
use domain::tasks::{AuditEvent, TaskId};
use jiff::Timestamp;
use serde_json::Value;

use crate::commands::task::Decision;
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Cell, Tone, plain, safe, section, span, table};

pub(super) fn json(assignment: &Assignment) -> Value {
    serde_json::json!(AssignmentDocument::from(assignment))
}

/// What a command that changed an assignment says.
pub(super) fn answer(assignment: &Assignment, note: &str, format: Listing) -> Result<Exit, Failure> {
    match format {
        Listing::Json => output::print(&output::json(&json(assignment))?)?,
        Listing::Pretty => pretty::note(note),
    }
    Ok(Exit::Ok)
}

/// `7  rework  2/3  green  purple  3m 12s  Add the login`, in columns. With a width, for a terminal, the columns
/// have names.
pub(super) fn list(assignments: &[Assignment], now: Timestamp, width: Option<usize>) -> String {
    let heading = ["ID", "STATUS", "ATTEMPT", "AGENT", "REVIEWER", "AGE", "TITLE"];
    let heading = if width.is_some() && !assignments.is_empty() { &heading[..] } else { &[] };
    let rows: Vec<Vec<Cell>> = assignments.iter().map(|assignment| row(assignment, now)).collect();
    table(heading, &rows, width)
}

fn row(assignment: &Assignment, now: Timestamp) -> Vec<Cell> {
    let status = assignment.status();
    vec![
        Cell::number(assignment.id),
        Cell::text(status.as_str()).toned(tone(status)),
        Cell::text(&format!("{}/{}", assignment.review_attempt(), assignment.max_cycles())),
        Cell::text(&assignment.agent),
        Cell::text(assignment.reviewer.as_deref().unwrap_or("anybody")),
        Cell::number(span(assignment.created_at, now)),
        Cell::text(&assignment.title),
    ]
}

fn tone(status: AssignmentStatus) -> Tone {
    match status {
        AssignmentStatus::Pending => Tone::Plain,
        AssignmentStatus::Accepted | AssignmentStatus::InProgress | AssignmentStatus::Completed => {
            Tone::Attention
        }
        AssignmentStatus::Approved => Tone::Good,
        AssignmentStatus::Rework | AssignmentStatus::Escalated => Tone::Bad,
        AssignmentStatus::Closed => Tone::Faint,
    }
}

/// One assignment, what reviewers said, and everything that happened to it.
pub(super) fn page(
    assignment: &Assignment,
    reviews: &[Review],
    events: &[AuditEvent],
    now: Timestamp,
) -> String {
    let mut page = format!("Assignment {}\n{}\n\n", assignment.id, safe(&assignment.title));
    let mut row = |label: &str, value: &str| {
        if !value.is_empty() {
            page.push_str(&format!("{label:12} {}\n", safe(value)));
        }
    };
    let reason = assignment.cycle.failure_reason();
    let commit = assignment.head_commit.as_ref().map(Oid::as_str);
    let created = span(assignment.created_at, now);
    row("status", assignment.status().as_str());
    row("because", &reason.unwrap_or_default());
    row("attempt", &format!("{} of {}", assignment.review_attempt(), assignment.max_cycles()));
    row("coder", &assignment.agent);
    row("reviewer", assignment.reviewer.as_deref().unwrap_or("anybody else"));
    row("task", assignment.task.as_ref().map(TaskId::as_str).unwrap_or_default());
    row("branch", assignment.branch.as_ref().map(BranchName::as_str).unwrap_or_default());
    row("base", assignment.base.as_deref().unwrap_or_default());
    row("submitted", commit.unwrap_or_default());
    row("created", &format!("{:.0} by {}, {created} ago", assignment.created_at, assignment.created_by));
    section("Description", assignment.description.lines(), &mut page);
    let reviews: Vec<String> = reviews.iter().flat_map(|review| reviewed(review, now)).collect();
    section("Reviews", reviews.iter().map(String::as_str), &mut page);
    let context: Vec<String> =
        assignment.context.iter().map(|(key, value)| format!("{key}: {}", plain(value))).collect();
    section("Context", context.iter().map(String::as_str), &mut page);
    let choices: Vec<String> = choices(assignment);
    section("What you can do", choices.iter().map(String::as_str), &mut page);
    let happened: Vec<String> = events.iter().map(|event| happened(event, now)).collect();
    section("What happened", happened.iter().map(String::as_str), &mut page);
    page
}

fn choices(assignment: &Assignment) -> Vec<String> {
    let decisions = assignment.cycle.options().into_iter().map(Decision::offered);
    decisions
        .map(|decision| {
            let (id, word, meaning) = (assignment.id, decision.as_str(), decision.meaning());
            format!("countersign assignment resolve {id} {word:9} {meaning}")
        })
        .collect()
}

/// `attempt 2: rejected by purple at 1234567890, 3m 12s ago`, and the feedback below it.
fn reviewed(review: &Review, now: Timestamp) -> Vec<String> {
    let head = review.head_commit.as_ref().map(|head| format!(" at {}", head.short())).unwrap_or_default();
    let (attempt, outcome, by) = (review.attempt, review.outcome.as_str(), &review.reviewer);
    let line = format!("attempt {attempt}: {outcome} by {by}{head}, {} ago", span(review.at, now));
    let feedback = review.feedback.iter().flat_map(|said| said.lines()).map(|line| format!("    {line}"));
    std::iter::once(line).chain(feedback).collect()
}

/// `2026-02-03T10:00:00Z  3m 12s ago  submitted_review_result     by purple: rework`
fn happened(event: &AuditEvent, now: Timestamp) -> String {
    let what =
        ["resolution", "status", "head_commit"].iter().find_map(|key| event.detail.get(*key)?.as_str());
    let what = what.map(|what| format!(": {what}")).unwrap_or_default();
    let ago = format!("{} ago", span(event.at, now));
    format!("{:.0}  {ago:>10}  {:26}  by {}{what}", event.at, event.kind.as_str(), event.actor)
}
