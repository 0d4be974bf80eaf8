use std::collections::BTreeMap;
use std::time::Duration;

use domain::cycle;
use domain::formats::qa_findings::QaFinding;
use domain::review::Review;
use domain::text::{clean_line, short_line};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::handler::Handled;
use crate::kept::KeptReview;

/// In the history one review is a few lines, not a report.
const MOST_LISTED: usize = 10;
const LONGEST_HEADLINE: usize = 200;
/// Together with the rest of it, a task with its findings stays well below what a store takes.
const MOST_BYTES: usize = 128 * 1024;

/// What follows from what a handler said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Conclusion {
    Done {
        detail: Value,
    },
    Judged(Judgement),
    Failed {
        reason: String,
    },
    CannotRun {
        reason: String,
    },
    /// As it was, for it cannot be begun now.
    LockedByOthers {
        wait: Duration,
    },
    /// As it was, for it cannot be finished now.
    Postponed {
        reason: String,
        wait: Duration,
    },
    /// As it was, for the worker has to stop.
    GivenBack,
}

/// A review in the words of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub outcome: cycle::Outcome,
    pub reviewer: String,
    /// Clean text, and never more than a task can carry.
    pub findings: Vec<QaFinding>,
    /// Findings that did not fit.
    pub left_out: usize,
    /// Criteria of the gate that were not met, for people.
    pub unmet: Vec<String>,
    /// The review itself, where there was one that went through the gate.
    pub kept: Option<Box<KeptReview>>,
}

/// One entry of the history that travels along a chain of reviews and fixes. The context of a task may come from
/// anywhere, so whatever is missing has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PastReview {
    pub attempt: u32,
    pub review_task: String,
    pub reviewer: String,
    /// `pass`, `fail` or `inconclusive`.
    pub verdict: String,
    /// How many there were.
    pub findings: usize,
    /// How many of each severity, of those that were kept.
    pub severities: BTreeMap<String, u32>,
    /// The first of them, a line each.
    pub headlines: Vec<String>,
    /// Criteria of the gate that were not met.
    pub unmet: Vec<String>,
}

impl Conclusion {
    /// `reviewer` is who handled the task.
    pub(super) fn of(handled: Handled, reviewer: &str) -> Conclusion {
        match handled {
            Handled::Done { detail } => Conclusion::Done { detail },
            Handled::Reviewed { review } => Conclusion::Judged(Judgement::of_review(&review)),
            Handled::Inconclusive { reason } => {
                Conclusion::Judged(Judgement::inconclusive(&reason, reviewer))
            }
            Handled::Failed { reason } => Conclusion::Failed { reason: short_line(&reason) },
            Handled::CannotRun { reason } => Conclusion::CannotRun { reason: short_line(&reason) },
            Handled::Postponed { reason, wait } => {
                Conclusion::Postponed { reason: short_line(&reason), wait }
            }
        }
    }
}

impl Judgement {
    pub fn of_review(review: &Review) -> Judgement {
        let outcome = cycle::Outcome::of_decision(&review.decision);
        let unmet = review.decision.unmet().map(|criterion| {
            short_line(&format!("{}: {}, required {}", criterion.name, criterion.actual, criterion.required))
        });
        let unmet = unmet.collect();
        let blocking = review.blocking().map(QaFinding::from);
        let advice = review.findings.iter().filter(|finding| !finding.blocks(review.decision.fail_on));
        let kept = Some(Box::new(KeptReview::of(review)));
        let findings = blocking.chain(advice.map(QaFinding::from));
        Judgement { kept, ..Judgement::new(outcome, &review.reviewer, findings, unmet) }
    }

    /// Where there was nothing to judge.
    fn inconclusive(reason: &str, reviewer: &str) -> Judgement {
        let outcome = cycle::Outcome::Inconclusive { reason: short_line(reason) };
        Judgement::new(outcome, reviewer, std::iter::empty(), Vec::new())
    }

