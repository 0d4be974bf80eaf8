//! What follows from a verdict, and how the machine gives up.

use super::{Activity, Cause, Counters, Cycle, Done, Effect, Lifecycle, Outcome, ReviewMark, State, Work};
use crate::text::short_line;

/// The rule all four lifecycles share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterRejection {
    Correct,
    LimitReached,
}

/// `attempt` counts from 1.
pub(super) fn after_rejection(attempt: u32, max_reviews: u32) -> AfterRejection {
    if attempt < max_reviews { AfterRejection::Correct } else { AfterRejection::LimitReached }
}

impl Cycle {
    pub(super) fn reviewed(&self, outcome: &Outcome) -> (Cycle, Vec<Effect>) {
        match outcome {
            Outcome::Passed => self.concluded().passed(),
            Outcome::Accepted => self.concluded().taken(),
            Outcome::Rejected => match after_rejection(self.counters.attempt, self.max_reviews()) {
                AfterRejection::Correct => self.concluded().send_back(),
                AfterRejection::LimitReached => self.concluded().stop_trying(Cause::ReviewLimit),
            },
            Outcome::Stuck { reason } => {
                self.concluded().stop_trying(Cause::Stuck { reason: short_line(reason) })
            }
            Outcome::Inconclusive { reason } => self.inconclusive(reason),
        }
    }

    fn concluded(&self) -> Cycle {
        self.counting(Counters { inconclusive: 0, execution_failures: 0, ..self.counters })
    }

    fn passed(&self) -> (Cycle, Vec<Effect>) {
        let mut effects = vec![
            Effect::RecordReviewCompleted { attempt: self.counters.attempt },
            Effect::RecordReviewApproved,
        ];
        match self.lifecycle {
            Lifecycle::Assignment => effects.extend([
                Effect::LogActivity { action: Activity::SubmittedReviewResult },
                self.log_review(ReviewMark::Approved),
            ]),
            Lifecycle::Ticket { .. } | Lifecycle::Story | Lifecycle::Task { .. } => {
                effects.push(Effect::RecordCompleted);
            }
        }
        (self.at(State::Done { outcome: Done::Approved }), effects)
    }

    /// Done with its findings, which is no approval.
    fn taken(&self) -> (Cycle, Vec<Effect>) {
        let (cycle, accepted) = self.accept();
        let reviewed = Effect::RecordReviewCompleted { attempt: self.counters.attempt };
        (cycle, std::iter::once(reviewed).chain(accepted).collect())
    }

    /// Tickets and assignments count the next attempt here, stories when the fixer is finished, tasks when
    /// the next review task is made.
    fn send_back(&self) -> (Cycle, Vec<Effect>) {
        let attempt = self.counters.attempt;
        let next = self.counting(Counters { attempt: attempt + 1, ..self.counters });
        let mut effects = vec![Effect::RecordReviewCompleted { attempt }, Effect::RecordFeedback { attempt }];
        let (cycle, more) = match self.lifecycle {
            Lifecycle::Ticket { .. } => {
                let prepare = Effect::PrepareRevisionContext { revision_count: next.revision_count() };
                (next.at(State::SentBack), vec![prepare])
            }
            Lifecycle::Assignment => {
                let log = Effect::LogActivity { action: Activity::SubmittedReviewResult };
                let more = vec![Effect::ClearCompleted, log, self.log_review(ReviewMark::Rejected)];
                (next.at(State::SentBack), more)
            }
            Lifecycle::Story => self.begin(Work::Revise, 0),
            Lifecycle::Task { .. } => self.hand_on(),
        };
        effects.extend(more);
        (cycle, effects)
    }

    /// The review task is done; what it found becomes a task of its own.
    pub(super) fn hand_on(&self) -> (Cycle, Vec<Effect>) {
        let effects = vec![Effect::RecordCompleted, Effect::QueueFixTask { chain: self.chain() }];
        (self.at(State::Done { outcome: Done::HandedOn }), effects)
    }

    fn stop_trying(&self, cause: Cause) -> (Cycle, Vec<Effect>) {
        let attempt = self.counters.attempt;
        let mut effects = vec![Effect::RecordReviewCompleted { attempt }, Effect::RecordFeedback { attempt }];
        let (cycle, more) = self.give_up(cause);
        effects.extend(more);
        (cycle, effects)
    }

    /// Reviewed again after a wait. No attempt is used up, and it is never clean.
    fn inconclusive(&self, reason: &str) -> (Cycle, Vec<Effect>) {
        let seen = self.counters.inconclusive;
        if seen >= self.limits.inconclusive_retries {
            return self.give_up(Cause::Inconclusive { reason: short_line(reason) });
        }
        let seconds = self.backoff().delay_seconds(seen);
        let cycle = self.counting(Counters { inconclusive: seen + 1, ..self.counters });
        match self.lifecycle {
            Lifecycle::Task { .. } => (cycle.at(State::Pending), vec![Effect::RetryAfter { seconds }]),
            Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story => {
                let again = cycle.spawn_reviewer(seconds);
                (cycle, vec![again])
            }
        }
    }

    /// Tickets fail and so do tasks that could not be carried out; everything else is a human's to decide.
    pub(super) fn give_up(&self, cause: Cause) -> (Cycle, Vec<Effect>) {
        match self.lifecycle {
            Lifecycle::Ticket { .. } => self.fail(cause),
            Lifecycle::Assignment | Lifecycle::Story => self.escalate(cause),
            Lifecycle::Task { .. } => match cause {
                Cause::Execution { .. } => self.fail(cause),
                Cause::ReviewLimit
                | Cause::Stuck { .. }
                | Cause::Inconclusive { .. }
                | Cause::Validation { .. }
                | Cause::Merge { .. } => self.escalate(cause),
            },
        }
    }

    pub(super) fn fail(&self, cause: Cause) -> (Cycle, Vec<Effect>) {
        let mut effects = vec![Effect::RecordFailure { reason: self.explain(&cause) }];
        effects.extend(self.about_dependents(Effect::BlockDependents));
        effects.push(Effect::HandToHuman { cause: cause.clone(), options: vec![] });
        (self.at(State::Failed { cause }), effects)
    }

    fn escalate(&self, cause: Cause) -> (Cycle, Vec<Effect>) {
        let cycle = self.at(State::Escalated { cause: cause.clone() });
        let mut effects = match self.lifecycle {
            Lifecycle::Assignment => vec![
                Effect::LogActivity { action: Activity::EscalatedForHumanReview },
                self.log_review(ReviewMark::Escalation),
            ],
            Lifecycle::Ticket { .. } | Lifecycle::Story | Lifecycle::Task { .. } => vec![],
        };
        effects.push(Effect::HandToHuman { cause, options: cycle.options() });
        (cycle, effects)
    }

    /// What depends on a ticket is told; what depends on a task only ever waits for its completion.
    pub(super) fn about_dependents(&self, effect: Effect) -> Option<Effect> {
        match self.lifecycle {
            Lifecycle::Ticket { .. } => Some(effect),
            Lifecycle::Assignment | Lifecycle::Story | Lifecycle::Task { .. } => None,
        }
    }

    fn log_review(&self, mark: ReviewMark) -> Effect {
        Effect::LogReview { mark, attempt: self.counters.attempt, max_cycles: self.max_reviews() }
    }
}
