//! What is said about a loop while it runs.

use domain::cycle::Tally;
use domain::review::Usage;
use jiff::Timestamp;

use super::{Step, Story};

/// Where the loop is, for somebody who waits for it.
#[derive(Debug, Clone)]
pub struct Moment<'a> {
    pub story: &'a Story,
    pub step: Step,
    pub round: u32,
    pub max_rounds: u32,
    pub elapsed_seconds: u64,
    /// Of the last review.
    pub found: Tally,
    pub usage: Usage,
    /// What is being done, or was done.
    pub text: String,
}

impl<'a> Moment<'a> {
    pub(super) fn of(story: &'a Story, now: Timestamp, text: String) -> Moment<'a> {
        Moment {
            story,
            step: story.step,
            round: story.cycle.round(),
            max_rounds: story.cycle.max_reviews(),
            elapsed_seconds: seconds_between(story.started_at, now),
            found: story.tally(),
            usage: story.usage(),
            text,
        }
    }
}

pub(super) fn seconds_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second().saturating_sub(from.as_second())).unwrap_or_default()
}

/// `1 critical, 2 important, 1 minor`, or `nothing`.
pub(super) fn counted(tally: &Tally) -> String {
    let parts = [(tally.critical, "critical"), (tally.important, "important"), (tally.minor, "minor")];
    let named: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if named.is_empty() { "nothing".to_owned() } else { named.join(", ") }
}
