use super::*;
use crate::review::{Confidence, Finding, Place, Scores, Trouble, Verdict};
use crate::words::{Category, Dimension, Severity, Weight};

const REQUIREMENT: Dimension = Dimension::REQUIREMENT_ADHERENCE;
const COORDINATION: Dimension = Dimension::COORDINATION_COMPLIANCE;
const QUALITY: Dimension = Dimension::CODE_QUALITY;
const PATTERN: Dimension = Dimension::PATTERN_CONSISTENCY;
const TESTS: Dimension = Dimension::TEST_QUALITY;
const SECURITY: Dimension = Dimension::SECURITY_PERFORMANCE;

fn all(score: u8) -> Scores {
    Dimension::BUILT_IN.map(|(dimension, _)| (dimension, score)).into()
}

fn with(mut scores: Scores, changes: &[(Dimension, u8)]) -> Scores {
    scores.extend(changes.iter().cloned());
    scores
}

fn by_scores(scores: &Scores) -> Decision {
    decide(&GatePolicy::default(), &[], scores, &[], None)
}

fn by_findings(policy: &GatePolicy, findings: &[Finding]) -> Decision {
    decide(policy, findings, &all(100), &[], None)
}

fn finding(severity: Severity, confidence: Confidence) -> Finding {
    Finding {
        rule: "test".into(),
        severity,
        category: Category::Correctness,
        dimension: REQUIREMENT,
        confidence,
        place: Place::Summary,
        message: "wrong".into(),
        impact: String::new(),
        suggestion: String::new(),
        fingerprint: Default::default(),
    }
}

fn unseen() -> Trouble {
    Trouble { kind: "unseen".into(), message: "2 hunks of src/a.rs were not seen".into() }
}

fn unmet(decision: &Decision) -> Vec<String> {
    decision.unmet().map(|c| format!("{} {} but {}", c.name, c.required, c.actual)).collect()
}

#[test]
fn full_marks_pass() {
    let decision = by_scores(&all(100));
    assert_eq!((decision.verdict, decision.overall_score), (Verdict::Pass, 100));
    assert!(decision.all_critical_dimensions_pass());
}

#[test]
fn every_minimum_exactly_reached_passes() {
    let scores = with(all(90), &[(QUALITY, 70), (PATTERN, 70), (TESTS, 70)]);
    assert_eq!(by_scores(&scores).verdict, Verdict::Pass);
}

#[test]
fn a_critical_dimension_needs_90() {
    for dimension in [REQUIREMENT, COORDINATION] {
        let at = |score| by_scores(&with(all(100), &[(dimension.clone(), score)]));
        assert_eq!(at(90).verdict, Verdict::Pass, "{dimension}");
        let failed = at(89);
        assert_eq!(failed.verdict, Verdict::Fail);
        assert_eq!(unmet(&failed), [format!("{dimension} >= 90 but 89")]);
        assert!(!failed.all_critical_dimensions_pass());
    }
}

#[test]
fn an_important_dimension_needs_70() {
    for dimension in [QUALITY, PATTERN, TESTS] {
        let at = |score| by_scores(&with(all(100), &[(dimension.clone(), score)]));
        assert_eq!(at(70).verdict, Verdict::Pass, "{dimension}");
        let failed = at(69);
        assert_eq!(failed.verdict, Verdict::Fail);
        assert_eq!(unmet(&failed), [format!("{dimension} >= 70 but 69")]);
        assert!(failed.all_critical_dimensions_pass());
    }
}

#[test]
fn security_and_performance_has_no_minimum_of_its_own() {
    let decision = by_scores(&with(all(100), &[(SECURITY, 0)]));
    assert_eq!((decision.verdict, decision.overall_score), (Verdict::Pass, 92));
    assert!(decision.criteria.iter().all(|criterion| criterion.name != "security_performance"));
}

/// By hand: (3*90 + 3*90 + 2*70 + 2*70 + 2*70 + 1*s) / 13 = (960 + s) / 13. With s = 14 that is 974/13 =
/// 74.92, with s = 15 exactly 75.
#[test]
fn the_overall_score_needs_75_and_is_rounded_down() {
    let at = |security| {
        by_scores(&with(all(90), &[(QUALITY, 70), (PATTERN, 70), (TESTS, 70), (SECURITY, security)]))
    };
    assert_eq!((at(15).verdict, at(15).overall_score), (Verdict::Pass, 75));
    assert_eq!((at(14).verdict, at(14).overall_score), (Verdict::Fail, 74));
    assert_eq!(unmet(&at(14)), ["overall_score >= 75 but 74"]);
}

