use domain::cycle::{Blocker, Event, ReviewMode, State, Work};
use domain::epic::report::{AttemptOutcome, AttemptReport, EpicReport, Merge, Tests, TicketReport, Unknown};
use domain::epic::run::{Attempt, AttemptResult, MergeStep, StoredEpic, TicketRun};
use domain::epic::{TicketBounds, TicketIndex};
use domain::review::{Usage, Verdict};
use domain::work::WorkItem;

use super::Ground;

/// The last page of a run, or of as much as there is of it.
pub fn report_of(stored: &StoredEpic, ground: &Ground, tests: Tests, threshold: u8) -> EpicReport {
    let StoredEpic { run, tickets } = stored;
    let mut usage = Usage::default();
    tickets.iter().for_each(|ticket| usage += ticket.usage());
    let mut unknown = Unknown::default();
    tickets.iter().for_each(|ticket| unknown += unknown_of(ticket, &run.order.reviewer));
    let mut remarks = run.remarks.clone();
    for remark in tickets.iter().flat_map(|ticket| &ticket.attempts).flat_map(|attempt| &attempt.remarks) {
        if !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    if unknown.unmetered > 0 && has_budget(ground) {
        remarks.push(format!(
            "its budgets hold only what is known: {} times an agent did not say what it used",
            unknown.unmetered
        ));
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
        unknown,
        tickets: tickets
            .iter()
            .zip(&ground.items)
            .map(|(ticket, item)| of_ticket(ticket, item, stored, ground))
            .collect(),
        unreviewed: Vec::new(),
        remarks,
    }
}

fn has_budget(ground: &Ground) -> bool {
    let limits = &ground.document.limits;
    let of_ticket = |bounds: &TicketBounds| bounds.budget_micro_usd.is_some() || bounds.tokens.is_some();
    limits.epic_budget_usd.is_some() || limits.epic_tokens.is_some() || ground.bounds.iter().any(of_ticket)
}

fn of_ticket(ticket: &TicketRun, item: &WorkItem, stored: &StoredEpic, ground: &Ground) -> TicketReport {
    let (order, review) = (&stored.run.order, ground.document.review);
    let blocked_by = match ticket.cycle.state() {
        State::Blocked { by: Blocker::Dependencies { failed } } => failed.iter().cloned().collect(),
        State::Pending => waits_for(ticket, stored, ground),
        State::Blocked { by: Blocker::Human { .. } }
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
    TicketReport {
        id: ticket.id.to_string(),
        title: item.title.clone(),
        status: ticket.status(),
        branch: ticket.branch_commit.as_ref().map(|_| ticket.branch()),
        base_commit: ticket.base_commit.as_ref().map(ToString::to_string),
        final_commit: ticket.final_commit.as_ref().map(ToString::to_string),
        seconds: ticket.seconds(),
        usage: ticket.usage(),
        unknown: unknown_of(ticket, &order.reviewer),
        cut_off: ticket.cut_off.calls,
        moved_to: None,
        attempts: ticket
            .attempts
            .iter()
            .map(|attempt| of_attempt(attempt, ticket, review, &order.reviewer))
            .collect(),
        accepted_late: Vec::new(),
        stopped: stored.stop_of(ticket),
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

/// What a ticket that cannot begin yet depends on.
fn waits_for(ticket: &TicketRun, stored: &StoredEpic, ground: &Ground) -> Vec<String> {
    let Some(index) = ground.index(ticket) else { return Vec::new() };
    let before = ground.plan.dependencies_of(index).iter();
    let before = before.filter_map(|TicketIndex(before)| stored.tickets.get(*before));
    let open = before.filter(|before| !before.is_complete(stored.run.order.merging));
    open.map(|before| before.id.to_string()).collect()
}

fn unknown_of(ticket: &TicketRun, reviewer: &str) -> Unknown {
    let mut all = Unknown { unmetered: ticket.cut_off.calls, unpriced: 0 };
    ticket.attempts.iter().for_each(|attempt| all += unknown_in(attempt, reviewer));
    all
}

/// The built-in rules use nothing; everybody else may have.
fn unknown_in(attempt: &Attempt, reviewer: &str) -> Unknown {
    let mut unknown = Unknown::of(attempt.usage);
    if reviewer != "rules" {
        attempt.reviews.iter().for_each(|review| unknown += Unknown::of(review.usage));
    }
    unknown
}

/// Why its work was put on a new base.
fn rebased_after(attempt: &Attempt, ticket: &TicketRun) -> Option<String> {
    let mut before = ticket.log.iter().rev().filter(|logged| logged.at <= attempt.at);
    let failed = before.find_map(|logged| {
        if let Event::MergeFailed { reason } = &logged.event { Some(reason.clone()) } else { None }
    });
    failed.filter(|_| attempt.work == Work::Rebase)
}

fn of_attempt(attempt: &Attempt, ticket: &TicketRun, review: ReviewMode, reviewer: &str) -> AttemptReport {
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
        (AttemptResult::Submitted | AttemptResult::Valid, None) => AttemptOutcome::NotReviewed,
    };
    AttemptReport {
        attempt: attempt.number,
        work: attempt.work,
        rebased_after: rebased_after(attempt, ticket),
        outcome,
        overall_score: attempt.conclusive().map(|review| review.report.overall_score),
        // A review that proves nothing blocks, and asks nothing of anybody.
        blocking_issues: attempt
            .conclusive()
            .map(|review| review.report.blocking_issues.clone())
            .unwrap_or_default(),
        findings: last.map(|review| review.report.findings.clone()).unwrap_or_default(),
        corrected: attempt.reviews.iter().filter_map(|review| review.corrected.clone()).collect(),
        inconclusive: attempt.reviews.iter().filter(|review| review.verdict == Verdict::Inconclusive).count(),
        reviewer: last.map(|review| review.reviewer.clone()),
        dimension_scores: attempt
            .conclusive()
            .map(|review| review.report.dimension_scores.clone())
            .unwrap_or_default(),
        unmet: attempt.conclusive().map(|review| review.unmet.clone()).unwrap_or_default(),
        seconds: Some(attempt.seconds()),
        usage: attempt.usage(),
        unknown: unknown_in(attempt, reviewer),
    }
}
