use domain::gate::GatePolicy;
use domain::review::{Confidence, Verdict};
use domain::words::{Dimension, Severity};
use serde_json::json;

use super::*;
use crate::scripted::{self, REDACT, entry, report};

const DIFF: &str = "@@ -1,2 +1,3 @@ fn a() {\n fn a() {\n+    check(x);\n }\n";

struct Desk {
    change: domain::change::Change,
    gate: GatePolicy,
    shape: Shape,
}

impl Desk {
    fn new() -> Desk {
        let gate = GatePolicy::default();
        Desk { change: scripted::change(&[("src/a.rs", DIFF)]), shape: Shape::review(&gate), gate }
    }

    fn reader(&self) -> Reader<'_> {
        Reader { shape: &self.shape, change: &self.change, gate: &self.gate, redact: REDACT }
    }
}

fn strict(text: &str) -> Result<Reading, Vec<String>> {
    Desk::new().reader().strict(text)
}

fn lenient(text: &str) -> Reading {
    Desk::new().reader().lenient(text)
}

fn one() -> String {
    report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` is never checked")])
}

fn kinds(reading: &Reading) -> Vec<&str> {
    reading.troubles.iter().map(|trouble| trouble.kind.as_str()).collect()
}

#[test]
fn an_answer_in_shape_is_read_whole() {
    let reading = strict(&one()).unwrap();
    let finding = &reading.findings[0];
    assert_eq!(
        (finding.severity, finding.confidence, finding.line()),
        (Severity::High, Confidence::High, Some(2))
    );
    assert_eq!((finding.rule.as_str(), finding.suggestion.as_str()), ("model", "Correct it"));
    assert_eq!(reading.scores.unwrap()[&Dimension::REQUIREMENT_ADHERENCE], 95);
    assert_eq!((reading.claimed, reading.unplaced, reading.troubles.len()), (Some(Verdict::Fail), 0, 0));
}

#[test]
fn json_wrapped_in_prose_or_fences_needs_no_repair() {
    for text in [
        format!("Sure! Here is my review:\n\n```json\n{}\n```\nLet me know.", one()),
        format!("```\n{}\n```", one()),
        format!("<think>hm {{}}</think> {} Hope that helps {{:)}}", one()),
    ] {
        assert_eq!(strict(&text).unwrap().findings.len(), 1, "{text}");
    }
}

#[test]
fn a_clean_report_quoted_from_the_code_hides_no_finding() {
    let text = format!("The fixture holds {} but my report is {}", report(&[]), one());
    let reading = strict(&text).unwrap();
    assert_eq!((reading.findings.len(), reading.claimed), (1, Some(Verdict::Fail)));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let wrong = one().replace("HIGH", "TERRIBLE").replace("\"verdict\":\"fail\"", "\"verdict\":\"maybe\"");
    let errors = strict(&wrong).unwrap_err();
    assert!(errors.iter().any(|error| error.starts_with("/findings/0/severity")), "{errors:?}");
    assert!(errors.iter().any(|error| error.starts_with("/verdict")), "{errors:?}");
    assert_eq!(strict("All good!").unwrap_err(), ["/: there is no JSON object in the answer"]);
}

#[test]
fn loosely_written_findings_are_understood() {
    let text = r#"Review: {"findings": [{"file": "src/a.rs:2", "severity": "error", "message": "x may be null",
        "quote": "check(x);", "impact": "crash", "confidence": "low", "recommendation": "check it"}], "status": "failed"}"#;
    let reading = lenient(text);
    let finding = &reading.findings[0];
    assert_eq!(
        (finding.severity, finding.line(), finding.confidence),
        (Severity::Major, Some(2), Confidence::Low)
    );
    assert_eq!((finding.impact.as_str(), finding.suggestion.as_str()), ("crash", "check it"));
    assert_eq!((reading.claimed, kinds(&reading)), (Some(Verdict::Fail), vec!["unexplained"]));
    assert!(lenient(&text.replace("low", "high")).troubles.is_empty());
}

#[test]
fn other_report_formats_are_understood() {
    let code_review = json!({
        "summary": "x", "counts_by_severity": {"high": 1}, "recommendations": [], "next_steps": [],
        "findings": [{"severity": "HIGH", "files": [{"file": "src/a.rs", "findings": [
            {"line": 2, "category": "security", "message": "x is unchecked"}]}]}],
    });
    let scores: serde_json::Map<_, _> = Dimension::BUILT_IN
        .into_iter()
        .map(|(dimension, weight)| (dimension.to_string(), json!({"score": 91, "weight": weight.as_str()})))
        .collect();
    let review_report = json!({
        "ticket_id": "t", "reviewed_at": "2026-01-01T00:00:00Z", "reviewer": "r", "status": "fail", "overall_score": 50,
        "revision_count": 0, "dimension_scores": scores, "blocking_issues": [], "revision_notes": "do it", "approved": false,
        "pass_criteria_met": {"all_critical_dimensions_pass": true, "no_blocking_issues": true, "overall_score_above_threshold": false},
        "findings": [{"dimension": "code_quality", "severity": "error", "file": "src/a.rs", "line": 2, "message": "m", "suggestion": "s"}],
    });
    let checklist = "1. [ ] **HIGH** (security): src/a.rs:2\n    Issue: x is unchecked\n    Fix: check it\n";
    for text in [
        code_review.to_string(),
        review_report.to_string(),
        checklist.to_owned(),
        json!({"review": review_report}).to_string(),
    ] {
        let reading = lenient(&text);
        assert_eq!((reading.findings.len(), reading.findings[0].line()), (1, Some(2)), "{text}");
        assert_eq!(reading.findings[0].rule, RULE);
        assert!(reading.troubles.is_empty(), "{text}");
    }
    assert_eq!(lenient(&review_report.to_string()).scores.unwrap()[&Dimension::CODE_QUALITY], 91);
}

#[test]
fn what_says_nothing_is_unparsable_and_never_clean() {
    for text in [
        "Looks good to me!",
        "{}",
        "{\"a\": 1}",
        "The code has `{\"findings\": []}` in it.",
        "null",
        "[1, 2]",
        "```json\n{\"find",
    ] {
        let reading = lenient(text);
        assert_eq!(kinds(&reading), ["unparsable"], "{text}: {reading:?}");
    }
}

