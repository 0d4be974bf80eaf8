use super::{Blocker, Cycle, Event, Outcome, Resolution, State};

/// An event that means nothing in the state the item is in. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {lifecycle} that is {status} cannot take `{event}`: {}", article(.lifecycle), what_it_takes(.allowed))]
pub struct Illegal {
    pub lifecycle: &'static str,
    pub status: &'static str,
    pub event: &'static str,
    /// Names of the events it would take.
    pub allowed: Vec<&'static str>,
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn what_it_takes(allowed: &[&str]) -> String {
    if allowed.is_empty() { "it is over".to_owned() } else { format!("it takes {}", allowed.join(", ")) }
}

impl Cycle {
    /// One event of every kind that is legal now. Found by asking the machine, so it cannot disagree.
    pub fn allowed(&self) -> Vec<Event> {
        self.one_of_each().into_iter().filter(|event| self.step(event).is_some()).collect()
    }

    /// What a human may decide now; empty unless escalated.
    pub fn options(&self) -> Vec<Resolution> {
        Resolution::ALL
            .into_iter()
            .filter(|resolution| self.step(&Event::resolved(*resolution)).is_some())
            .collect()
    }

    fn one_of_each(&self) -> Vec<Event> {
        let reason = String::new;
        let dependency = match &self.state {
            State::Blocked { by: Blocker::Dependencies { failed } } => failed.first().cloned(),
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
            | State::Closed => None,
        };
        let dependency = dependency.unwrap_or_default();
        let mut events = vec![
            Event::Enqueue,
            Event::Accept,
            Event::Start,
            Event::Submit,
            Event::ValidationPassed,
            Event::ValidationFailed { reason: reason() },
            Event::reviewed(Outcome::Passed),
            Event::ExecutionFailed { reason: reason() },
            Event::CannotRun { reason: reason() },
            Event::DependencyFailed { dependency: dependency.clone() },
            Event::DependencyRecovered { dependency },
            Event::MergeFailed { reason: reason() },
            Event::Cancel,
            Event::Retry,
            Event::Resume,
        ];
        events.extend(Resolution::ALL.map(Event::resolved));
        events
    }
}
