//! The report that the specification gives reviewers of tickets, as somebody who knows it may answer with.

use domain::formats::review_report::ReviewReport;
use domain::formats::schema::schema;
use domain::gate::overall_scores;
use domain::text::short_line;
use serde_json::Value;

use super::{Reader, Reading, errors, trouble};
use crate::clean;

/// What only such a report has; who gives this many of them means to write one.
const MARKS: [&str; 9] = [
    "ticket_id",
    "reviewed_at",
    "reviewer",
    "status",
    "overall_score",
    "blocking_issues",
    "revision_notes",
    "approved",
    "pass_criteria_met",
];
const ENOUGH_MARKS: usize = 3;
/// Told to a reviewer: enough to see what is wrong.
const MOST_TOLD: usize = 20;
/// Told to people.
const MOST_FAULTS: usize = 3;

impl Reader<'_> {
    /// Nothing if it is no such report, what is wrong with it where it cannot be used. It says as much as what is asked
    /// for, if it is all there is in an answer; one in the middle of prose may be a quote.
    pub(super) fn report(&self, value: &Value) -> Option<Result<Reading, Vec<String>>> {
        let fields = value.as_object()?;
        if MARKS.iter().filter(|mark| fields.contains_key(**mark)).count() < ENOUGH_MARKS {
            return None;
        }
        let report = match serde_json::from_value::<ReviewReport>(value.clone()) {
            Ok(report) => report,
            Err(error) => return Some(Err(misfits(value, &error))),
        };
        let mut faults = report.faults();
        for (dimension, ..) in self.gate.dimensions() {
            let place = format!("/dimension_scores/{dimension}: ");
            let told = faults.iter().any(|fault| fault.starts_with(&place));
            if report.dimension_scores.get(&dimension).is_none() && !told {
                faults.push(format!("{place}it is missing, expected is an object with score and weight"));
            }
        }
        if faults.len() > MOST_TOLD {
            let more = faults.len() - MOST_TOLD;
            faults.truncate(MOST_TOLD);
            faults.push(format!("/: and {more} more"));
        }
        if !faults.is_empty() {
            return Some(Err(faults));
        }
        let corrections = self.corrections(&report);
        let mut reading = self.evidence(report.into_evidence(self.change));
        reading.told.corrections.extend(corrections);
        Some(Ok(reading))
    }

    /// What of a report that cannot be used is kept for people to read: its findings, and why they prove nothing.
    pub(super) fn invalid(&self, value: &Value, faults: &[String]) -> Reading {
        let mut reading = match serde_json::from_value::<ReviewReport>(value.clone()) {
            Ok(report) => self.evidence(report.into_evidence(self.change)),
            Err(_) => value.as_object().and_then(|fields| self.object(fields)).unwrap_or_default(),
        };
        let message = format!("the report cannot be used{}", self.faults(faults));
        reading.troubles.push(trouble("invalid", message));
        reading
    }

    /// `: /overall_score: it is 120, expected is ...`, in one line.
    pub(super) fn faults(&self, faults: &[String]) -> String {
        let shown = faults.iter().take(MOST_FAULTS).map(|fault| clean::line(&short_line(fault), self.redact));
        let shown = shown.collect::<Vec<_>>().join("; ");
        match faults.len().saturating_sub(MOST_FAULTS) {
            0 => format!(": {shown}"),
            more => format!(": {shown}; and {more} more"),
        }
    }

    /// What does not add up in it, though it says it.
    fn corrections(&self, report: &ReviewReport) -> Vec<String> {
        let mut corrections = Vec::new();
        for (dimension, weight, _) in self.gate.dimensions() {
            let said = report.dimension_scores.get(&dimension).map(|scored| scored.weight);
            if let Some(said) = said.filter(|said| *said != weight) {
                let (said, weight) = (said.as_str(), weight.as_str());
                corrections.push(format!("the weight of {dimension} is {weight}, the report said {said}"));
            }
        }
        let scores =
            report.dimension_scores.0.iter().map(|(name, scored)| (name.clone(), Some(scored.score)));
        if let Some(scores) = self.scores(scores) {
            let follow = overall_scores(self.gate, &scores);
            let said = report.overall_score;
            if !(i64::from(*follow.start())..=i64::from(*follow.end())).contains(&said) {
                let follows = follow.start();
                corrections.push(format!(
                    "the overall score is {follows} by the report's own dimension scores, the report said {said}"
                ));
            }
        }
        corrections
    }
}

/// Where a value is not a report, and what was expected there.
fn misfits(value: &Value, error: &serde_json::Error) -> Vec<String> {
    let validator = schema("review-report").and_then(|schema| jsonschema::draft202012::new(&schema).ok());
    let wrong = validator.map(|validator| errors(&validator, value)).unwrap_or_default();
    if wrong.is_empty() { vec![short_line(&format!("/: {error}"))] } else { wrong }
}
