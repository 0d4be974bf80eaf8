use std::fmt::Write;

use super::attention::attention;
use super::ticket::section;
use super::{EpicReport, TicketReport, Unknown};
use crate::cycle::TicketStatus;
use crate::formats::markdown::{code, text};
use crate::review::Usage;

pub(super) const NAME_LIMIT: usize = 300;
pub(super) const FIELD_LIMIT: usize = 1_500;
const MOST_ATTENTION: usize = 200;

/// The report as a page of Markdown. Nothing that a ticket, a model or a branch says can change its layout, mention
/// a person or form a link.
pub fn markdown(report: &EpicReport) -> String {
    let mut page = head(report);
    still_to_look_at(&mut page, report);
    overview(&mut page, report);
    for ticket in &report.tickets {
        section(&mut page, ticket);
    }
    if !report.remarks.is_empty() {
        page.push_str("\n## Remarks\n\n");
        for remark in &report.remarks {
            let _ = writeln!(page, "- Note: {}", text(remark, FIELD_LIMIT));
        }
    }
    page
}

fn head(report: &EpicReport) -> String {
    let title = if report.title.trim().is_empty() { &report.epic_id } else { &report.title };
    let done = count(report, TicketStatus::Completed);
    let mut page = format!("# Epic report: {}\n\n", text(title, NAME_LIMIT));
    let _ = write!(page, "**{done} of {} tickets completed", report.tickets.len());
    for (status, word) in [(TicketStatus::Failed, "failed"), (TicketStatus::Blocked, "blocked")] {
        match count(report, status) {
            0 => {}
            several => {
                let _ = write!(page, ", {several} {word}");
            }
        }
    }
    page.push_str(".**\n\n");
    if let Some(stop) = &report.stopped {
        let _ =
            writeln!(page, "**Stopped ({}):** {}\n", stop.reason.as_str(), text(&stop.detail, FIELD_LIMIT));
    }
    let _ = write!(
        page,
        "Epic {} on branch {}",
        code(&report.epic_id, NAME_LIMIT),
        code(&report.epic_branch, NAME_LIMIT)
    );
    if let Some(commit) = &report.epic_commit {
        let _ = write!(page, " at {}", code(commit, NAME_LIMIT));
    }
    let base = [report.base_branch.as_deref(), report.base_commit.as_deref()];
    let base: Vec<_> = base.into_iter().flatten().map(|name| code(name, NAME_LIMIT)).collect();
    if !base.is_empty() {
        let _ = write!(page, ", from {}", base.join(" at "));
    }
    page.push_str(".\n");
    if let (Some(from), Some(to)) = (report.started_at, report.finished_at) {
        let _ = writeln!(page, "From {from:.0} to {to:.0}.");
    }
    let seconds = report.tickets.iter().filter_map(|ticket| ticket.seconds).sum();
    let _ = writeln!(page, "Work on tickets: {}.", duration(seconds));
    let _ = writeln!(page, "Cost: {}.", cost(&report.usage, report.unknown));
    page
}

fn count(report: &EpicReport, status: TicketStatus) -> usize {
    report.tickets.iter().filter(|ticket| ticket.status == status).count()
}

fn still_to_look_at(page: &mut String, report: &EpicReport) {
    page.push_str("\n## What a human should still look at\n\n");
    let list = attention(report);
    if list.is_empty() {
        page.push_str("Nothing beyond the usual: read the epic branch before it goes into production.\n");
    }
    for attention in list.iter().take(MOST_ATTENTION) {
        let about = match &attention.ticket {
            Some(ticket) => format!("{} ", code(ticket, NAME_LIMIT)),
            None => "The epic: ".to_owned(),
        };
        let _ = writeln!(page, "- {about}{}", text(&attention.message, FIELD_LIMIT));
    }
    if list.len() > MOST_ATTENTION {
        let _ = writeln!(page, "- And {} more.", list.len() - MOST_ATTENTION);
    }
}

fn overview(page: &mut String, report: &EpicReport) {
    page.push_str("\n## Tickets\n\n| Ticket | Status | Attempts | Score | Must fix | Time | Cost |\n");
    page.push_str("|---|---|---|---|---|---|---|\n");
    for ticket in &report.tickets {
        let last = ticket.attempts.iter().rev().find_map(|attempt| attempt.overall_score);
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} |",
            code(&ticket.id, NAME_LIMIT),
            ticket.status.as_str().replace('_', " "),
            ticket.attempts.len(),
            last.map_or_else(|| "-".to_owned(), |score| score.to_string()),
            must_fix(ticket),
            ticket.seconds.map_or_else(|| "-".to_owned(), duration),
            cost(&ticket.usage, ticket.unknown),
        );
    }
}

/// What still blocks, of the last attempt.
fn must_fix(ticket: &TicketReport) -> usize {
    ticket.attempts.last().map_or(0, |attempt| attempt.blocking_issues.len())
}

/// Who was started and did not say what it used may have used anything.
pub(super) fn cost(usage: &Usage, unknown: Unknown) -> String {
    let some_prices = usage.cost_micro_usd.is_some() && unknown.unpriced > 0;
    match (usage.calls, unknown.unmetered) {
        (0, 0) => "no model was asked".to_owned(),
        (_, 0) if !some_prices => usage.to_string(),
        (_, _) if usage.is_metered() && usage.calls > 0 => format!("at least {usage}"),
        (_, _) => "not known".to_owned(),
    }
}

pub(super) fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
