use domain::cycle::ReviewMode;
use domain::cycle::{Blocker, State};
use domain::epic::report::{AttemptOutcome, AttemptReport, EpicReport, Merge, Tests, TicketReport};
use domain::epic::run::{Attempt, AttemptResult, MergeStep, StoredEpic, TicketRun};
use domain::review::{Usage, Verdict};
use domain::work::WorkItem;
use jiff::Timestamp;

use super::Ground;

/// The last page of a run, or of as much as there is of it.
pub fn report_of(
    stored: &StoredEpic,
    ground: &Ground,
    tests: Tests,
    threshold: u8,
    now: Timestamp,
) -> EpicReport {
    let StoredEpic { run, tickets } = stored;
    let mut usage = Usage::default();
    tickets.iter().for_each(|ticket| usage += ticket.usage());
    let mut remarks = run.remarks.clone();
    for remark in tickets.iter().flat_map(|ticket| &ticket.attempts).flat_map(|attempt| &attempt.remarks) {
        if !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    EpicReport {
        epic_id: run.order.id.to_string(),
        title: ground.document.title.clone(),
        epic_branch: run.order.branch.clone(),
        base_branch: Some(run.order.base_branch.clone()),
        base_commit: Some(run.order.base_commit.to_string()),
        epic_commit: Some(run.epic_commit.to_string()),
        started_at: Some(run.started_at),
        finished_at: run.finished_at,
        review: ground.document.review,
        tests,
        threshold,
        stopped: run.stopped.clone(),
        usage,
        tickets: tickets
            .iter()
            .zip(&ground.items)
            .map(|(ticket, item)| of_ticket(ticket, item, ground.document.review, now))
            .collect(),
        remarks,
    }
}

fn of_ticket(ticket: &TicketRun, item: &WorkItem, review: ReviewMode, now: Timestamp) -> TicketReport {
    let blocked_by = match ticket.cycle.state() {
        State::Blocked { by: Blocker::Dependencies { failed } } => failed.iter().cloned().collect(),
        State::Blocked { by: Blocker::Human { .. } }
        | State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Reviewing
        | State::SentBack
        | State::Done { .. }
        | State::Failed { .. }
        | State::Escalated { .. }
        | State::Closed => Vec::new(),
    };
    let end = ticket.completed_at.or_else(|| ticket.log.last().map(|logged| logged.at)).unwrap_or(now);
    let seconds =
        ticket.started_at.map(|start| u64::try_from(end.duration_since(start).as_secs()).unwrap_or(0));
    TicketReport {
        id: ticket.id.to_string(),
        title: item.title.clone(),
        status: ticket.status(),
        branch: ticket.branch_commit.as_ref().map(|_| ticket.branch()),
        base_commit: ticket.base_commit.as_ref().map(ToString::to_string),
        final_commit: ticket.final_commit.as_ref().map(ToString::to_string),
        seconds,
        usage: ticket.usage(),
        attempts: ticket.attempts.iter().map(|attempt| of_attempt(attempt, review)).collect(),
        accepted_late: Vec::new(),
        stopped: ticket.stop(),
        failure_reason: ticket.cycle.failure_reason(),
        blocked_by,
        merge: match &ticket.merge {
            MergeStep::NotBegun | MergeStep::Made { .. } => Merge::NotAttempted,
            MergeStep::Merged { commit, .. } => Merge::Merged { commit: commit.to_string() },
            MergeStep::Conflict { files } => Merge::Conflict { files: files.clone() },
            MergeStep::Refused { reason } => Merge::Refused { reason: reason.clone() },
        },
    }
}

fn of_attempt(attempt: &Attempt, review: ReviewMode) -> AttemptReport {
    let last = attempt.conclusive().or(attempt.reviews.last());
    let outcome = match (&attempt.result, last) {
        (AttemptResult::Crashed { reason }, _) => AttemptOutcome::Crashed { reason: reason.clone() },
        (AttemptResult::Invalid { reason }, _) => AttemptOutcome::Invalid { reason: reason.clone() },
        (AttemptResult::Unchanged, None) => {
            AttemptOutcome::Invalid { reason: "nothing was changed".to_owned() }
        }
        (AttemptResult::Submitted | AttemptResult::Valid | AttemptResult::Unchanged, Some(review)) => {
            match review.verdict {
                Verdict::Pass => AttemptOutcome::Passed,
                Verdict::Fail => AttemptOutcome::Failed,
                Verdict::Inconclusive => {
                    AttemptOutcome::Inconclusive { reason: review.trouble.clone().unwrap_or_default() }
                }
            }
        }
        (AttemptResult::Valid, None) if review == ReviewMode::Off => AttemptOutcome::Unreviewed,
        (AttemptResult::Submitted | AttemptResult::Valid, None) => {
            AttemptOutcome::Inconclusive { reason: "it was not reviewed yet".to_owned() }
        }
    };
    let seconds =
        attempt.took_seconds + attempt.reviews.iter().map(|review| review.took_seconds).sum::<u64>();
    AttemptReport {
        attempt: attempt.number,
        outcome,
        overall_score: attempt.conclusive().map(|review| review.report.overall_score),
        blocking_issues: last.map(|review| review.report.blocking_issues.clone()).unwrap_or_default(),
        findings: last.map(|review| review.report.findings.clone()).unwrap_or_default(),
        corrected: attempt.reviews.iter().filter_map(|review| review.corrected.clone()).collect(),
        reviewer: last.map(|review| review.reviewer.clone()),
        seconds: Some(seconds),
        usage: attempt.usage(),
    }
}
