use super::*;
use crate::gate::{GatePolicy, decide as by_gate};
use crate::review::{Confidence, Finding, Place, Scores, Trouble};
use crate::words::{Category, Dimension, Severity};

fn finding(severity: Severity, confidence: Confidence) -> Finding {
    Finding {
        rule: "test".into(),
        severity,
        category: Category::Correctness,
        dimension: Dimension::CODE_QUALITY,
        confidence,
        place: Place::Summary,
        message: "wrong".into(),
        impact: String::new(),
        suggestion: String::new(),
        fingerprint: Default::default(),
    }
}

fn outcome(score: u8, troubles: &[Trouble]) -> Outcome {
    let scores: Scores = Dimension::BUILT_IN.map(|(dimension, _)| (dimension, score)).into();
    Outcome::of_decision(&by_gate(&GatePolicy::default(), &[], &scores, troubles, None))
}

#[test]
fn the_gates_verdict_is_the_outcome() {
    assert_eq!(outcome(100, &[]), Outcome::Passed);
    assert_eq!(outcome(50, &[]), Outcome::Rejected);
}

#[test]
fn an_inconclusive_review_keeps_its_trouble() {
    let trouble = Trouble { kind: "rate_limited".into(), message: "the model was rate-limited".into() };
    let reason = "the model was rate-limited".into();
    assert_eq!(outcome(100, &[trouble]), Outcome::Inconclusive { reason });
}

#[test]
fn findings_are_tallied_by_class() {
    let findings = Severity::ALL.map(|severity| finding(severity, Confidence::High));
    assert_eq!(Tally::of(&findings), Tally { critical: 1, important: 2, minor: 4 });
}

#[test]
fn what_the_reviewer_is_unsure_of_need_not_be_fixed() {
    let tally = Tally::of(&[finding(Severity::Critical, Confidence::Low)]);
    assert_eq!((tally.must_fix(), tally.minor), (0, 1));
}
