//! What humans may do about a story that waits for them.

use domain::cycle::{Event, Illegal, Resolution, State};
use domain::text::{clean_block, clean_line};
use domain::words::Severity;
use jiff::Timestamp;

use super::document::in_words;
use super::{HumanDecision, Round, Ruling, RulingKind, Step, Story};

/// Why a decision does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotNow {
    /// The story does not take it in the state it is in.
    Illegal(Illegal),
    /// Findings are not accepted without a word.
    ReasonNeeded,
}

/// What follows from a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Somebody corrects it by hand.
    Blocked,
    /// It is done, with its findings.
    Accepted,
    /// The loop goes on.
    GoesOn,
}

impl Story {
    /// Records a human's decision about an escalated story: option a) is [`Resolution::Block`], b)
    /// [`Resolution::Accept`], c) [`Resolution::OneMore`]. Stores nothing: that is the caller's.
    pub fn resolve(
        &mut self,
        resolution: Resolution,
        by: &str,
        reason: &str,
        now: Timestamp,
    ) -> Result<Decided, NotNow> {
        let reason = clean_block(reason);
        if resolution == Resolution::Accept && reason.trim().is_empty() {
            return Err(NotNow::ReasonNeeded);
        }
        let (cycle, _) = self.cycle.apply(&Event::resolved(resolution)).map_err(NotNow::Illegal)?;
        self.cycle = cycle;
        self.not_before = None;
        let by = clean_line(by);
        if resolution == Resolution::Accept {
            self.accept_all(&by, &reason);
            self.finished_at = Some(now);
        }
        self.record(choice(resolution), by, reason, now);
        self.step = step_of(self.cycle.state());
        Ok(match self.step {
            Step::Blocked => Decided::Blocked,
            Step::Done => Decided::Accepted,
            Step::Review
            | Step::Document
            | Step::Decide
            | Step::Fix
            | Step::Check
            | Step::Publish
            | Step::Escalated => Decided::GoesOn,
        })
    }

    /// A story that somebody corrected by hand goes into its next round.
    pub fn fixed_by_hand(&mut self, by: &str, now: Timestamp) -> Result<(), NotNow> {
        let (cycle, _) = self.cycle.apply(&Event::Resume).map_err(NotNow::Illegal)?;
        self.cycle = cycle;
        self.record("resume", clean_line(by), String::new(), now);
        self.step = step_of(self.cycle.state());
        Ok(())
    }

    fn record(&mut self, choice: &str, by: String, reason: String, at: Timestamp) {
        let findings = self.round().map(|round| round.blocking.clone()).unwrap_or_default();
        let round = self.round().map_or(1, |round| round.number);
        self.decisions.push(HumanDecision { at, by, round, choice: choice.to_owned(), reason, findings });
    }

    fn accept_all(&mut self, by: &str, reason: &str) {
        let Some(round) = self.rounds.last() else { return };
        let ruling = |round: &Round, fingerprint| Ruling {
            kind: RulingKind::AcceptedWithStory,
            round: round.number,
            by: by.to_owned(),
            reason: reason.to_owned(),
            finding: round.finding(fingerprint).map(in_words).unwrap_or_default(),
            severity: round.finding(fingerprint).map_or(Severity::Suggestion, |finding| finding.severity),
        };
        let rulings: Vec<_> = round
            .blocking
            .iter()
            .map(|fingerprint| (fingerprint.clone(), ruling(round, fingerprint)))
            .collect();
        self.rulings.extend(rulings);
    }
}

fn choice(resolution: Resolution) -> &'static str {
    match resolution {
        Resolution::Block => "a",
        Resolution::Accept => "b",
        Resolution::OneMore => "c",
        Resolution::Close => "close",
    }
}

/// What a story in this state does next.
pub(super) fn step_of(state: &State) -> Step {
    match state {
        State::Pending | State::Queued | State::Accepted | State::Validating | State::Reviewing => {
            Step::Review
        }
        State::Working { .. } | State::SentBack => Step::Fix,
        State::Escalated { .. } => Step::Escalated,
        State::Blocked { .. } | State::Failed { .. } => Step::Blocked,
        State::Done { .. } | State::Closed => Step::Done,
    }
}
