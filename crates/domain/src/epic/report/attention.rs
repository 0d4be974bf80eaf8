use std::collections::BTreeSet;

use serde::Serialize;

use super::{AttemptOutcome, EpicReport, Merge, Tests, TicketReport};
use crate::cycle::{ReviewMode, TicketStatus};
use crate::text::short_line;

/// Something a human should still look at, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attention {
    pub kind: AttentionKind,
    /// `None` if it is about the epic as a whole.
    pub ticket: Option<String>,
    pub message: String,
}

/// In the order of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    Stopped,
    Failed,
    Conflict,
    NotMerged,
    Blocked,
    Unfinished,
    Inconclusive,
    CorrectedReport,
    MovedBranch,
    Rebased,
    AcceptedLate,
    Unreviewed,
    NoTests,
    LowScore,
}

/// A score that passed by no more than this deserves a second look.
const CLOSE: i64 = 5;

/// Of those that nobody reviewed; whoever looks finds the others.
const MOST_COMMITS: usize = 10;

/// What is left to do for people, the most urgent first, else in the order of the epic.
pub fn attention(report: &EpicReport) -> Vec<Attention> {
    let mut list = Vec::new();
    let mut about_epic = |kind, message: String| list.push(Attention { kind, ticket: None, message });
    if let Some(stop) = &report.stopped {
        let why = format!("it stopped ({}): {}", stop.reason.as_str(), or_nothing(&stop.detail));
        about_epic(AttentionKind::Stopped, why);
    }
    if report.review == ReviewMode::Off {
        about_epic(AttentionKind::Unreviewed, "reviews are off: nobody looked at the code".to_owned());
    }
    if !report.unreviewed.is_empty() {
        let commits = match report.unreviewed.len() {
            1 => "a commit".to_owned(),
            several => format!("{several} commits"),
        };
        let mut named =
            report.unreviewed.iter().take(MOST_COMMITS).map(|one| short_line(one)).collect::<Vec<_>>();
        if report.unreviewed.len() > MOST_COMMITS {
            named.push("and more".to_owned());
        }
        let why = format!("its branch holds {commits} that nobody reviewed: {}", named.join(", "));
        about_epic(AttentionKind::Unreviewed, why);
    }
    if report.tests == Tests::NotConfigured {
        about_epic(AttentionKind::NoTests, "no test command is configured: nothing was run".to_owned());
    }
    let outside = |ticket: &&TicketReport| {
        ticket.status == TicketStatus::Completed && ticket.merge == Merge::NotAttempted
    };
    match report.tickets.iter().filter(outside).count() {
        0 => {}
        count => about_epic(
            AttentionKind::NotMerged,
            format!(
                "{count} of the tickets that passed {} not in the epic branch yet; merge with: countersign epic resume {} --merge",
                if count == 1 { "is" } else { "are" },
                report.epic_id
            ),
        ),
    }
    for ticket in &report.tickets {
        list.extend(of_ticket(ticket, report.threshold));
    }
    list.sort_by_key(|attention| attention.kind);
    let mut told = BTreeSet::new();
    list.retain(|attention| told.insert((attention.ticket.clone(), attention.message.clone())));
    list
}

fn of_ticket(ticket: &TicketReport, threshold: u8) -> Vec<Attention> {
    let mut list = Vec::new();
    let mut add = |kind, message: String| {
        list.push(Attention { kind, ticket: Some(ticket.id.clone()), message });
    };
    match ticket.status {
        TicketStatus::Failed => add(AttentionKind::Failed, format!("failed: {}", ticket.why())),
        TicketStatus::Blocked => add(AttentionKind::Blocked, format!("blocked: {}", ticket.why())),
        TicketStatus::Completed => {
            if let Some(stop) = &ticket.stopped {
                let why = format!("stands still ({}): {}", stop.reason.as_str(), or_nothing(&stop.detail));
                add(AttentionKind::Stopped, why);
            }
        }
        TicketStatus::Pending
        | TicketStatus::Queued
        | TicketStatus::Executing
        | TicketStatus::Validating
        | TicketStatus::Reviewing
        | TicketStatus::NeedsRevision => {
            add(AttentionKind::Unfinished, format!("left {}: {}", ticket.status.as_str(), ticket.why()));
        }
    }
    match &ticket.merge {
        Merge::Conflict { files } => {
            let files = files.iter().take(5).map(|file| short_line(file)).collect::<Vec<_>>().join(", ");
            add(AttentionKind::Conflict, format!("conflicts with the epic branch in {}", or_nothing(&files)));
        }
        Merge::Refused { reason } => {
            add(AttentionKind::NotMerged, format!("was not merged: {}", or_nothing(reason)));
        }
        Merge::NotAttempted | Merge::Merged { .. } => {}
    }
    match ticket.attempts.iter().map(|attempt| attempt.inconclusive).sum::<usize>() {
        0 => {}
        1 => add(AttentionKind::Inconclusive, "one review proved nothing".to_owned()),
        several => add(AttentionKind::Inconclusive, format!("{several} reviews proved nothing")),
    }
    for attempt in &ticket.attempts {
        for correction in &attempt.corrected {
            let said = or_nothing(correction);
            let message = format!("the report on attempt {} had to be corrected: {said}", attempt.attempt);
            add(AttentionKind::CorrectedReport, message);
        }
        // What was given up, or built anew, was not fitted to anything.
        if let Some(why) = attempt.rebased_after.as_ref().filter(|_| ticket.status == TicketStatus::Completed)
        {
            let message = format!("was rebased, so see how it was fitted: {}", or_nothing(why));
            add(AttentionKind::Rebased, message);
        }
    }
    if let Some(tip) = &ticket.moved_to {
        let (branch, approved) = (ticket.branch.as_deref(), ticket.final_commit.as_deref());
        let message = format!(
            "its branch {} was moved to {} after {} was approved: what it holds now passed no gate and stays out",
            or_nothing(branch.unwrap_or_default()),
            or_nothing(tip),
            or_nothing(approved.unwrap_or_default())
        );
        add(AttentionKind::MovedBranch, message);
    }
    for finding in &ticket.accepted_late {
        let place = finding.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        let said = or_nothing(&finding.message);
        add(AttentionKind::AcceptedLate, format!("found late and let through: {place}{said}"));
    }
    if let Some(score) = ticket.passed_narrowly(threshold) {
        add(AttentionKind::LowScore, format!("passed with {score}, where {threshold} is the least"));
    }
    list
}

impl TicketReport {
    /// Why it is not completed.
    pub(super) fn why(&self) -> String {
        let blocked = || {
            let names = self.blocked_by.iter().take(10).map(|id| short_line(id)).collect::<Vec<_>>();
            (!names.is_empty()).then(|| format!("waits for {}", names.join(", ")))
        };
        let stopped = || {
            let stop = self.stopped.as_ref()?;
            Some(format!("stopped ({}): {}", stop.reason.as_str(), or_nothing(&stop.detail)))
        };
        let failure = self.failure_reason.as_deref().map(or_nothing);
        failure.or_else(blocked).or_else(stopped).unwrap_or_else(|| "no reason was recorded".to_owned())
    }

    fn passed_narrowly(&self, threshold: u8) -> Option<i64> {
        let last = self.attempts.last().filter(|attempt| attempt.outcome == AttemptOutcome::Passed)?;
        last.overall_score.filter(|score| *score <= i64::from(threshold) + CLOSE)
    }
}

fn or_nothing(text: &str) -> String {
    match short_line(text) {
        empty if empty.is_empty() => "no more is known".to_owned(),
        line => line,
    }
}