#[test]
fn a_finding_in_text_beside_a_broken_block_and_prose_that_asks_for_changes_are_findings() {
    let broken = "```json\n[{\"file\": \"src/a.rs\", \"severity\"\n```\nCRITICAL: src/a.rs:2 - x is null\n";
    let half = "```json\n[{\"file\": }, {\"file\": \"src/a.rs\", \"severity\": \"LOW\", \"description\": \"d\"}]\n```";
    let critical = lenient(broken);
    assert_eq!((critical.findings[0].severity, kinds(&critical)), (Severity::Critical, vec![]));
    assert_eq!(kinds(&lenient(half)), ["unparsable"]);
    let prose = lenient("Changes requested: `x` may be null.");
    assert_eq!((prose.findings[0].severity, kinds(&prose)), (Severity::Major, vec![]));
}

#[test]
fn nothing_found_counts_only_in_the_shape_that_was_asked_for() {
    for text in [
        "[]",
        r#"{"findings": []}"#,
        r#"{"error": "quota exceeded", "findings": []}"#,
        r#"{"issues": [{"huh": 1}], "findings": []}"#,
        r#"{"result": {"findings": []}}"#,
        r#"Done: {"findings": [], "verdict": "pass"}"#,
    ] {
        assert!(strict(text).is_err(), "{text}");
        assert_eq!(kinds(&lenient(text)), ["unparsable"], "{text}");
    }
    for text in [report(&[]), format!("Here:\n```json\n{}\n```", report(&[]))] {
        assert!(strict(&text).unwrap().troubles.is_empty(), "{text}");
        assert!(lenient(&text).troubles.is_empty(), "{text}");
    }
}

