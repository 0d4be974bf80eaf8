//! What a model answered, read as findings. Nothing that cannot be read ever counts as clean.

mod extract;
mod place;
mod read;
mod report;
mod shape;
#[cfg(test)]
mod tests;

use domain::review::{Finding, Scores, Told, Trouble, Verdict};
use serde_json::Value;

pub use read::Reader;
pub use shape::{Refutation, Shape};

/// The rule of every finding a model makes. It is the same for all models, so that what two of them find in the
/// same code is recognised as the same.
pub const RULE: &str = domain::review::JUDGED;

/// What an answer says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub findings: Vec<Finding>,
    /// How many of them are not where the model said they were, because nothing like it is there.
    pub unplaced: usize,
    /// Only if every dimension has one.
    pub scores: Option<Scores>,
    pub claimed: Option<Verdict>,
    /// The outcome in the model's own words, cleaned; empty if it has none for it.
    pub summary: String,
    /// Why the answer proves nothing, if it does not.
    pub troubles: Vec<Trouble>,
    /// Which model says so, as [`Answer::model`](crate::call::Answer::model); empty if that is not known.
    pub model: String,
    /// Cleaned.
    pub told: Told,
}

impl Reading {
    pub(crate) fn trouble(kind: &str, message: impl Into<String>) -> Reading {
        Reading { troubles: vec![trouble(kind, message)], ..Reading::default() }
    }

    /// Whether there is nothing in it because of what was said, or how: another model may do better.
    pub(crate) fn is_unreadable(&self) -> bool {
        let unread =
            |trouble: &Trouble| matches!(trouble.kind.as_str(), "unparsable" | "unexplained" | "invalid");
        self.findings.is_empty() && self.troubles.iter().any(unread)
    }

    #[must_use]
    pub(crate) fn by(self, model: &str) -> Reading {
        Reading { model: model.to_owned(), ..self }
    }

    /// Both together. Of what they disagree on, the worse counts.
    #[must_use]
    pub(crate) fn and(mut self, other: Reading) -> Reading {
        for finding in other.findings {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
        self.unplaced += other.unplaced;
        self.scores = match (self.scores, other.scores) {
            (Some(own), Some(others)) => Some(lower(own, others)),
            (own, others) => own.or(others),
        };
        self.claimed = worse(self.claimed, other.claimed);
        if self.summary.is_empty() {
            self.summary = other.summary;
        }
        self.troubles.extend(other.troubles);
        self.told.add(other.told);
        self
    }
}

/// The lower score of each dimension.
pub(crate) fn lower(mut scores: Scores, others: Scores) -> Scores {
    for (dimension, score) in others {
        scores.entry(dimension).and_modify(|own| *own = score.min(*own)).or_insert(score);
    }
    scores
}

fn worse(one: Option<Verdict>, other: Option<Verdict>) -> Option<Verdict> {
    match (one, other) {
        (Some(Verdict::Fail), _) | (_, Some(Verdict::Fail)) => Some(Verdict::Fail),
        (one, other) => one.or(other),
    }
}

pub(crate) fn trouble(kind: &str, message: impl Into<String>) -> Trouble {
    Trouble { kind: kind.to_owned(), message: message.into() }
}

/// The second opinion in an answer. `None` if there is none in it, or if there are two.
pub fn refutation(text: &str, shape: &Shape) -> Option<Refutation> {
    let text = extract::bounded(text);
    let fits = |value: &Value| shape.errors(value).is_empty();
    let values = extract::whole(text).filter(fits).map_or_else(|| extract::values(text), |value| vec![value]);
    let mut fitting = values.into_iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(value), None) => serde_json::from_value(value).ok(),
        (_, _) => None,
    }
}
