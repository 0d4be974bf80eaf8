//! What is said when a run rests.

use std::path::Path;

use domain::cycle::TicketStatus;
use domain::epic::TicketId;
use domain::epic::report::{AttentionKind, EpicReport, Merge, TicketReport, Unknown, attention};
use domain::review::Usage;
use domain::text::brief_line;
use engine::epic::Ended;

use crate::failure::Failure;
use crate::output::{self, Listing};
use crate::pretty::{Cell, Look, Tone, safe, table};

pub(super) fn summary(
    report: &EpicReport,
    ended: Ended,
    id: &TicketId,
    path: &Path,
    format: Listing,
) -> Result<String, Failure> {
    match format {
        Listing::Json => output::json(report),
        Listing::Pretty => {
            let (tickets, reasons, closing) = (tickets(report), reasons(report), closing(report, ended, id));
            Ok(format!("{tickets}\n{reasons}{closing}Full report: {}\n", safe(&path.to_string_lossy())))
        }
    }
}

/// What the table has no room for: why tickets failed, and what was not merged.
fn reasons(report: &EpicReport) -> String {
    let shown = [
        AttentionKind::Failed,
        AttentionKind::Conflict,
        AttentionKind::NotMerged,
        AttentionKind::MovedBranch,
    ];
    let mut lines = String::new();
    for one in attention(report).iter().filter(|one| shown.contains(&one.kind)) {
        let ticket = one.ticket.as_ref().map(|id| format!("{id} ")).unwrap_or_default();
        lines.push_str(&format!("{}\n", safe(&format!("{ticket}{}", one.message))));
        if one.kind == AttentionKind::Failed {
            let failed = report.tickets.iter().find(|ticket| Some(&ticket.id) == one.ticket.as_ref());
            lines.extend(failed.into_iter().flat_map(blocking));
        }
    }
    if lines.is_empty() { lines } else { format!("{lines}\n") }
}

/// What its last review asks for.
fn blocking(ticket: &TicketReport) -> Vec<String> {
    let issues = ticket.attempts.last().map(|attempt| attempt.blocking_issues.as_slice()).unwrap_or_default();
    let shown =
        issues.iter().take(MOST_NAMED).map(|issue| format!("    {}\n", safe(&brief_line(&issue.message))));
    let more = issues.len().saturating_sub(MOST_NAMED);
    shown.chain((more > 0).then(|| format!("    and {more} more\n"))).collect()
}

/// One line per ticket.
pub(super) fn tickets(report: &EpicReport) -> String {
    let heading = ["TICKET", "STATUS", "REVISIONS", "SCORE", "TIME", "COST", "NOTE"];
    let rows: Vec<Vec<Cell>> = report.tickets.iter().map(row).collect();
    table(&heading, &rows, Look::width_of_lists())
}

fn row(ticket: &TicketReport) -> Vec<Cell> {
    let score = ticket.attempts.iter().rev().find_map(|attempt| attempt.overall_score);
    let revisions = ticket.attempts.last().map_or(0, |attempt| attempt.attempt);
    vec![
        Cell::text(&ticket.id),
        Cell::text(ticket.status.as_str()).toned(tone(ticket.status)),
        Cell::number(revisions),
        Cell::number(score.map_or_else(|| "-".to_owned(), |score| score.to_string())),
        Cell::number(ticket.seconds.map_or_else(|| "-".to_owned(), duration)),
        Cell::number(money(&ticket.usage, ticket.unknown)),
        Cell::text(&note(ticket)),
    ]
}

fn tone(status: TicketStatus) -> Tone {
    match status {
        TicketStatus::Completed => Tone::Good,
        TicketStatus::Failed => Tone::Bad,
        TicketStatus::Blocked | TicketStatus::NeedsRevision => Tone::Attention,
        TicketStatus::Pending
        | TicketStatus::Queued
        | TicketStatus::Executing
        | TicketStatus::Validating
        | TicketStatus::Reviewing => Tone::Plain,
    }
}