    fn new(
        outcome: cycle::Outcome,
        reviewer: &str,
        findings: impl Iterator<Item = QaFinding>,
        unmet: Vec<String>,
    ) -> Judgement {
        let (mut fitting, mut left_out, mut bytes) = (Vec::new(), 0, 0);
        for finding in findings {
            bytes += size(&finding);
            if left_out > 0 || bytes > MOST_BYTES {
                left_out += 1;
            } else {
                fitting.push(finding);
            }
        }
        Judgement { outcome, reviewer: short_line(reviewer), findings: fitting, left_out, unmet, kept: None }
    }

    /// A rejection as it was kept: the findings that fitted, and its entry in the history.
    pub fn of_record(findings: Vec<QaFinding>, record: &PastReview) -> Judgement {
        Judgement {
            outcome: cycle::Outcome::Rejected,
            reviewer: short_line(&record.reviewer),
            left_out: record.findings.saturating_sub(findings.len()),
            findings,
            unmet: record.unmet.iter().map(|line| short_line(line)).collect(),
            kept: None,
        }
    }

    /// For the log: the verdict, of which commits, and what it rests on.
    pub(super) fn summary(&self) -> String {
        let grounds = self.grounds();
        match (&self.kept, &self.outcome) {
            (Some(kept), _) if grounds.is_empty() => kept.subject(),
            (Some(kept), _) => format!("{}; {grounds}", kept.subject()),
            (None, cycle::Outcome::Inconclusive { .. }) => format!("inconclusive: {grounds}"),
            (None, _) => grounds,
        }
    }

    /// How much there is and how bad it is.
    fn grounds(&self) -> String {
        if let cycle::Outcome::Inconclusive { reason } = &self.outcome {
            return reason.clone();
        }
        let count = self.findings.len() + self.left_out;
        match self.findings.iter().map(|finding| finding.severity).max() {
            None => self.unmet.join("; "),
            Some(worst) if count == 1 => format!("1 finding, {worst}"),
            Some(worst) => format!("{count} findings, the worst {worst}"),
        }
    }

    pub(super) fn record(&self, review_task: &str, attempt: u32) -> Value {
        let mut severities = BTreeMap::new();
        self.findings.iter().for_each(|finding| {
            *severities.entry(finding.severity.to_string()).or_default() += 1;
        });
        json!(PastReview {
            attempt,
            review_task: review_task.to_owned(),
            reviewer: self.reviewer.clone(),
            verdict: match &self.outcome {
                cycle::Outcome::Passed => "pass",
                cycle::Outcome::Accepted => "accepted",
                cycle::Outcome::Rejected | cycle::Outcome::Stuck { .. } => "fail",
                cycle::Outcome::Inconclusive { .. } => "inconclusive",
            }
            .to_owned(),
            findings: self.findings.len() + self.left_out,
            severities,
            headlines: self.findings.iter().take(MOST_LISTED).map(headline).collect(),
            unmet: self.unmet.clone(),
        })
    }
}

fn headline(finding: &QaFinding) -> String {
    let path = finding.file.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
    let line = finding.line_number.map(|line| format!(":{line}")).unwrap_or_default();
    let whole = clean_line(&format!("{}{path}{line}: {}", finding.severity, finding.description));
    whole.chars().take(LONGEST_HEADLINE).collect()
}

fn size(finding: &QaFinding) -> usize {
    serde_json::to_string(finding).map_or(MOST_BYTES, |json| json.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_findings_than_a_task_can_carry_are_counted() {
        let finding = |number: u32| {
            let description = format!("{number} {}", "x".repeat(3000));
            let finding = json!({"file": "a.rs", "severity": "HIGH", "description": description});
            serde_json::from_value::<QaFinding>(finding).unwrap()
        };
        let many = Judgement::new(cycle::Outcome::Rejected, "qa-1", (0..500).map(finding), Vec::new());
        assert_eq!(many.findings.len() + many.left_out, 500);
        assert!(many.left_out > 0);
        assert_eq!(many.summary(), "500 findings, the worst HIGH");
    }
}
