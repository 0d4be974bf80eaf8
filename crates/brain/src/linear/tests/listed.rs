//! Whatever a reviewer sends in whatever form is in the report, as a finding or as what was merged with one.

use domain::ports::Reviewer;
use domain::words::{Category, Dimension, Severity};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::scripted::{entry, report};

#[derive(Debug, Clone)]
struct Sent {
    line: Option<u32>,
    severity: Severity,
    category: Category,
    message: String,
}

fn sent() -> impl Strategy<Value = Sent> {
    let what = [
        "The name",
        "The length of the name",
        "Criterion 1 of the story",
        "Criterion 2 of the story",
        "user_id",
    ];
    let fault = ["is not checked", "is never checked", "is not met", "may be null", "is slow"];
    (
        prop::sample::select(vec![None, Some(2), Some(3)]),
        prop::sample::select(Severity::ALL.to_vec()),
        prop::sample::select(Category::ALL.to_vec()),
        (prop::sample::select(what.to_vec()), prop::sample::select(fault.to_vec())),
    )
        .prop_map(|(line, severity, category, (what, fault))| Sent {
            line,
            severity,
            category,
            message: format!("{what} {fault}"),
        })
}

fn answer(form: usize, sent: &[Sent]) -> String {
    let place = |one: &Sent| one.line.map_or_else(String::new, |line| format!("src/a.rs:{line}"));
    match form {
        0 => {
            let entries = sent.iter().map(|one| {
                let mut value = entry("src/a.rs", 2, "", one.severity.as_str(), &one.message);
                value["category"] = one.category.as_str().into();
                (value["line"], value["quote"]) = (json!(one.line), Value::Null);
                value["file"] = json!(one.line.map(|_| "src/a.rs"));
                value
            });
            // Objecting without a reason would be asked about.
            report(&entries.collect::<Vec<_>>()).replace("\"verdict\":\"fail\"", "\"verdict\":\"pass\"")
        }
        1 => {
            let entries = sent.iter().map(|one| {
                json!({"file": one.line.map(|_| "src/a.rs"), "line_number": one.line, "severity": one.severity,
                    "description": one.message, "suggested_fix": "", "category": one.category})
            });
            format!("```json\n{}\n```", json!(entries.collect::<Vec<_>>()))
        }
        2 => {
            let item = |(number, one): (usize, &Sent)| {
                let (severity, category, message) = (one.severity, one.category, &one.message);
                let place = if one.line.is_some() { place(one) } else { "the change as a whole".to_owned() };
                format!("{}. [ ] **{severity}** ({category}): {place}\n    Issue: {message}\n", number + 1)
            };
            sent.iter().enumerate().map(item).collect()
        }
        3 => {
            let line = |one: &Sent| match one.line {
                Some(_) => format!("{}: {} - {}\n", one.severity, place(one), one.message),
                None => format!("{}: {}\n", one.severity, one.message),
            };
            sent.iter().map(line).collect()
        }
        _ => {
            let scores: serde_json::Map<_, _> = Dimension::BUILT_IN
                .into_iter()
                .map(|(name, weight)| (name.to_string(), json!({"score": 91, "weight": weight.as_str()})))
                .collect();
            let findings = sent.iter().map(|one| {
                json!({"dimension": one.category.dimension(), "severity": one.severity.level(), "message": one.message,
                    "file": one.line.map(|_| "src/a.rs"), "line": one.line, "suggestion": ""})
            });
            json!({
                "ticket_id": "t", "reviewed_at": "2026-01-01T00:00:00Z", "reviewer": "r", "status": "fail",
                "overall_score": 91, "revision_count": 0, "dimension_scores": scores, "blocking_issues": [],
                "revision_notes": "do it", "approved": false, "findings": findings.collect::<Vec<_>>(),
                "pass_criteria_met": {"all_critical_dimensions_pass": true, "no_blocking_issues": true,
                    "overall_score_above_threshold": true},
            })
            .to_string()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_finding_that_was_sent_is_reported_or_listed_with_one(
        minds in prop::collection::vec(prop::collection::vec(sent(), 1..8), 1..4),
        form in 0usize..5,
    ) {
        let mut desk = desk();
        desk.config.model.consensus = u32::try_from(minds.len()).unwrap();
        let scripted = minds.iter().map(|sent| Scripted::saying(answer(form, sent)));
        let evidence = reviewer(scripted.collect()).review(&desk.request()).unwrap();
        for one in minds.iter().flatten() {
            let is_there = evidence.findings.iter().any(|found| {
                (found.message == one.message && found.line() == one.line)
                    || found.suggestion.contains(&format!("at {}: {}.", location(one), one.message))
            });
            prop_assert!(is_there, "{one:?} is lost in {:?}", evidence.findings);
        }
    }
}

fn location(one: &Sent) -> String {
    one.line.map_or("the change as a whole".to_owned(), |line| format!("src/a.rs:{line}"))
}