#[test]
fn a_fail_without_a_reason_is_no_answer() {
    let fail = report(&[]).replace("pass", "fail");
    assert!(strict(&fail).unwrap_err()[0].starts_with("/verdict"));
    assert_eq!(kinds(&lenient(&fail)), ["unexplained"]);
    assert_eq!(kinds(&lenient(r#"{"approved": false, "findings": []}"#)), ["unexplained"]);
    assert_eq!(strict(&fail.replace("95", "12")).unwrap().claimed, Some(Verdict::Fail));
}

#[test]
fn a_clean_report_quoted_from_the_code_hides_no_loosely_written_finding() {
    let loose = one().replace("\"summary\"", "\"conclusion\"");
    let text = format!("The fixture holds {} but my report is {loose}", report(&[]));
    assert!(strict(&text).is_err());
    assert_eq!(lenient(&text).findings.len(), 1);
}

#[test]
fn of_a_partly_unreadable_answer_the_good_part_stays_and_the_rest_is_trouble() {
    let reading = lenient(
        r#"{"findings": [{"file": "src/a.rs", "severity": "HIGH", "message": "bad"}, {"huh": 1}, 7]}"#,
    );
    assert_eq!(reading.findings.len(), 1);
    assert_eq!(reading.troubles, [trouble("unparsable", "2 entries of the answer could not be read")]);
}

#[test]
fn of_an_answer_that_broke_off_the_complete_findings_stay() {
    let whole = report(&[entry("src/a.rs", 2, "", "HIGH", "one"), entry("src/a.rs", 3, "", "LOW", "two")]);
    let text = &whole[..whole.find("\"two\"").unwrap()];
    let reading = Desk::new().reader().cut_off(text);
    assert_eq!((reading.findings.len(), kinds(&reading)), (1, vec!["cut_off"]));
    assert_eq!(kinds(&Desk::new().reader().cut_off("{\"summ")), ["cut_off"]);
}

#[test]
fn scores_count_only_if_all_dimensions_have_one() {
    let some =
        json!({"findings": [], "verdict": "pass", "dimension_scores": {"code_quality": 90}}).to_string();
    assert_eq!(lenient(&some).scores, None);
    let none = report(&[]).replace(char::is_whitespace, "");
    let start = none.find("{\"requirement").unwrap();
    let end = none.find('}').unwrap() + 1;
    let reading = strict(&format!("{}null{}", &none[..start], &none[end..])).unwrap();
    assert_eq!((reading.scores, reading.claimed), (None, Some(Verdict::Pass)));
}

#[test]
fn what_cannot_be_placed_is_counted() {
    let text =
        report(&[entry("src/a.rs", 99, "gone();", "HIGH", "one"), entry("nowhere.rs", 1, "", "LOW", "two")]);
    let reading = strict(&text).unwrap();
    assert_eq!(reading.unplaced, 2);
    assert_eq!(reading.findings[0].location(), "src/a.rs");
    assert_eq!(reading.findings[1].location(), "the change as a whole");
}

#[test]
fn texts_are_cleaned() {
    let text = report(&[entry("src/a.rs", 2, "", "HIGH", "\u{1b}[31m@alice hunter2 <!-- x")]);
    assert_eq!(strict(&text).unwrap().findings[0].message, "@ alice [redacted] < !- - x");
}

#[test]
fn hostile_answers_are_read_in_bounds() {
    let deep = format!("{{\"findings\":{}", "[".repeat(1 << 20));
    let long = "x".repeat(10 << 20);
    let many: Vec<_> =
        (0..3_000).map(|number| entry("src/a.rs", 2, "", "HIGH", &format!("finding {number}"))).collect();
    let control: String = (0..0x20u8).map(char::from).cycle().take(1 << 20).collect();
    for text in [deep, long, control, "{\"a\":".repeat(1 << 18), "[{\"findings\":[".repeat(1 << 16)] {
        assert!(strict(&text).is_err());
        assert_eq!(kinds(&lenient(&text)), ["unparsable"]);
        assert_eq!(kinds(&Desk::new().reader().cut_off(&text)), ["cut_off"]);
    }
    let reading = strict(&report(&many)).unwrap();
    assert_eq!((reading.findings.len(), kinds(&reading)), (500, vec!["unparsable"]));
}

#[test]
fn a_second_opinion_is_one() {
    let shape = Shape::refutation();
    let yes = r#"{"refuted": true, "reason": "it is checked above"}"#;
    assert!(refutation(&format!("I think:\n```json\n{yes}\n```"), &shape).unwrap().refuted);
    for text in ["", "refuted", "{\"refuted\": true}", &format!("{yes} or {}", yes.replace("true", "false"))]
    {
        assert_eq!(refutation(text, &shape), None, "{text}");
    }
}

/// As the specification has it.
fn whole_report() -> serde_json::Value {
    let scored = |weight: &str| json!({"score": 95, "weight": weight});
    json!({
        "ticket_id": "a", "reviewed_at": "2026-01-01T00:00:00Z", "reviewer": "code-review-agent",
        "status": "pass", "overall_score": 95, "revision_count": 0,
        "dimension_scores": {
            "requirement_adherence": scored("critical"), "coordination_compliance": scored("critical"),
            "code_quality": scored("important"), "pattern_consistency": scored("important"),
            "test_quality": scored("important"), "security_performance": scored("moderate"),
        },
        "findings": [], "blocking_issues": [], "revision_notes": null, "approved": true,
        "pass_criteria_met": {
            "all_critical_dimensions_pass": true, "no_blocking_issues": true, "overall_score_above_threshold": true,
        },
    })
}

fn changed(fields: serde_json::Value) -> String {
    let mut report = whole_report();
    report.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    report.to_string()
}

#[test]
fn a_whole_and_valid_report_may_find_nothing_and_a_quoted_one_may_not() {
    let report = whole_report();
    let reading = lenient(&report.to_string());
    assert!(reading.troubles.is_empty() && reading.claimed == Some(Verdict::Pass), "{reading:?}");
    assert!(reading.told.corrections.is_empty(), "{reading:?}");
    let quoted = format!("The change holds this: {report}\nI could not read the rest.");
    assert!(!lenient(&quoted).troubles.is_empty());
    assert_eq!(
        strict(&quoted).unwrap_err(),
        [
            "/: the words around the report leave open whether it is the answer; give the report with no words around it"
        ]
    );
    for around in
        [("Here is my report:\n```json\n", "\n```\nLet me know."), ("Done. ", ""), ("```\n", "\n```")]
    {
        let text = format!("{}{report}{}", around.0, around.1);
        assert_eq!(strict(&text).unwrap().claimed, Some(Verdict::Pass), "{text}");
        assert!(lenient(&text).troubles.is_empty(), "{text}");
    }
    assert!(strict(&format!("Please fix the names.\n{report}")).is_err());
    let mut partial = report;
    partial["dimension_scores"].as_object_mut().unwrap().remove("code_quality");
    assert!(!lenient(&partial.to_string()).troubles.is_empty());
}

#[test]
fn of_a_report_that_is_wrong_the_reviewer_and_people_are_told_where_and_what_was_expected() {
    let finding = json!([{"dimension": "code_quality", "severity": "error", "message": "m"}]);
    for (fields, place, expected) in [
        (json!({"overall_score": 120}), "/overall_score: ", "from 0 to 100"),
        (json!({"overall_score": "high"}), "/overall_score: ", "a whole number"),
        (json!({"status": "meh"}), "/status: ", "meh"),
        (json!({"status": "fail", "approved": false}), "/revision_notes: ", "what has to be done"),
        (
            json!({"findings": [{"dimension": "taste", "severity": "info", "message": "m"}]}),
            "/findings/0/dimension: ",
            "one of requirement_adherence",
        ),
        (json!({"approved": null, "findings": finding}), "/approved: ", "true or false"),
        (json!({"reviewed_at": "yesterday"}), "/reviewed_at: ", "2026-02-03T10:00:00Z"),
        (json!({"overall_score": 94.5}), "/overall_score: ", "a whole number"),
        (
            json!({"findings": [{"dimension": "code_quality", "severity": "nit", "message": "m"}]}),
            "/findings/0/severity: ",
            "nit",
        ),
        (
            json!({"findings": [{"dimension": "code_quality", "severity": "info", "line": "12", "message": "m"}]}),
            "/findings/0/line: ",
            "12",
        ),
    ] {
        let text = changed(fields);
        let errors = strict(&text).unwrap_err();
        assert!(errors.iter().any(|one| one.starts_with(place) && one.contains(expected)), "{errors:?}");
        let reading = lenient(&text);
        assert_eq!(kinds(&reading), ["invalid"], "{text}");
        let message = &reading.troubles[0].message;
        assert!(message.contains(place) && message.contains(expected), "{message}");
    }
    let wrong = report(&[]).replace("\"verdict\":\"pass\"", "\"verdict\":7");
    let message = &lenient(&wrong).troubles[0].message;
    assert!(message.contains("/verdict: it is 7"), "{message}");
}

#[test]
fn of_a_report_that_is_wrong_all_over_no_more_is_told_than_helps() {
    let odd = json!({"dimension": "taste", "severity": "info", "message": "m"});
    let text = changed(json!({ "findings": vec![odd; 3_000] }));
    let errors = strict(&text).unwrap_err();
    assert_eq!((errors.len(), errors[20].as_str()), (21, "/: and 2980 more"));
    assert!(lenient(&text).troubles[0].message.len() < 1_000);
}

#[test]
fn a_report_that_fails_by_its_notes_alone_is_one_and_one_that_says_nothing_is_not() {
    let noted = json!({"status": "fail", "approved": false, "revision_notes": "Rename a to b"});
    let reading = strict(&changed(noted)).unwrap();
    assert_eq!((reading.claimed, reading.told.notes.len()), (Some(Verdict::Fail), 1));
    let contradicts = changed(json!({"approved": false}));
    assert!(strict(&contradicts).unwrap_err()[0].starts_with("/approved"));
    assert_eq!(kinds(&lenient(&contradicts)), ["unexplained"]);
}

#[test]
fn a_report_that_passes_in_one_place_and_not_in_another_is_asked_about_again() {
    let criteria = |critical: bool| {
        json!({"pass_criteria_met": {
            "all_critical_dimensions_pass": critical, "no_blocking_issues": true, "overall_score_above_threshold": true,
        }})
    };
    assert!(strict(&changed(criteria(true))).is_ok());
    for fields in [criteria(false), json!({"overall_score": 61})] {
        let text = changed(fields);
        assert!(strict(&text).unwrap_err()[0].starts_with("/approved"), "{text}");
        assert_eq!(kinds(&lenient(&text)), ["unexplained"], "{text}");
    }
    assert!(strict(&changed(json!({"overall_score": 95.0}))).unwrap().told.corrections.is_empty());
}

#[test]
fn a_score_off_the_scale_is_none() {
    for score in [json!(900), json!(-50), json!(95.5)] {
        let scores: serde_json::Map<String, serde_json::Value> = domain::words::Dimension::BUILT_IN
            .iter()
            .map(|(dimension, _)| (dimension.to_string(), json!(95)))
            .chain([("code_quality".to_owned(), score.clone())])
            .collect();
        let mut answer: serde_json::Value = serde_json::from_str(&report(&[])).unwrap();
        answer["dimension_scores"] = scores.into();
        let expected = format!(
            "/dimension_scores/code_quality: it is {score}, expected is a whole number from 0 to 100"
        );
        assert_eq!(strict(&answer.to_string()).unwrap_err(), [expected]);
        let reading = lenient(&answer.to_string());
        assert_eq!((kinds(&reading), &reading.scores), (vec!["unparsable"], &None));
    }
}

#[test]
fn a_fail_with_advice_alone_is_asked_about_again() {
    let text = report(&[entry("src/a.rs", 2, "check(x);", "LOW", "a matter of taste")])
        .replace("\"verdict\":\"pass\"", "\"verdict\":\"fail\"");
    assert!(strict(&text).unwrap_err()[0].starts_with("/verdict"), "{text}");
    let reading = lenient(&text);
    assert_eq!((kinds(&reading), reading.findings.len()), (vec!["unexplained"], 1));
}

#[test]
fn a_score_or_a_weight_that_does_not_follow_is_marked() {
    let corrections = |fields| strict(&changed(fields)).unwrap().told.corrections;
    assert_eq!(
        corrections(json!({"overall_score": 80})),
        ["the overall score is 95 by the report's own dimension scores, the report said 80"]
    );
    let mut scores = whole_report()["dimension_scores"].clone();
    scores["test_quality"]["weight"] = json!("moderate");
    assert_eq!(
        corrections(json!({"dimension_scores": scores})),
        ["the weight of test_quality is important, the report said moderate"]
    );
}

#[test]
fn a_report_that_lacks_a_dimension_of_the_project_cannot_be_used() {
    let mut desk = Desk::new();
    let own = domain::gate::DimensionPolicy { weight: domain::words::Weight::Moderate, minimum: None };
    desk.gate.dimensions.insert(Dimension::try_from("accessibility".to_owned()).unwrap(), own);
    let errors = desk.reader().strict(&whole_report().to_string()).unwrap_err();
    assert!(errors[0].starts_with("/dimension_scores/accessibility: it is missing"), "{errors:?}");
}
