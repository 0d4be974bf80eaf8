use std::collections::BTreeMap;

use super::{Confidence, Finding};
use crate::words::{Dimension, Severity};

/// Points per dimension, 0 to 100.
pub type Scores = BTreeMap<Dimension, u8>;

/// Findings that do not block take at most this much off a dimension together, so that advice alone never
/// brings a critical dimension (minimum 90) down.
pub const ADVICE_CAP: u32 = 9;

/// Scores every dimension in `dimensions` from the findings: 100 less what each finding costs.
///
/// A blocking finding costs 50 (CRITICAL), 30 (HIGH) or 20 (any other), so one of them is enough to bring a
/// critical dimension under 90. Advice costs 3 (MEDIUM and above), 2 (LOW) or 1 (MINOR) up to
/// [`ADVICE_CAP`]; suggestions and low-confidence findings cost nothing. Monotone: one more finding never
/// raises a score.
pub fn score<'a>(
    dimensions: impl IntoIterator<Item = &'a Dimension>,
    findings: &[Finding],
    fail_on: Severity,
) -> Scores {
    let score = |dimension: &Dimension| {
        let (mut blocking, mut advice) = (0, 0);
        for finding in findings.iter().filter(|finding| finding.dimension == *dimension) {
            if finding.blocks(fail_on) {
                blocking += blocking_cost(finding.severity);
            } else if finding.confidence > Confidence::Low {
                advice += advice_cost(finding.severity);
            }
        }
        100u32.saturating_sub(blocking + advice.min(ADVICE_CAP)) as u8
    };
    dimensions.into_iter().map(|dimension| (dimension.clone(), score(dimension))).collect()
}

/// The scores a reviewer gives, none of them better than all findings allow.
pub fn at_most(given: Scores, allowed: &Scores) -> Scores {
    let limited = |(dimension, points): (Dimension, u8)| {
        let most = allowed.get(&dimension).copied().unwrap_or(points);
        (dimension, points.min(most))
    };
    given.into_iter().map(limited).collect()
}

fn blocking_cost(severity: Severity) -> u32 {
    match severity {
        Severity::Critical => 50,
        Severity::High => 30,
        Severity::Major | Severity::Medium | Severity::Low | Severity::Minor | Severity::Suggestion => 20,
    }
}

fn advice_cost(severity: Severity) -> u32 {
    match severity {
        Severity::Critical | Severity::High | Severity::Major | Severity::Medium => 3,
        Severity::Low => 2,
        Severity::Minor => 1,
        Severity::Suggestion => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::review::Place;
    use crate::words::Category;

    const BUILT_IN: [Dimension; 6] = [
        Dimension::REQUIREMENT_ADHERENCE,
        Dimension::COORDINATION_COMPLIANCE,
        Dimension::CODE_QUALITY,
        Dimension::PATTERN_CONSISTENCY,
        Dimension::TEST_QUALITY,
        Dimension::SECURITY_PERFORMANCE,
    ];

    fn finding(severity: Severity, confidence: Confidence, dimension: Dimension) -> Finding {
        Finding {
            rule: "test".into(),
            severity,
            category: Category::Correctness,
            dimension,
            confidence,
            place: Place::Summary,
            message: "wrong".into(),
            impact: String::new(),
            suggestion: String::new(),
            fingerprint: Default::default(),
        }
    }

    fn severity() -> impl Strategy<Value = Severity> {
        prop::sample::select(&Severity::ALL[..])
    }

    fn any_finding() -> impl Strategy<Value = Finding> {
        let confidence = prop::sample::select(&[Confidence::Low, Confidence::Medium, Confidence::High][..]);
        (severity(), confidence, prop::sample::select(&BUILT_IN[..]))
            .prop_map(|(severity, confidence, dimension)| finding(severity, confidence, dimension))
    }

    fn findings() -> impl Strategy<Value = Vec<Finding>> {
        prop::collection::vec(any_finding(), 0..30)
    }

    #[test]
    fn costs_are_as_documented() {
        let cost = |severity, fail_on| {
            let one = finding(severity, Confidence::High, Dimension::CODE_QUALITY);
            100 - score(&BUILT_IN, &[one], fail_on)[&Dimension::CODE_QUALITY]
        };
        assert_eq!(Severity::ALL.map(|severity| cost(severity, Severity::Major)), [50, 30, 20, 3, 2, 1, 0]);
        assert_eq!(
            Severity::ALL.map(|severity| cost(severity, Severity::Suggestion)),
            [50, 30, 20, 20, 20, 20, 20]
        );
        assert_eq!(Severity::ALL.map(|severity| cost(severity, Severity::Critical)), [50, 3, 3, 3, 2, 1, 0]);
    }

    #[test]
    fn no_score_is_better_than_the_findings_allow_and_none_is_invented() {
        let critical = finding(Severity::Critical, Confidence::High, Dimension::SECURITY_PERFORMANCE);
        let allowed = score(&BUILT_IN, &[critical], Severity::Major);
        let given = Scores::from([(Dimension::SECURITY_PERFORMANCE, 100), (Dimension::CODE_QUALITY, 80)]);
        let expected = Scores::from([(Dimension::SECURITY_PERFORMANCE, 50), (Dimension::CODE_QUALITY, 80)]);
        assert_eq!(at_most(given, &allowed), expected);
    }

    #[test]
    fn no_dimension_goes_below_0() {
        let many = vec![finding(Severity::Critical, Confidence::High, Dimension::CODE_QUALITY); 1000];
        assert_eq!(score(&BUILT_IN, &many, Severity::Major)[&Dimension::CODE_QUALITY], 0);
    }

    proptest! {
        #[test]
        fn one_more_finding_never_raises_a_score(
            mut findings in findings(),
            one in any_finding(),
            fail_on in severity(),
        ) {
            let before = score(&BUILT_IN, &findings, fail_on);
            findings.push(one.clone());
            let after = score(&BUILT_IN, &findings, fail_on);
            for dimension in &BUILT_IN {
                prop_assert!(after[dimension] <= before[dimension]);
                prop_assert!(*dimension == one.dimension || after[dimension] == before[dimension]);
            }
        }

        #[test]
        fn every_dimension_with_a_blocking_finding_is_under_90_and_no_other_is(
            findings in findings(),
            fail_on in severity(),
        ) {
            for (dimension, points) in score(&BUILT_IN, &findings, fail_on) {
                let blocked = findings.iter().any(|f| f.dimension == dimension && f.blocks(fail_on));
                prop_assert!(if blocked { points < 90 } else { points >= 91 }, "{dimension}: {points}");
            }
        }

        #[test]
        fn low_confidence_costs_nothing(findings in findings(), fail_on in severity()) {
            let sure: Vec<_> =
                findings.iter().filter(|finding| finding.confidence > Confidence::Low).cloned().collect();
            prop_assert_eq!(score(&BUILT_IN, &findings, fail_on), score(&BUILT_IN, &sure, fail_on));
        }

        #[test]
        fn the_order_of_findings_does_not_matter(mut findings in findings(), fail_on in severity()) {
            let before = score(&BUILT_IN, &findings, fail_on);
            findings.reverse();
            prop_assert_eq!(score(&BUILT_IN, &findings, fail_on), before);
        }
    }
}
