//! Second opinions and majorities.

use domain::ports::Reviewer;
use domain::review::{Confidence, Evidence, Verdict};

use super::*;
use crate::call::{Call, CallError};
use crate::scripted::{asked, entry, report, said};

const SUMMARY: &str = "model sums up: Looked at it.";

fn is_second_opinion(call: &Call) -> bool {
    call.schema.as_ref().is_some_and(|schema| schema.name == "second_opinion")
}

fn two_findings() -> String {
    report(&[
        entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null"),
        entry("src/a.rs", 3, "done();", "LOW", "The name `done` says little"),
    ])
}

fn verified(
    second: impl Fn() -> Result<crate::Answer, CallError> + Send + Sync + 'static,
) -> (Evidence, Vec<Call>) {
    let mut desk = desk();
    desk.config.model.verify = true;
    let mind = Scripted::new(
        move |_, call| if is_second_opinion(call) { second() } else { Ok(said(&two_findings())) },
    );
    let reviewer = reviewer(vec![mind]);
    let evidence = reviewer.review(&desk.request()).unwrap();
    let calls = reviewer.minds[0].calls.lock().unwrap().clone();
    (evidence, calls)
}

#[test]
fn a_refuted_finding_becomes_advice_with_the_reason() {
    let (evidence, calls) =
        verified(|| Ok(said(r#"{"refuted": true, "reason": "@bob checks it\u001b[31m above"}"#)));
    assert_eq!(
        calls.iter().filter(|call| is_second_opinion(call)).count(),
        1,
        "only what blocks is put to question"
    );
    let question = asked(&calls[1]);
    assert!(
        question.contains("What is wrong: `x` may be null") && question.contains("+2|    check(x);"),
        "{question}"
    );
    let finding = &evidence.findings[0];
    assert_eq!(finding.confidence, Confidence::Low);
    assert_eq!(finding.impact, "A second opinion disagrees: @ bob checks it above");
    assert_eq!(evidence.remarks, ["1 finding was refuted by a second opinion", SUMMARY]);
    assert_eq!((evidence.scores, evidence.usage.unwrap().calls), (None, 2));
}

#[test]
fn a_finding_that_holds_or_got_no_opinion_stands() {
    let (upheld, _) = verified(|| Ok(said(r#"{"refuted": false, "reason": "right"}"#)));
    assert_eq!((upheld.findings[0].confidence, upheld.remarks), (Confidence::High, vec![SUMMARY.to_owned()]));
    assert!(upheld.scores.is_some());
    let (failed, _) = verified(|| Err(CallError::OverBudget("no money left".into())));
    let (garbled, _) = verified(|| Ok(said("refuted!")));
    for evidence in [failed, garbled] {
        assert_eq!(evidence.findings[0].confidence, Confidence::High);
        assert_eq!(evidence.remarks, ["1 finding got no second opinion and stands", SUMMARY]);
        assert!(evidence.troubles.is_empty());
    }
}

fn agreed(answers: [String; 3]) -> Evidence {
    let mut desk = desk();
    desk.config.model.consensus = 3;
    let minds = answers
        .into_iter()
        .zip(["one", "two", "three"])
        .map(|(answer, name)| Scripted::saying(answer).called(name));
    reviewer(minds.collect()).review(&desk.request()).unwrap()
}

#[test]
fn a_finding_counts_when_more_than_half_have_it() {
    let null = |severity: &str, message: &str| entry("src/a.rs", 2, "check(x);", severity, message);
    let evidence = agreed([
        report(&[null("MAJOR", "`x` may be null")]),
        report(&[null("HIGH", "Nothing says that the argument is there")]),
        report(&[entry("src/a.rs", 3, "done();", "HIGH", "`done` is never defined")]),
    ]);
    let said: Vec<_> = evidence
        .findings
        .iter()
        .map(|finding| (finding.line(), finding.severity.as_str(), finding.confidence))
        .collect();
    assert_eq!(said, [(Some(2), "HIGH", Confidence::High), (Some(3), "HIGH", Confidence::Low)]);
    assert_eq!(evidence.findings[1].impact, "Only 1 of 3 reviewers found this.");
    assert_eq!((evidence.claimed, evidence.scores), (Some(Verdict::Fail), None));
    assert_eq!(evidence.coverage.files[0].hunks[0].seen_by, ["one 1/1", "two 1/1", "three 1/1"]);
    assert_eq!(evidence.usage.unwrap().calls, 3);
}

#[test]
fn the_same_line_for_another_reason_is_no_agreement() {
    let mut other = entry("src/a.rs", 2, "check(x);", "HIGH", "No test covers this");
    other["category"] = "testing".into();
    let evidence = agreed([
        report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "`x` may be null")]),
        report(&[other]),
        report(&[]),
    ]);
    assert_eq!(evidence.findings.len(), 2);
    assert!(evidence.findings.iter().all(|finding| finding.confidence == Confidence::Low));
}

#[test]
fn what_one_mind_tells_apart_is_not_one_vote() {
    let at = |message: &str| entry("src/a.rs", 2, "check(x);", "MAJOR", message);
    let [null, slow, leak] = ["`x` may be null", "The check is slow", "The handle leaks"].map(at);
    let evidence =
        agreed([report(&[null.clone(), slow.clone(), leak.clone()]), report(&[leak, null]), report(&[slow])]);
    let said: Vec<_> =
        evidence.findings.iter().map(|finding| (finding.message.as_str(), finding.confidence)).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said.iter().all(|(_, confidence)| *confidence == Confidence::High), "{said:?}");
}

#[test]
fn what_another_mind_said_of_the_same_code_is_listed() {
    let evidence = agreed([
        report(&[entry("src/a.rs", 2, "check(x);", "MAJOR", "`x` may be null")]),
        report(&[entry("src/a.rs", 2, "check(x);", "HIGH", "Nothing says that the argument is there")]),
        report(&[]),
    ]);
    assert_eq!(
        evidence.findings[0].suggestion,
        "Correct it. Merged with MAJOR (correctness) at src/a.rs:2: `x` may be null."
    );
}

#[test]
fn one_that_does_not_answer_leaves_the_matter_open() {
    let evidence = agreed([report(&[]), report(&[]), "no idea".into()]);
    assert_eq!(kinds(&evidence), ["unparsable"]);
    assert!(evidence.troubles[0].message.starts_with("three: "), "{}", evidence.troubles[0].message);
    assert_eq!(evidence.claimed, Some(Verdict::Pass));
}

#[test]
fn a_majority_of_models_that_are_not_there_is_an_error() {
    let mut desk = desk();
    desk.config.model.consensus = 2;
    let error = reviewer(vec![Scripted::saying(report(&[]))]).review(&desk.request()).unwrap_err();
    assert_eq!(error.reason, "model.consensus asks for 2 models, and 1 are configured");
}
