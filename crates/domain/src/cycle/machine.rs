//! The transition function, one handler per state. Every handler names every event: a new event does not
//! compile until each state has said what it thinks of it.

use std::collections::BTreeSet;

use super::{Blocker, Cycle, Effect, Event, Illegal, Lifecycle, State, TaskKind, Work};

/// The next cycle and what has to be done about it; nothing if the event is not for this state.
pub(super) type Step = Option<(Cycle, Vec<Effect>)>;

/// Applies the log of an item to the cycle it began as.
pub fn replay<'a>(start: Cycle, events: impl IntoIterator<Item = &'a Event>) -> Result<Cycle, Illegal> {
    events.into_iter().try_fold(start, |cycle, event| Ok(cycle.apply(event)?.0))
}

impl Cycle {
    pub fn apply(&self, event: &Event) -> Result<(Cycle, Vec<Effect>), Illegal> {
        self.step(event).ok_or_else(|| Illegal {
            lifecycle: self.lifecycle.as_str(),
            status: self.status(),
            event: event.name(),
            allowed: self.allowed().iter().map(Event::name).collect(),
        })
    }

    pub(super) fn step(&self, event: &Event) -> Step {
        match &self.state {
            State::Pending => self.when_pending(event),
            State::Queued => self.when_queued(event),
            State::Accepted => self.when_accepted(event),
            State::Working { work } => self.when_working(*work, event),
            State::Validating => self.when_validating(event),
            State::Reviewing => self.when_reviewing(event),
            State::SentBack => self.when_sent_back(event),
            State::Failed { cause } => self.when_failed(cause, event),
            State::Blocked { by: Blocker::Dependencies { failed } } => self.when_waiting_for(failed, event),
            State::Blocked { by: Blocker::Human { cause } } => self.when_taken_over(cause, event),
            State::Escalated { cause } => self.when_escalated(cause, event),
            State::Done { .. } => self.when_done(event),
            State::Closed => None,
        }
    }

    fn when_pending(&self, event: &Event) -> Step {
        match (event, self.lifecycle) {
            (Event::Enqueue, Lifecycle::Ticket { .. }) => Some((self.at(State::Queued), vec![])),
            (Event::Accept, Lifecycle::Assignment) => Some((self.at(State::Accepted), vec![])),
            (Event::Start, Lifecycle::Assignment) => Some(self.begin(Work::Build, 0)),
            (Event::Start, Lifecycle::Story) => Some(self.review_now()),
            (Event::Start, Lifecycle::Task { task: TaskKind::Review }) => {
                Some((self.at(State::Reviewing), vec![Effect::RecordReviewStarted]))
            }
            (Event::Start, Lifecycle::Task { task: TaskKind::Fix }) => Some(self.begin(Work::Revise, 0)),
            (Event::Start, Lifecycle::Task { task: TaskKind::Other }) => Some(self.begin(Work::Build, 0)),
            (Event::DependencyFailed { dependency }, Lifecycle::Ticket { .. }) => {
                Some(self.block_for(dependency))
            }
            (Event::Cancel, Lifecycle::Task { .. }) => Some((self.at(State::Closed), vec![])),
            (
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
                | Event::Resume
                | Event::Resolve { .. },
                Lifecycle::Ticket { .. } | Lifecycle::Assignment | Lifecycle::Story | Lifecycle::Task { .. },
            ) => None,
        }
    }

    fn when_queued(&self, event: &Event) -> Step {
        match event {
            Event::Start => Some(self.begin(Work::Build, 0)),
            Event::DependencyFailed { dependency } => Some(self.block_for(dependency)),
            Event::Enqueue
            | Event::Accept
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::Reviewed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Cancel
            | Event::Retry
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn when_accepted(&self, event: &Event) -> Step {
        match event {
            Event::Start => Some(self.begin(Work::Build, 0)),
            Event::Enqueue
            | Event::Accept
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
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn when_working(&self, work: Work, event: &Event) -> Step {
        match event {
            Event::Submit => Some(self.submitted()),
            Event::ExecutionFailed { reason } => Some(self.crashed(work, reason)),
            Event::CannotRun { reason } => Some(self.cannot_run(reason)),
            Event::Cancel => self.cancelled(),
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::Reviewed { .. }
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Retry
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn when_validating(&self, event: &Event) -> Step {
        match event {
            Event::ValidationPassed => Some(self.validated()),
            Event::ValidationFailed { reason } => Some(self.invalid(reason)),
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::Reviewed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. }
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Cancel
            | Event::Retry
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn when_reviewing(&self, event: &Event) -> Step {
        match event {
            // Only the loop knows of findings that a person accepted in between.
            Event::Reviewed { outcome: super::Outcome::Accepted } if self.lifecycle != Lifecycle::Story => {
                None
            }
            Event::Reviewed { outcome } => Some(self.reviewed(outcome)),
            Event::ExecutionFailed { reason } => self.review_crashed(reason),
            Event::CannotRun { reason } => self.review_cannot_run(reason),
            Event::Cancel => self.cancelled(),
            Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::DependencyFailed { .. }
            | Event::DependencyRecovered { .. }
            | Event::MergeFailed { .. }
            | Event::Retry
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn when_sent_back(&self, event: &Event) -> Step {
        match event {
            Event::Start => Some(self.begin(Work::Revise, 0)),
            Event::Enqueue
            | Event::Accept
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
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    /// Finished is finished, but for a ticket whose work turns out not to fit to that of the others.
    fn when_done(&self, event: &Event) -> Step {
        match event {
            Event::MergeFailed { reason } => self.unmergeable(reason),
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
            | Event::Cancel
            | Event::Retry
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn when_waiting_for(&self, failed: &BTreeSet<String>, event: &Event) -> Step {
        match event {
            Event::DependencyFailed { dependency } => {
                let mut failed = failed.clone();
                failed.insert(dependency.clone());
                Some((self.at(State::Blocked { by: Blocker::Dependencies { failed } }), vec![]))
            }
            Event::DependencyRecovered { dependency } if failed.contains(dependency) => {
                let mut failed = failed.clone();
                failed.remove(dependency);
                if failed.is_empty() {
                    return Some((self.at(State::Pending), vec![Effect::FreeDependents]));
                }
                Some((self.at(State::Blocked { by: Blocker::Dependencies { failed } }), vec![]))
            }
            Event::DependencyRecovered { .. }
            | Event::Enqueue
            | Event::Accept
            | Event::Start
            | Event::Submit
            | Event::ValidationPassed
            | Event::ValidationFailed { .. }
            | Event::Reviewed { .. }
            | Event::ExecutionFailed { .. }
            | Event::CannotRun { .. }
            | Event::MergeFailed { .. }
            | Event::Cancel
            | Event::Retry
            | Event::Resume
            | Event::Resolve { .. } => None,
        }
    }

    fn block_for(&self, dependency: &str) -> (Cycle, Vec<Effect>) {
        let failed = BTreeSet::from([dependency.to_owned()]);
        (self.at(State::Blocked { by: Blocker::Dependencies { failed } }), vec![Effect::BlockDependents])
    }
}