/// The example of the report format: (3*95 + 3*100 + 2*80 + 2*85 + 2*70 + 90) / 13 = 1145/13 = 88.08.
#[test]
fn weights_are_three_two_and_one() {
    let scores = with(
        all(0),
        &[(REQUIREMENT, 95), (COORDINATION, 100), (QUALITY, 80), (PATTERN, 85), (TESTS, 70), (SECURITY, 90)],
    );
    assert_eq!(by_scores(&scores).overall_score, 88);
}

#[test]
fn one_blocking_issue_fails_whatever_the_scores() {
    let decision = by_findings(&GatePolicy::default(), &[finding(Severity::Major, Confidence::Medium)]);
    assert_eq!((decision.verdict, decision.overall_score), (Verdict::Fail, 100));
    assert_eq!(unmet(&decision), ["blocking_issues 0 but 1"]);
}

#[test]
fn advice_and_low_confidence_do_not_block() {
    let findings =
        [finding(Severity::Medium, Confidence::High), finding(Severity::Critical, Confidence::Low)];
    assert_eq!(by_findings(&GatePolicy::default(), &findings).verdict, Verdict::Pass);
}

#[test]
fn a_project_decides_what_blocks() {
    let strict = GatePolicy { fail_on: Severity::Low, ..GatePolicy::default() };
    let mild = GatePolicy { fail_on: Severity::Critical, ..GatePolicy::default() };
    assert_eq!(by_findings(&strict, &[finding(Severity::Low, Confidence::High)]).verdict, Verdict::Fail);
    assert_eq!(by_findings(&mild, &[finding(Severity::High, Confidence::High)]).verdict, Verdict::Pass);
}

#[test]
fn a_blocking_issue_outside_every_known_dimension_blocks_too() {
    let mut stray = finding(Severity::Critical, Confidence::High);
    stray.dimension = Dimension::try_from("accessibility".to_owned()).unwrap();
    assert_eq!(by_findings(&GatePolicy::default(), &[stray]).verdict, Verdict::Fail);
}

/// 1300 points of the built-in ones and 2 * 40 of the new one over 15: 92.
#[test]
fn a_projects_own_dimension_joins_in() {
    let own = Dimension::try_from("accessibility".to_owned()).unwrap();
    let mut policy = GatePolicy::default();
    policy.dimensions.insert(own.clone(), DimensionPolicy { weight: Weight::Important, minimum: None });
    let at = |score| decide(&policy, &[], &with(all(100), &[(own.clone(), score)]), &[], None);
    assert_eq!((at(70).verdict, at(40).overall_score), (Verdict::Pass, 92));
    assert_eq!(unmet(&at(40)), ["accessibility >= 70 but 40"]);

    policy.dimensions.insert(own.clone(), DimensionPolicy { weight: Weight::Moderate, minimum: Some(41) });
    let stricter = decide(&policy, &[], &with(all(100), &[(own.clone(), 40)]), &[], None);
    assert_eq!(unmet(&stricter), ["accessibility >= 41 but 40"]);
}

#[test]
fn a_built_in_dimension_can_be_given_another_weight() {
    let mut policy = GatePolicy::default();
    policy.dimensions.insert(SECURITY, DimensionPolicy { weight: Weight::Critical, minimum: None });
    let decision = decide(&policy, &[], &with(all(100), &[(SECURITY, 89)]), &[], None);
    assert_eq!(unmet(&decision), ["security_performance >= 90 but 89"]);
    assert_eq!(decision.overall_score, 97, "(1200 + 3 * 89) / 15 = 97.8");
}

#[test]
fn a_dimension_nobody_scored_counts_as_0() {
    let mut scores = all(100);
    scores.remove(&TESTS);
    let decision = by_scores(&scores);
    assert_eq!(unmet(&decision), ["test_quality >= 70 but 0"]);
    assert_eq!(by_scores(&Scores::new()).overall_score, 0);
}

#[test]
fn a_score_above_100_counts_as_100() {
    assert_eq!(by_scores(&all(255)).overall_score, 100);
}

#[test]
fn trouble_makes_it_inconclusive_whatever_the_numbers() {
    for scores in [all(100), all(0)] {
        let decision = decide(&GatePolicy::default(), &[], &scores, &[unseen()], None);
        assert_eq!(decision.verdict, Verdict::Inconclusive);
        assert!(!decision.is_met("conclusive"));
        assert!(
            unmet(&decision)
                .contains(&"conclusive everything seen but 2 hunks of src/a.rs were not seen".to_owned())
        );
    }
}

