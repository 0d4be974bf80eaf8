//! The report that the specification gives reviewers of tickets, as somebody who knows it may answer with.

use std::sync::LazyLock;

use domain::formats::review_report::ReviewReport;
use domain::formats::schema::schema;
use domain::gate::overall_scores;
use domain::review::Verdict;
use domain::text::short_line;
use serde_json::Value;

use super::{Reader, Reading, trouble};
use crate::clean;
use crate::json_schema::Validator;

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
    /// for, if it is the only one in an answer and the words around it cast no doubt on it: then it may be a quote.
    pub(super) fn report(&self, value: &Value) -> Option<Result<Reading, Vec<String>>> {
        let fields = value.as_object()?;
        if MARKS.iter().filter(|mark| fields.contains_key(**mark)).count() < ENOUGH_MARKS {
            return None;
        }
        let value = &with_whole_numbers(value.clone());
        let report = match serde_json::from_value::<ReviewReport>(value.clone()) {
            Ok(report) => report,
            Err(error) => return Some(Err(unfit(value, &error))),
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
        if faults.is_empty() {
            faults = misfits(value);
        }
        if !faults.is_empty() {
            return Some(Err(faults));
        }
        let corrections = self.corrections(&report);
        let objects = report.overall_score < i64::from(self.gate.overall);
        let mut reading = self.evidence(report.into_evidence(self.change));
        reading.told.corrections.extend(corrections);
        // Working the score out anew must not turn a rejection into an approval.
        reading.claimed = if objects { Some(Verdict::Fail) } else { reading.claimed };
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

/// Why a value cannot be read as a report. What the schema cannot say is that a text is no time.
fn unfit(value: &Value, error: &serde_json::Error) -> Vec<String> {
    let wrong = misfits(value);
    if !wrong.is_empty() {
        return wrong;
    }
    let mut in_time = value.clone();
    in_time["reviewed_at"] = "2026-01-01T00:00:00Z".into();
    let is_the_time = serde_json::from_value::<ReviewReport>(in_time).is_ok();
    let place = if is_the_time { "/reviewed_at" } else { "/" };
    vec![short_line(&format!("{place}: {error}"))]
}

/// Where a value is not as the published schema has it, and what was expected there.
fn misfits(value: &Value) -> Vec<String> {
    static VALIDATOR: LazyLock<Option<Validator>> =
        LazyLock::new(|| Validator::new(&schema("review-report")?));
    VALIDATOR.as_ref().map(|validator| validator.errors(value)).unwrap_or_default()
}

/// JSON knows one kind of number: 94.0 is 94.
fn with_whole_numbers(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < 1e9);
            if let Some(whole) = whole {
                *number = (whole as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = with_whole_numbers(item.take())),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| *field = with_whole_numbers(field.take()));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    value
}
