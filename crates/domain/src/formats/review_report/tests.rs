use serde_json::{Value, json};

use super::*;
use crate::change::{Change, Scope, Target};
use crate::formats::fixture;
use crate::review::Verdict;
use crate::words::Severity;

fn nothing_changed() -> Change {
    Change {
        scope: Scope {
            base: None,
            base_name: "main".into(),
            head: Target::Worktree,
            head_name: "topic".into(),
            notes: vec![],
        },
        files: vec![],
    }
}

/// As an agent that knows nothing of Countersign would write it.
fn foreign() -> Value {
    let mut report = serde_json::to_value(ReviewReport::from(&fixture::clean_review())).unwrap();
    report.as_object_mut().unwrap().remove("countersign");
    report
}

fn read(report: Value) -> ReviewReport {
    serde_json::from_value(report).unwrap()
}

#[test]
fn a_failed_review_as_a_report() {
    let report = ReviewReport::from(&fixture::review()).cleaned();
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn an_inconclusive_review_fails_and_says_to_run_it_again() {
    let report = ReviewReport::from(&fixture::inconclusive_review());
    assert_eq!((report.status, report.approved), (ReportStatus::Fail, false));
    let [issue] = report.blocking_issues.as_slice() else { panic!("{:?}", report.blocking_issues) };
    assert_eq!(issue.dimension, "requirement_adherence");
    assert!(issue.required_action.starts_with("Run the review again"));
    assert!(!report.pass_criteria_met.no_blocking_issues);
    assert!(report.revision_notes.unwrap().contains("1 of 3 hunks was not reviewed"));
}

#[test]
fn a_clean_review_passes_without_notes() {
    let report = ReviewReport::from(&fixture::clean_review());
    assert_eq!((report.status, report.approved, report.revision_notes), (ReportStatus::Pass, true, None));
}

#[test]
fn what_we_write_is_valid_and_loses_nothing() {
    for review in [fixture::review(), fixture::clean_review(), fixture::inconclusive_review()] {
        let report = ReviewReport::from(&review);
        assert_eq!(report.validate(), Ok(()));
        let again: ReviewReport = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
        assert_eq!(again, report);
        assert_eq!(*again.countersign.unwrap(), review);
    }
}

#[test]
fn scores_keep_the_order_of_the_report() {
    let text = serde_json::to_string(&read(foreign())).unwrap();
    let at = |name: &str| text.find(name).unwrap();
    assert!(at("requirement_adherence") < at("coordination_compliance"));
    assert!(at("test_quality") < at("security_performance"));
}

#[test]
fn almost_right_values_are_read() {
    let mut report = foreign();
    report["reviewed_at"] = json!("2026-02-03T10:00:00");
    report["findings"] = json!([
        { "dimension": "code_quality", "severity": "Warning", "line": "45", "message": "m" }
    ]);
    let finding = &read(report).findings[0];
    assert_eq!((finding.severity, finding.line, finding.suggestion.as_str()), (Level::Warning, Some(45), ""));
}

#[test]
fn each_complaint_names_its_field() {
    let mut report = foreign();
    report["overall_score"] = json!(120);
    report["dimension_scores"]["code_quality"]["score"] = json!(-1);
    report["dimension_scores"].as_object_mut().unwrap().remove("test_quality");
    report["findings"] = json!([{ "dimension": "taste", "severity": "info", "message": "m" }]);
    report["status"] = json!("fail");
    let complaints = read(report).validate().unwrap_err();
    insta::assert_snapshot!(complaints.join("\n"));
}

#[test]
fn a_blocking_issue_without_a_finding_becomes_one_that_blocks() {
    let mut report = foreign();
    report["blocking_issues"] = json!([
        { "dimension": "coordination_compliance", "message": "arity 3, not 2", "required_action": "Remove it" },
        { "dimension": "code_quality", "message": "unreadable", "required_action": "Rewrite" }
    ]);
    report["findings"] =
        json!([{ "dimension": "code_quality", "severity": "info", "message": " unreadable" }]);
    let evidence = read(report).into_evidence(&nothing_changed());
    let severities: Vec<_> = evidence.findings.iter().map(|f| (f.message.as_str(), f.severity)).collect();
    assert_eq!(severities, [("unreadable", Severity::High), ("arity 3, not 2", Severity::Critical)]);
    assert!(evidence.findings.iter().all(|finding| finding.blocks(Severity::Major)));
}

#[test]
fn a_report_that_contradicts_itself_claims_a_failure() {
    let mut report = foreign();
    report["approved"] = json!(false);
    assert_eq!(read(report).into_evidence(&nothing_changed()).claimed, Some(Verdict::Fail));
    assert_eq!(read(foreign()).into_evidence(&nothing_changed()).claimed, Some(Verdict::Pass));
    let mut report = foreign();
    report["pass_criteria_met"]["overall_score_above_threshold"] = json!(false);
    let evidence = read(report).into_evidence(&nothing_changed());
    assert_eq!(evidence.claimed, Some(Verdict::Fail));
    assert_eq!(
        evidence.told.corrections,
        [
            "the report said pass and /pass_criteria_met/overall_score_above_threshold false: it counts as fail"
        ]
    );
    assert!(read(foreign()).into_evidence(&nothing_changed()).told.corrections.is_empty());
}

#[test]
fn scores_off_the_scale_count_as_its_end() {
    let mut report = foreign();
    report["dimension_scores"]["code_quality"]["score"] = json!(900);
    report["dimension_scores"]["accessibility"] = json!({ "score": -5, "weight": "moderate" });
    let scores = read(report).into_evidence(&nothing_changed()).scores.unwrap();
    let of = |name: &str| scores[&crate::words::Dimension::try_from(name.to_owned()).unwrap()];
    assert_eq!((of("code_quality"), of("accessibility")), (100, 0));
}
