//! How tasks are shown. The JSON is the task's published format with what the store knows beside it.

use domain::tasks::{AuditEvent, StoredTask};
use serde_json::{Value, json};

use crate::pretty::safe;

pub(super) fn json(stored: &StoredTask) -> Value {
    let held = stored
        .held
        .as_ref()
        .map(|held| json!({ "holder": held.holder, "since": held.since, "until": held.until }));
    json!({
        "task": stored.task,
        "held": held,
        "reason": stored.reason,
        "blocked_because": stored.blocked_because(),
        "waits_for": stored.waits_for.iter().map(|dependency| &dependency.id).collect::<Vec<_>>(),
        "not_before": stored.not_before,
        "updated_at": stored.updated_at,
    })
}

/// `pending      50  qa        review-qa-1738588800000-a1b2c3  Review PR #456`
pub(super) fn line(stored: &StoredTask) -> String {
    let task = &stored.task;
    let why = match (stored.blocked_because(), &stored.held) {
        (Some(why), _) => format!("  ({why})"),
        (None, Some(held)) => format!("  (held by {})", safe(&held.holder)),
        (None, None) => String::new(),
    };
    format!(
        "{:11}  {:>3}  {:12}  {}  {}{why}\n",
        task.status.as_str(),
        task.priority,
        task.assigned_to,
        task.id,
        safe(&task.title)
    )
}

pub(super) fn page(stored: &StoredTask, events: &[AuditEvent]) -> String {
    let task = &stored.task;
    let mut page = format!("{}\n{}\n\n", task.id, safe(&task.title));
    let mut row = |label: &str, value: String| {
        if !value.is_empty() {
            page.push_str(&format!("{label:12} {value}\n"));
        }
    };
    row("status", task.status.as_str().to_owned());
    row("because", safe(&stored.blocked_because().or(stored.reason.clone()).unwrap_or_default()));
    row("type", task.kind.clone());
    row("agent", task.assigned_to.clone());
    row("priority", task.priority.to_string());
    row("created", format!("{} by {}", safe(&task.created_at), safe(&task.created_by)));
    if let Some(held) = &stored.held {
        row("held", format!("by {} since {:.0}", safe(&held.holder), held.since));
    }
    row("waits for", stored.waits_for.iter().map(|d| d.id.as_str()).collect::<Vec<_>>().join(", "));
    for criterion in &task.acceptance_criteria {
        row("criterion", safe(criterion));
    }
    if !task.description.is_empty() {
        page.push('\n');
        task.description.lines().for_each(|line| page.push_str(&format!("{}\n", safe(line))));
    }
    page.push_str("\nWhat happened\n");
    for event in events {
        let kind = serde_json::to_value(event.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        page.push_str(&format!(
            "  {:.0}  {}  by {}\n",
            event.at,
            kind.unwrap_or_default(),
            safe(&event.actor)
        ));
    }
    page
}
