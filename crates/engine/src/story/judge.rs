//! What a round's findings come to, with what people ruled and what earlier rounds knew.

use std::collections::BTreeSet;

use domain::change::Oid;
use domain::config::{EarlyStop, LateFindings};
use domain::cycle::{NextStep, Outcome, decide};
use domain::review::{Confidence, Finding, Fingerprint, Verdict};
use domain::words::{Class, Severity};

use super::memory::Standing;
use super::{Round, Story, Touched};

/// Critical and important findings, unless they are only advice.
pub(super) fn is_must_fix(finding: &Finding) -> bool {
    finding.confidence > Confidence::Low && finding.severity.class() != Class::Minor
}

/// The commit of the last conclusive review before this round, if it matters what was touched since.
pub(super) fn compared_with(story: &Story) -> Option<Oid> {
    let earlier = story.rounds.split_last().map(|(_, earlier)| earlier).unwrap_or_default();
    let before = earlier.iter().rev().find(|round| round.review.verdict() != Verdict::Inconclusive)?;
    (story.order.late_findings == LateFindings::Advise).then(|| before.head.clone())
}

/// Must-fix findings of the last round that an earlier one could have had: new, below CRITICAL, and on lines that nobody
/// touched since.
pub(super) fn late(story: &Story, touched: Option<&Touched>) -> Vec<Fingerprint> {
    let (Some(touched), Some((round, earlier))) = (touched, story.rounds.split_last()) else {
        return Vec::new();
    };
    let known = |finding: &Finding| earlier.iter().any(|round| round.finding(&finding.fingerprint).is_some());
    let is_late = |finding: &&Finding| {
        is_must_fix(finding)
            && finding.severity < Severity::Critical
            && !known(finding)
            && !touched.reaches(&finding.place)
    };
    round.review.findings.iter().filter(is_late).map(|finding| finding.fingerprint.clone()).collect()
}

/// Must-fix findings that nobody ruled out and that are not late.
pub(super) fn blocking(story: &Story, round: &Round) -> Vec<Fingerprint> {
    let counts = |finding: &&Finding| {
        is_must_fix(finding) && story.ruling(finding).is_none() && !round.late.contains(&finding.fingerprint)
    };
    round.review.findings.iter().filter(counts).map(|finding| finding.fingerprint.clone()).collect()
}

/// What the last round means for the cycle.
pub(super) fn outcome(story: &Story) -> Outcome {
    let Some(round) = story.round() else {
        return Outcome::Inconclusive { reason: "there is no review".to_owned() };
    };
    let decision = &round.review.decision;
    if decision.verdict == Verdict::Inconclusive {
        return Outcome::of_decision(decision);
    }
    let must_fix = u32::try_from(round.blocking.len()).unwrap_or(u32::MAX);
    match decide(must_fix, story.cycle.round(), story.cycle.max_reviews()) {
        NextStep::Clean if has_accepted(story, round) => Outcome::Accepted,
        NextStep::Clean => Outcome::Passed,
        NextStep::Escalate => Outcome::Rejected,
        NextStep::Fix => match leads_nowhere(story, round) {
            Some(reason) if story.order.early_stop == EarlyStop::Escalate => Outcome::Stuck { reason },
            Some(_) | None => Outcome::Rejected,
        },
    }
}

/// Whether the round has findings that must be fixed, and that a person accepted.
fn has_accepted(story: &Story, round: &Round) -> bool {
    round.review.findings.iter().any(|finding| is_must_fix(finding) && story.ruling(finding).is_some())
}

/// What the last round shows of findings that come back or stay, for people.
pub(super) fn sign_of_no_progress(story: &Story) -> Option<String> {
    leads_nowhere(story, story.round()?)
}

/// Why another correction would not help, if there is a sign of it.
fn leads_nowhere(story: &Story, round: &Round) -> Option<String> {
    if let Some(finding) = round.blocking.iter().find(|finding| is_back(story, finding)) {
        let finding = round.finding(finding)?;
        return Some(format!("{} was fixed and is back: {}", finding.location(), finding.message));
    }
    let before = story.conclusive().rev().nth(1)?;
    let set = |round: &Round| round.blocking.iter().cloned().collect::<BTreeSet<_>>();
    (set(before) == set(round)).then(|| {
        let what = match round.blocking.len() {
            1 => "the must-fix finding is".to_owned(),
            count => format!("all {count} must-fix findings are"),
        };
        format!("{what} still there after the correction of round {}", before.number)
    })
}

fn is_back(story: &Story, fingerprint: &Fingerprint) -> bool {
    let seen: Vec<bool> = story.conclusive().map(|round| round.finding(fingerprint).is_some()).collect();
    Standing::after(&seen) == Some(Standing::BackAgain)
}
