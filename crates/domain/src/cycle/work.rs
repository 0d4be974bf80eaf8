//! How work is begun, submitted, validated and begun again.

use super::machine::Step;
use super::{
    Backoff, Cause, Chain, Counters, Cycle, Done, Effect, Lifecycle, ReviewMode, ReviewerChoice, State,
    TaskKind, Work,
};
use crate::text::short_line;

impl Cycle {
    /// Validation comes before review where there is any; a fix task's review is a task of its own.
    pub(super) fn submitted(&self) -> (Cycle, Vec<Effect>) {
        let counters = Counters { execution_failures: 0, ..self.counters };
        let cycle = self.counting(counters);
        match self.lifecycle {
            Lifecycle::Ticket { .. } => (cycle.at(State::Validating), vec![Effect::RunValidation]),
            Lifecycle::Assignment => {
                let (cycle, mut effects) = cycle.review_now();
                effects.insert(0, Effect::RecordCompleted);
                (cycle, effects)
            }
            Lifecycle::Story => {
                cycle.counting(Counters { attempt: counters.attempt + 1, ..counters }).review_now()
            }
            Lifecycle::Task { task } => {
                let mut effects = vec![Effect::RecordCompleted];
                if task == TaskKind::Fix {
                    let Chain { review_attempt, granted } = cycle.chain();
                    let chain = Chain { review_attempt: review_attempt + 1, granted };
                    effects.push(Effect::QueueReviewTask { chain });
                }
                (cycle.at(State::Done { outcome: Done::Unreviewed }), effects)
            }
        }
    }

    pub(super) fn validated(&self) -> (Cycle, Vec<Effect>) {
        let cycle = self.counting(Counters { validation_failures: 0, ..self.counters });
        match self.lifecycle {
            Lifecycle::Ticket { review: ReviewMode::Off } => {
                (cycle.at(State::Done { outcome: Done::Unreviewed }), vec![Effect::RecordCompleted])
            }
            Lifecycle::Ticket { review: ReviewMode::On }
            | Lifecycle::Assignment
            | Lifecycle::Story
            | Lifecycle::Task { .. } => cycle.review_now(),
        }
    }

    pub(super) fn invalid(&self, reason: &str) -> (Cycle, Vec<Effect>) {
        let failures = self.counters.validation_failures;
        if failures >= self.limits.max_validation_failures {
            return self.fail(Cause::Validation { reason: short_line(reason) });
        }
        self.counting(Counters { validation_failures: failures + 1, ..self.counters }).begin(Work::Repair, 0)
    }

    /// The builder fits the work to what was merged before it, on a new base; it is validated and reviewed again.
    pub(super) fn unmergeable(&self, reason: &str) -> Step {
        match self.lifecycle {
            Lifecycle::Ticket { .. } => {}
            Lifecycle::Assignment | Lifecycle::Story | Lifecycle::Task { .. } => return None,
        }
        let failures = self.counters.merge_failures;
        if failures >= self.limits.max_validation_failures {
            return Some(self.fail(Cause::Merge { reason: short_line(reason) }));
        }
        let counters = Counters { merge_failures: failures + 1, ..self.counters };
        let (cycle, mut effects) = self.counting(counters).begin(Work::Rebase, 0);
        effects.insert(0, Effect::ClearCompleted);
        Some((cycle, effects))
    }

    /// Started again after a wait; given up when that has been done often enough.
    pub(super) fn crashed(&self, work: Work, reason: &str) -> (Cycle, Vec<Effect>) {
        let failures = self.counters.execution_failures;
        if failures >= self.limits.max_retries {
            return self.give_up(Cause::Execution { reason: short_line(reason) });
        }
        let seconds = self.backoff().delay_seconds(failures);
        let cycle = self.counting(Counters { execution_failures: failures + 1, ..self.counters });
        match self.lifecycle {
            Lifecycle::Task { .. } => (cycle.at(State::Pending), vec![Effect::RetryAfter { seconds }]),
            Lifecycle::Assignment => (cycle, vec![Effect::RetryAfter { seconds }]),
            Lifecycle::Ticket { .. } | Lifecycle::Story => cycle.begin(work, seconds),
        }
    }

    /// A review task that crashed is a crashed task. Elsewhere a review that crashed is inconclusive, and
    /// has to be reported as such.
    pub(super) fn review_crashed(&self, reason: &str) -> Step {
        match self.lifecycle {
            Lifecycle::Task { .. } => Some(self.crashed(Work::Build, reason)),
            Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story => None,
        }
    }

    /// Another try would end the same way.
    pub(super) fn cannot_run(&self, reason: &str) -> (Cycle, Vec<Effect>) {
        self.give_up(Cause::Execution { reason: short_line(reason) })
    }

    pub(super) fn review_cannot_run(&self, reason: &str) -> Step {
        match self.lifecycle {
            Lifecycle::Task { .. } => Some(self.cannot_run(reason)),
            Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story => None,
        }
    }

    pub(super) fn cancelled(&self) -> Step {
        match self.lifecycle {
            Lifecycle::Task { .. } => Some((self.at(State::Closed), vec![])),
            Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story => None,
        }
    }

    /// Puts the author to work. Agents fetch assignments and tasks themselves; nobody is started for those.
    pub(super) fn begin(&self, work: Work, after_seconds: u32) -> (Cycle, Vec<Effect>) {
        let effects = match self.lifecycle {
            Lifecycle::Ticket { .. } => vec![Effect::SpawnBuilder { work, after_seconds }],
            Lifecycle::Story => vec![Effect::SpawnFixer { round: self.round(), after_seconds }],
            Lifecycle::Assignment | Lifecycle::Task { .. } => vec![],
        };
        (self.at(State::Working { work }), effects)
    }

    pub(super) fn review_now(&self) -> (Cycle, Vec<Effect>) {
        (self.at(State::Reviewing), vec![Effect::RecordReviewStarted, self.spawn_reviewer(0)])
    }

    pub(super) fn spawn_reviewer(&self, after_seconds: u32) -> Effect {
        let (attempt, patience) = (self.counters.attempt, self.limits.change_reviewer_after);
        let reviewer = match self.lifecycle {
            Lifecycle::Assignment if patience > 0 && attempt > patience => ReviewerChoice::Another,
            Lifecycle::Assignment | Lifecycle::Ticket { .. } | Lifecycle::Story | Lifecycle::Task { .. } => {
                ReviewerChoice::Any
            }
        };
        Effect::SpawnReviewer { attempt, reviewer, after_seconds }
    }

    pub(super) fn chain(&self) -> Chain {
        Chain { review_attempt: self.counters.attempt, granted: self.counters.granted }
    }

    pub(super) fn backoff(&self) -> &Backoff {
        &self.limits.backoff
    }

    pub(super) fn at(&self, state: State) -> Cycle {
        Cycle { state, ..self.clone() }
    }

    pub(super) fn counting(&self, counters: Counters) -> Cycle {
        Cycle { counters, ..self.clone() }
    }
}
