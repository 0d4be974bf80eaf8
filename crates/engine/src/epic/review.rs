//! What a reviewer says, and how much of it is believed.

use domain::cycle::{Event, Outcome, State};
use domain::epic::run::{ReviewRecord, TicketRun};
use domain::formats::contexts::ReviewHistoryEntry;
use domain::formats::review_report::ReviewReport;
use domain::review::{Trouble, Verdict};

use super::build::finished;
use super::leg::Leg;
use super::step::{apply, cut_off, save, tell, tell_wait};
use super::world::{Halt, Reviewed};

impl Leg<'_> {
    pub(super) fn review(&self, ticket: &mut TicketRun) -> Result<(), Halt> {
        let world = self.shared.world;
        let commit = finished(ticket)?;
        tell(ticket, &format!("{} reviews it", self.shared.ground.order.reviewer), world);
        let mut next = ticket.clone();
        let began = world.now();
        let reviewed = world.review(ticket);
        // A reviewer that was ended together with us proves nothing, and costs no retry.
        if world.is_stopped() {
            let calls = u32::from(self.shared.ground.order.reviewer != "rules");
            return Err(cut_off(ticket, began, calls, world));
        }
        let reviewed = reviewed?;
        let (record, outcome) = judged(reviewed, &commit);
        self.shared.purse.pay(record.usage);
        next.report = Some(record.report.clone());
        if record.verdict != Verdict::Inconclusive {
            let corrected = record.corrected.clone();
            next.history.push(ReviewHistoryEntry { corrected, ..ReviewHistoryEntry::from(&record.report) });
        }
        if let Some(attempt) = next.attempts.last_mut() {
            attempt.reviews.push(record);
        }
        let event = Event::reviewed(outcome);
        apply(&mut next, event, world.now())?;
        save(ticket, next, "reviewed", world)?;
        tell(ticket, &said(ticket), world);
        tell_wait(ticket, world);
        Ok(())
    }
}

/// The gate has decided by the report's own evidence; here it is seen whether the report can be worked with. Who did not
/// say what was asked for was asked once more already, by whoever asked them.
fn judged(reviewed: Reviewed, commit: &domain::change::Oid) -> (ReviewRecord, Outcome) {
    let Reviewed { mut review, took } = reviewed;
    if review.subject.scope.head.as_str() != commit.as_str() {
        inconclusive(
            &mut review,
            "wrong_commit",
            "another commit was reviewed than the one that was asked for",
        );
    }
    let mut report = ReviewReport::from(&review);
    let invalid = match review.verdict() {
        Verdict::Inconclusive => None,
        Verdict::Pass | Verdict::Fail => report.validate().err(),
    };
    if let Some(wrong) = &invalid {
        inconclusive(&mut review, "invalid", &format!("the report cannot be used: {}", wrong.join("; ")));
        report = ReviewReport::from(&review);
    }
    let record = ReviewRecord {
        at: review.reviewed_at,
        took_seconds: took.as_secs(),
        commit: commit.clone(),
        reviewer: review.reviewer.clone(),
        verdict: review.verdict(),
        trouble: review.troubles.first().map(|trouble| trouble.message.clone()),
        corrected: review.decision.corrected.clone(),
        unmet: review.decision.unmet().cloned().collect(),
        usage: review.usage,
        report: report.cleaned(),
    };
    let outcome = match review.verdict() {
        Verdict::Pass => Outcome::Passed,
        Verdict::Fail => Outcome::Rejected,
        Verdict::Inconclusive => Outcome::Inconclusive { reason: record.trouble.clone().unwrap_or_default() },
    };
    (record, outcome)
}

fn inconclusive(review: &mut domain::review::Review, kind: &str, message: &str) {
    review.troubles.insert(0, Trouble { kind: kind.to_owned(), message: message.to_owned() });
    review.decision.verdict = Verdict::Inconclusive;
}

fn said(ticket: &TicketRun) -> String {
    let last = ticket.attempt().and_then(|attempt| attempt.reviews.last());
    let score = last.map(|review| review.report.overall_score).unwrap_or_default();
    let blocking = last.map(|review| review.report.blocking_issues.len()).unwrap_or_default();
    let corrected = last.and_then(|review| review.corrected.as_deref());
    let corrected = corrected.map(|what| format!(" (its report was corrected: {what})")).unwrap_or_default();
    match ticket.cycle.state() {
        State::Done { .. } => format!("completed: the review passes it with {score}/100{corrected}"),
        State::SentBack => {
            let issues = if blocking == 1 {
                "1 blocking issue".to_owned()
            } else {
                format!("{blocking} blocking issues")
            };
            format!("needs revision: {score}/100, {issues}{corrected}")
        }
        State::Failed { .. } => ticket.cycle.failure_reason().unwrap_or_default(),
        State::Reviewing
        | State::Pending
        | State::Queued
        | State::Accepted
        | State::Working { .. }
        | State::Validating
        | State::Blocked { .. }
        | State::Escalated { .. }
        | State::Closed => {
            let why = last.and_then(|review| review.trouble.clone()).unwrap_or_default();
            format!("the review proves nothing: {why}")
        }
    }
}