#[test]
fn a_claim_that_disagrees_with_the_evidence_is_corrected_and_marked() {
    let claim = |scores: &Scores, troubles: &[Trouble], claimed| {
        let decision = decide(&GatePolicy::default(), &[], scores, troubles, Some(claimed));
        (decision.verdict, decision.corrected)
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        claim(&all(0), &[], Verdict::Pass),
        (Verdict::Fail, said("the reviewer said pass, the gate says fail"))
    );
    assert_eq!(
        claim(&all(100), &[], Verdict::Fail),
        (Verdict::Pass, said("the reviewer said fail, the gate says pass"))
    );
    assert_eq!(
        claim(&all(100), &[unseen()], Verdict::Pass),
        (Verdict::Inconclusive, said("the reviewer said pass, the gate says inconclusive"))
    );
    assert_eq!(claim(&all(100), &[], Verdict::Pass), (Verdict::Pass, None));
}

#[test]
fn the_explanation_lists_every_criterion_with_its_number() {
    let lines: Vec<_> = by_scores(&with(all(95), &[(QUALITY, 60)]))
        .criteria
        .iter()
        .map(|c| format!("{} {} {} {}", if c.met { "+" } else { "-" }, c.name, c.required, c.actual))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    + requirement_adherence >= 90 95
    + coordination_compliance >= 90 95
    - code_quality >= 70 60
    + pattern_consistency >= 70 95
    + test_quality >= 70 95
    + blocking_issues 0 0
    + overall_score >= 75 89
    + conclusive everything seen everything seen
    ");
}

#[test]
fn policies_that_nothing_could_meet_or_miss_are_refused() {
    let own = DimensionPolicy { weight: Weight::Moderate, minimum: Some(101) };
    let bad = [
        GatePolicy { overall: 101, ..GatePolicy::default() },
        GatePolicy { dimensions: [(TESTS, own)].into(), ..GatePolicy::default() },
        GatePolicy { weights: Weights { critical: 0, important: 0, moderate: 0 }, ..GatePolicy::default() },
        GatePolicy { weights: Weights { moderate: 1001, ..Weights::default() }, ..GatePolicy::default() },
    ];
    let errors: Vec<_> = bad.iter().map(|policy| policy.validate().unwrap_err().to_string()).collect();
    insta::assert_snapshot!(errors.join("\n"), @"
    gate.overall is 101, but scores end at 100
    gate.dimensions.test_quality.minimum is 101, but scores end at 100
    gate.weights makes every dimension count for nothing: at least one weight in use has to be above 0
    gate.weights.moderate is 1001: use 1000 at most
    ");
    assert_eq!(GatePolicy::default().validate(), Ok(()));
}

fn objection(claimed: Verdict, findings: &[Finding], scores: Option<&Scores>, notes: &str) -> Objection {
    Objection::of(&GatePolicy::default(), Some(claimed), findings, scores, &[notes.to_owned()])
}

#[test]
fn who_objects_is_followed_for_evidence_or_notes_and_else_asked_again() {
    let (full, low) = (all(100), all(60));
    let advice = [finding(Severity::Medium, Confidence::High)];
    let blocks = [finding(Severity::Major, Confidence::Medium)];
    assert_eq!(objection(Verdict::Pass, &blocks, Some(&low), "Rename it"), Objection::None);
    assert_eq!(objection(Verdict::Fail, &blocks, Some(&full), ""), Objection::Evidence);
    assert_eq!(objection(Verdict::Fail, &[], Some(&low), ""), Objection::Evidence);
    for scores in [None, Some(&full)] {
        assert_eq!(objection(Verdict::Fail, &advice, scores, "Rename it"), Objection::Notes);
        assert_eq!(objection(Verdict::Fail, &advice, scores, " \n"), Objection::Nothing);
        assert_eq!(objection(Verdict::Inconclusive, &[], scores, ""), Objection::Nothing);
    }
}

/// 1145/13 = 88.08 as above, and exactly 100.
#[test]
fn an_overall_score_may_be_rounded_either_way_and_no_further() {
    let scores = with(
        all(0),
        &[(REQUIREMENT, 95), (COORDINATION, 100), (QUALITY, 80), (PATTERN, 85), (TESTS, 70), (SECURITY, 90)],
    );
    assert_eq!(overall_scores(&GatePolicy::default(), &scores), 88..=89);
    assert_eq!(overall_scores(&GatePolicy::default(), &all(100)), 100..=100);
}
