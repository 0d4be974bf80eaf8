use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MOST_RESULTS, literal, render};
use crate::change::Side;
use crate::formats::escape::hostile_text;
use crate::formats::{RuleDescription, fixture};
use crate::review::{Patch, Place, Review};
use crate::words::{Category, Severity};

const ESCAPE: char = '\u{1b}';

fn rules() -> Vec<RuleDescription> {
    let rule = |id: &str, severity, category| RuleDescription {
        id: id.into(),
        title: format!("What {id} looks for"),
        why: "It lets anybody in".into(),
        fix: "Use parameterized queries".into(),
        severity,
        category,
    };
    vec![
        rule("never-fired", Severity::Low, Category::Correctness),
        rule("sql-injection", Severity::Critical, Category::Security),
        rule("n-plus-one", Severity::High, Category::Performance),
    ]
}

fn run(review: &Review) -> Value {
    render(review, "1.2.3", &rules())["runs"][0].clone()
}

fn results(run: &Value) -> &Vec<Value> {
    run["results"].as_array().unwrap()
}

fn notifications(run: &Value) -> &Vec<Value> {
    run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap()
}

#[test]
fn looks_as_code_scanning_reads_it() {
    let pretty = |review: &Review| serde_json::to_string_pretty(&render(review, "1.2.3", &rules())).unwrap();
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("sarif_fail", pretty(&fixture::review()));
        insta::assert_snapshot!("sarif_clean", pretty(&fixture::clean_review()));
        insta::assert_snapshot!("sarif_inconclusive", pretty(&fixture::inconclusive_review()));
    });
}

#[test]
fn every_result_points_at_its_rule_and_at_a_relative_place() {
    let run = run(&fixture::review());
    assert_eq!(results(&run).len(), 5, "four findings and a suppressed one");
    for result in results(&run) {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.starts_with('/') && !uri.contains([':', ' ', '|', '`']), "{uri}");
        assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        assert!(place["region"]["startLine"].as_u64() >= Some(1));
    }
}

#[test]
fn every_result_carries_its_fingerprint_twice() {
    let review = fixture::review();
    for (result, finding) in results(&run(&review)).iter().zip(&review.findings) {
        let prints = &result["partialFingerprints"];
        assert_eq!(prints["primaryLocationLineHash"], format!("{}:1", finding.fingerprint));
        assert_eq!(prints["countersign/v1"], finding.fingerprint.as_str());
    }
}

#[test]
fn only_security_rules_have_a_security_severity() {
    let run = run(&fixture::review());
    for rule in run["tool"]["driver"]["rules"].as_array().unwrap() {
        let is_security = rule["properties"]["tags"].as_array().unwrap().contains(&"security".into());
        assert_eq!(rule["properties"].get("security-severity").is_some(), is_security, "{rule}");
    }
}

#[test]
fn a_friendly_name_is_given_only_where_it_differs_from_the_id() {
    let mut review = fixture::review();
    review.findings[2].rule = "Stub".into();
    review.findings[3].rule = "**".into();
    let run = run(&review);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let names: Vec<_> = rules.iter().map(|rule| rule["name"].as_str()).collect();
    let expected =
        [Some("NeverFired"), Some("SqlInjection"), Some("NPlusOne"), None, None, Some("DebugLeftover")];
    assert_eq!(names, expected);
}

#[test]
fn a_suppressed_finding_says_why_it_was_accepted() {
    let run = run(&fixture::review());
    let accepted: Vec<_> =
        results(&run).iter().filter(|result| result.get("suppressions").is_some()).collect();
    assert_eq!(accepted.len(), 1);
    assert_eq!(accepted[0]["suppressions"][0]["justification"], "the CLI prints here");
    assert_eq!(accepted[0]["properties"]["blocking"], false);
}

#[test]
fn a_correction_is_offered_as_a_fix() {
    let mut review = fixture::review();
    let patch = |new: &[&str]| Patch {
        path: "src/api/auth.ts".into(),
        start: 45,
        old: vec!["  \u{1f600}();".into()],
        new: new.iter().map(|line| (*line).to_owned()).collect(),
    };
    review.patches.insert(review.findings[0].fingerprint.clone(), patch(&["  ok();"]));
    review.patches.insert(review.findings[1].fingerprint.clone(), patch(&[]));
    let run = run(&review);
    let change = |at: usize| &results(&run)[at]["fixes"][0]["artifactChanges"][0]["replacements"][0];
    let region =
        |end: [u32; 2]| json!({"startLine": 45, "startColumn": 1, "endLine": end[0], "endColumn": end[1]});
    assert_eq!(change(0), &json!({"deletedRegion": region([45, 8]), "insertedContent": {"text": "  ok();"}}));
    assert_eq!(change(1), &json!({"deletedRegion": region([46, 1])}));
    assert!(results(&run)[2].get("fixes").is_none());
}

#[test]
fn a_removed_line_is_shown_at_the_top_of_its_file() {
    let mut review = fixture::review();
    if let Place::Lines(anchor) = &mut review.findings[0].place {
        anchor.side = Side::Old;
    }
    let region = &run(&review)["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((region["startLine"].as_u64(), region["endLine"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn without_any_file_a_summary_finding_becomes_a_notification() {
    let mut review = fixture::review();
    review.coverage.files.clear();
    let run = run(&review);
    assert_eq!((results(&run).len(), notifications(&run).len()), (4, 1));
    assert_eq!(notifications(&run)[0]["descriptor"]["id"], "untested-change");
}

#[test]
fn an_inconclusive_review_is_an_unsuccessful_execution() {
    let run = run(&fixture::inconclusive_review());
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(notifications(&run)[0]["level"], "error");
    assert_eq!(run["properties"]["verdict"], "inconclusive");
}

#[test]
fn what_is_said_about_the_review_itself_is_a_note() {
    let mut review = fixture::review();
    review.remarks = vec!["Linter ruff was not run".into()];
    let run = run(&review);
    assert_eq!(notifications(&run)[0]["level"], "note");
    assert_eq!(notifications(&run)[0]["message"]["text"], "Linter ruff was not run");
}

#[test]
fn too_many_results_lose_the_mildest_and_say_so() {
    let mut review = fixture::review();
    let mild = review.findings.pop().unwrap();
    let worst = review.findings.remove(0);
    review.findings = std::iter::repeat_n(mild, MOST_RESULTS + 1).chain([worst]).collect();
    let run = run(&review);
    assert_eq!(results(&run).len(), MOST_RESULTS);
    assert_eq!(results(&run)[0]["ruleId"], "sql-injection");
    let said = notifications(&run)[0]["message"]["text"].as_str().unwrap();
    assert!(said.starts_with("3 results were left out"), "{said}");
}

#[test]
fn a_message_holds_neither_placeholders_nor_links() {
    assert_eq!(literal("{0} {12}{x} {3 ${name} {"), "{{0}} {{12}}{x} {3 ${name} {");
    assert_eq!(literal("[a](http://b)"), "[a] (http://b)");
}

proptest! {
    #[test]
    fn no_text_breaks_a_result(text in hostile_text()) {
        let mut review = fixture::review();
        for finding in &mut review.findings {
            (finding.rule, finding.message) = (text.clone(), text.clone());
        }
        let run = run(&review);
        prop_assert_eq!(results(&run).len(), 5);
        for result in results(&run) {
            let message = result["message"]["text"].as_str().unwrap();
            prop_assert!(!message.is_empty() && !message.contains("](") && !message.contains(ESCAPE));
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            prop_assert_eq!(&run["tool"]["driver"]["rules"][index]["id"], &result["ruleId"]);
        }
    }
}