fn note(ticket: &TicketReport) -> String {
    if let Some(reason) = &ticket.failure_reason {
        return brief_line(reason);
    }
    if let Some(stop) = &ticket.stopped {
        return brief_line(&format!("{}: {}", stop.reason.as_str(), stop.detail));
    }
    match (&ticket.merge, &ticket.branch) {
        (Merge::Merged { commit }, _) => format!("merged as {}", commit.get(..10).unwrap_or(commit)),
        (Merge::Conflict { .. } | Merge::Refused { .. } | Merge::NotAttempted, Some(branch)) => {
            branch.clone()
        }
        (Merge::Conflict { .. } | Merge::Refused { .. } | Merge::NotAttempted, None) => String::new(),
    }
}

fn closing(report: &EpicReport, ended: Ended, id: &TicketId) -> String {
    let done = report.tickets.iter().filter(|ticket| ticket.status == TicketStatus::Completed).count();
    let all = report.tickets.len();
    let said = match ended {
        Ended::Completed => format!("Epic {id} is completed: {all} of {all} tickets"),
        Ended::Failed | Ended::Inconclusive => {
            let (unproved, retry) = (unproved(report, ended), retry(report, id).unwrap_or_default());
            format!("Epic {id} is not completed: {done} of {all} tickets. {unproved}{retry}")
        }
        Ended::Stopped => {
            let why = why_it_stands_still(report);
            format!(
                "Epic {id} stands still with {done} of {all} tickets: {why}. Go on with: countersign epic resume {id}"
            )
        }
    };
    format!("{}. Cost: {}.\n", safe(&said), money(&report.usage, report.unknown))
}

fn failed(report: &EpicReport) -> Vec<&str> {
    let failed = report.tickets.iter().filter(|ticket| ticket.status == TicketStatus::Failed);
    failed.map(|ticket| ticket.id.as_str()).collect()
}

/// More names than this do not help.
const MOST_NAMED: usize = 5;

fn named(ids: &[&str]) -> String {
    match ids.len().saturating_sub(MOST_NAMED) {
        0 => ids.join(", "),
        more => format!("{} and {more} more", ids[..MOST_NAMED].join(", ")),
    }
}

fn unproved(report: &EpicReport, ended: Ended) -> String {
    match ended {
        Ended::Inconclusive => format!("The reviews of {} prove nothing. ", named(&failed(report))),
        Ended::Completed | Ended::Failed | Ended::Stopped => String::new(),
    }
}

/// How a ticket that failed is tried again, if one did.
pub(super) fn retry(report: &EpicReport, id: &TicketId) -> Option<String> {
    let failed = failed(report);
    let first = failed.first()?;
    let which = if failed.len() == 1 { String::new() } else { format!(" (failed: {})", named(&failed)) };
    Some(format!("Try {first} again with: countersign epic resume {id} --retry {first}{which}"))
}

/// What holds the whole epic, or else each ticket that is held by something of its own.
pub(super) fn why_it_stands_still(report: &EpicReport) -> String {
    if let Some(stop) = &report.stopped {
        return brief_line(&stop.detail);
    }
    let over = [TicketStatus::Failed, TicketStatus::Blocked];
    let open = report.tickets.iter().filter(|ticket| !over.contains(&ticket.status));
    let held = open.filter_map(|ticket| Some((&ticket.id, ticket.stopped.as_ref()?)));
    let mut held = held.map(|(id, stop)| format!("{id}, {}", brief_line(&stop.detail)));
    let first = held.next().unwrap_or_default();
    match held.count() {
        0 => first,
        more => format!("{first} (and {more} more, see the table)"),
    }
}

/// `1 h 2 min`, `3 min 4 s`, `5 s`.
fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// What it cost in money where that is known, else in calls.
fn money(usage: &Usage, unknown: Unknown) -> String {
    let least = if unknown.is_nothing() { "" } else { "at least " };
    match usage.cost_micro_usd {
        Some(micro) => {
            format!("{least}${}.{:02}", micro.div_ceil(10_000) / 100, micro.div_ceil(10_000) % 100)
        }
        None if unknown.unmetered > 0 => "not known".to_owned(),
        None if usage.calls == 0 => "none".to_owned(),
        None if usage.calls == 1 => "1 call".to_owned(),
        None => format!("{} calls", usage.calls),
    }
}
