use domain::tasks::{AuditEvent, StoredTask, TaskId};
use engine::escalation::Dossier;
use engine::kept::KeptReview;
use jiff::Timestamp;

use super::escalated;
use super::view::{Moment, created, standing};
use crate::pretty::{plain, safe, section, span};

/// One task and everything that happened to it.
pub(super) fn page(stored: &StoredTask, events: &[AuditEvent], dossier: &Dossier, moment: &Moment) -> String {
    let task = &stored.task;
    let mut page = format!("{}\n{}\n\n", task.id, safe(&task.title));
    let mut row = |label: &str, value: &str| {
        if !value.is_empty() {
            page.push_str(&format!("{label:12} {}\n", safe(value)));
        }
    };
    row("status", task.status.as_str());
    row("because", &standing(stored, moment).unwrap_or_default());
    row("verdict", dossier.reviews.last().map(|review| review.verdict.as_str()).unwrap_or_default());
    row("type", &task.kind);
    row("agent", &task.assigned_to);
    row("priority", &task.priority.to_string());
    row("created", &created_line(stored, moment.now));
    if task.retry_count > 0 {
        row("retries", &task.retry_count.to_string());
    }
    if let Some(most) = task.max_review_cycles {
        row("reviews", &format!("{most} at most"));
    }
    row("depends on", &joined(task.depends_on.iter().map(TaskId::as_str)));
    row("waits for", &joined(stored.waits_for.iter().map(|dependency| dependency.id.as_str())));
    row("blocks", &joined(task.blocks.iter().map(TaskId::as_str)));
    task.acceptance_criteria.iter().for_each(|criterion| row("criterion", criterion));
    task.deliverables.iter().for_each(|deliverable| row("deliverable", deliverable));
    for (heading, lines) in escalated::sections(stored, dossier) {
        section(heading, lines.iter().map(String::as_str), &mut page);
    }
    let review = KeptReview::in_events(events);
    let reviewed: Vec<String> = review.iter().flat_map(review_lines).collect();
    section("Review", reviewed.iter().map(String::as_str), &mut page);
    section("Description", task.description.lines(), &mut page);
    section("Notes", task.notes.iter().flat_map(|note| note.lines()), &mut page);
    let context: Vec<String> =
        task.context.iter().map(|(key, value)| format!("{key}: {}", plain(value))).collect();
    section("Context", context.iter().map(String::as_str), &mut page);
    let happened: Vec<String> = events.iter().map(|event| happened(event, moment.now)).collect();
    section("What happened", happened.iter().map(String::as_str), &mut page);
    page
}

/// The verdict and what it is of, then what else there is to know.
fn review_lines(review: &KeptReview) -> Vec<String> {
    std::iter::once(review.subject()).chain(review.remarks.iter().cloned()).collect()
}

fn created_line(stored: &StoredTask, now: Timestamp) -> String {
    let by = match stored.task.created_by.as_str() {
        "" => String::new(),
        by => format!(" by {by}"),
    };
    format!("{}{by}, {} ago", stored.task.created_at, span(created(stored), now))
}

fn joined<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    ids.collect::<Vec<_>>().join(", ")
}

/// `2026-02-03T10:00:00Z  3m 12s ago  retry_scheduled  by qa-1: it broke`
fn happened(event: &AuditEvent, now: Timestamp) -> String {
    let why = ["reason", "note", "decision"].iter().find_map(|key| event.detail.get(*key)?.as_str());
    let why = why.map(|why| format!(": {}", domain::text::short_line(why))).unwrap_or_default();
    let ago = format!("{} ago", span(event.at, now));
    format!("{:.0}  {ago:>10}  {:15}  by {}{why}", event.at, event.kind.as_str(), event.actor)
}
