//! What humans may do where the machine stopped.

use super::machine::Step;
use super::{Blocker, Cause, Counters, Cycle, Done, Effect, Event, Lifecycle, Resolution, State, Work};

impl Cycle {
    pub(super) fn when_escalated(&self, cause: &Cause, event: &Event) -> Step {
        match event {
            Event::Resolve { resolution: Resolution::Block } => self.take_over(cause),
            Event::Resolve { resolution: Resolution::Accept } => Some(self.accept()),
            Event::Resolve { resolution: Resolution::OneMore } => self.one_more(cause),
            Event::Resolve { resolution: Resolution::Close } => self.close(),
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::Reviewed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. }
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Cancel
            | Event::Retry
            | Event::Resume => None,
        }
    }

    /// A story somebody is fixing by hand.
    pub(super) fn when_taken_over(&self, cause: &Cause, event: &Event) -> Step {
        match event {
            Event::Resume => Some(self.fixed_by_hand(cause).review_now()),
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::Reviewed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. }
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Cancel
            | Event::Retry
            | Event::Resolve { .. } => None,
        }
    }

    pub(super) fn when_failed(&self, cause: &Cause, event: &Event) -> Step {
        match event {
            Event::Retry => Some(self.retried(cause)),
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::Reviewed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. }
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Cancel
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn take_over(&self, cause: &Cause) -> Step {
        match self.lifecycle {
            Lifecycle::Story => {
                Some((self.at(State::Blocked { by: Blocker::Human { cause: cause.clone() } }), vec![]))
            }
            Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Task { .. } => None,
        }
    }

    pub(super) fn accept(&self) -> (Cycle, Vec<Effect>) {
        let effects = vec![Effect::RecordAcceptedFindings, Effect::RecordCompleted];
        (self.at(State::Done { outcome: Done::Accepted }), effects)
    }

    fn close(&self) -> Step {
        match self.lifecycle {
            Lifecycle::Assignment | Lifecycle::Task { .. } => Some((self.at(State::Closed), vec![])),
            Lifecycle::Ticket { .. } | Lifecycle::Story => None,
        }
    }

    /// Repeats what gave up. Only a further review counts against the hard cap; a review that proved
    /// nothing and work that crashed may be tried again as often as somebody asks for it.
    fn one_more(&self, cause: &Cause) -> Step {
        match cause {
            Cause::ReviewLimit => self.one_more_review(),
            Cause::Stuck { .. } if self.counters.attempt >= self.max_reviews() => self.one_more_review(),
            // The round is within the limit, so nobody has to raise it.
            Cause::Stuck { .. } => Some(match self.lifecycle {
                Lifecycle::Story => self.begin(Work::Revise, 0),
                Lifecycle::Task { .. } => self.hand_on(),
                Lifecycle::Assignment | Lifecycle::Ticket { .. } => {
                    let counters = Counters { attempt: self.counters.attempt + 1, ..self.counters };
                    (self.counting(counters).at(State::SentBack), vec![Effect::ClearCompleted])
                }
            }),
            Cause::Inconclusive { .. } => {
                let cycle = self.counting(Counters { inconclusive: 0, ..self.counters });
                Some(match self.lifecycle {
                    Lifecycle::Task { .. } => (cycle.at(State::Pending), vec![]),
                    Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story => cycle.review_now(),
                })
            }
            Cause::Validation { .. } | Cause::Execution { .. } | Cause::Merge { .. } => {
                let cycle = self.counting(Counters { execution_failures: 0, ..self.counters });
                Some(match self.lifecycle {
                    Lifecycle::Task { .. } => (cycle.at(State::Pending), vec![]),
                    Lifecycle::Assignment if self.counters.attempt == 1 => cycle.begin(Work::Build, 0),
                    Lifecycle::Assignment | Lifecycle::Ticket { .. } | Lifecycle::Story => {
                        cycle.begin(Work::Revise, 0)
                    }
                })
            }
        }
    }

    fn one_more_review(&self) -> Step {
        if self.max_reviews() >= self.limits.hard_cap {
            return None;
        }
        let counters = Counters { granted: self.counters.granted + 1, ..self.counters };
        let cycle = self.counting(counters);
        Some(match self.lifecycle {
            Lifecycle::Story => cycle.begin(Work::Revise, 0),
            Lifecycle::Task { .. } => cycle.hand_on(),
            Lifecycle::Assignment | Lifecycle::Ticket { .. } => {
                let cycle = cycle.counting(Counters { attempt: counters.attempt + 1, ..counters });
                (cycle.at(State::SentBack), vec![Effect::ClearCompleted])
            }
        })
    }

    /// A correction was made, so the next round begins, unless the last one proved nothing or was the last
    /// there may be.
    fn fixed_by_hand(&self, cause: &Cause) -> Cycle {
        let Counters { attempt, granted, .. } = self.counters;
        let next = match cause {
            Cause::Inconclusive { .. } => attempt,
            Cause::ReviewLimit
            | Cause::Stuck { .. }
            | Cause::Validation { .. }
            | Cause::Execution { .. }
            | Cause::Merge { .. } => (attempt + 1).min(self.limits.hard_cap),
        };
        let granted = granted + next.saturating_sub(self.max_reviews());
        self.counting(Counters { attempt: next, granted, ..Counters::default() })
    }

    /// A ticket begins from nothing, unless nothing is known against its work: then only the review is repeated. A task
    /// keeps its place in the chain of reviews it belongs to.
    fn retried(&self, cause: &Cause) -> (Cycle, Vec<Effect>) {
        if let (Lifecycle::Ticket { .. }, Cause::Inconclusive { .. }) = (self.lifecycle, cause) {
            let again = self.counting(Counters { inconclusive: 0, ..self.counters });
            let (cycle, mut effects) = again.review_now();
            effects.extend(self.about_dependents(Effect::FreeDependents));
            return (cycle, effects);
        }
        let Counters { attempt, granted, .. } = self.counters;
        let counters = match self.lifecycle {
            Lifecycle::Task { .. } => Counters { attempt, granted, ..Counters::default() },
            Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story => Counters::default(),
        };
        let effects = self.about_dependents(Effect::FreeDependents).into_iter().collect();
        (self.counting(counters).at(State::Pending), effects)
    }
}
