//! One review that every format is tested with: something at each kind of place, one suppression, one
//! skipped file, and text that would do harm if it were passed on as it is.

use crate::change::{Oid, Scope, Side, Target};
use crate::gate::{GatePolicy, decide};
use crate::review::{
    Anchor, Confidence, Coverage, FileCoverage, Finding, Fingerprint, HunkCoverage, Place, Review,
    SkipReason, Subject, Suppressed, Trouble, score,
};
use crate::words::{Category, Dimension, Severity};

pub(crate) fn review() -> Review {
    review_of(findings(), Vec::new())
}

pub(crate) fn clean_review() -> Review {
    review_of(Vec::new(), Vec::new())
}

pub(crate) fn inconclusive_review() -> Review {
    let message = "1 of 3 hunks was not reviewed: src/api/auth.ts:40".to_owned();
    review_of(Vec::new(), vec![Trouble { kind: "unseen".into(), message }])
}

fn review_of(mut findings: Vec<Finding>, troubles: Vec<Trouble>) -> Review {
    Fingerprint::assign(&mut findings);
    let policy = GatePolicy::default();
    let dimensions: Vec<_> = policy.dimensions().into_iter().map(|(dimension, ..)| dimension).collect();
    let scores = score(&dimensions, &findings, policy.fail_on);
    let decision = decide(&policy, &findings, &scores, &troubles, None);
    let mut suppressed =
        [finding("debug-leftover", Severity::Low, Category::Readability, lines("src/cli.ts", 7, 7))];
    Fingerprint::assign(&mut suppressed);
    let [accepted] = suppressed;
    Review {
        subject: Subject {
            id: "auth-base".into(),
            scope: Scope {
                base: Oid::parse(&"1".repeat(40)),
                base_name: "main".into(),
                head: Target::Commit(Oid::parse(&"2".repeat(40)).unwrap()),
                head_name: "ticket/auth-base".into(),
                notes: vec![],
            },
            revision_count: 0,
        },
        reviewer: "rules".into(),
        policy: "countersign.yaml at 1111111111".into(),
        reviewed_at: "2026-02-03T10:00:00Z".parse().unwrap(),
        findings,
        suppressed: vec![Suppressed { finding: accepted, reason: "the CLI prints here".into() }],
        troubles,
        coverage: Coverage {
            files: vec![
                FileCoverage {
                    path: "src/api/auth.ts".into(),
                    skipped: None,
                    hunks: vec![HunkCoverage {
                        old_start: 40,
                        old_lines: 6,
                        new_start: 40,
                        new_lines: 9,
                        seen_by: vec!["rules".into()],
                    }],
                },
                FileCoverage { path: "yarn.lock".into(), skipped: Some(SkipReason::Lock), hunks: vec![] },
            ],
        },
        decision,
        remarks: vec![],
        revision_notes: None,
        usage: None,
        posting: None,
        patches: Default::default(),
    }
}

fn findings() -> Vec<Finding> {
    vec![
        finding("sql-injection", Severity::Critical, Category::Security, lines("src/api/auth.ts", 45, 46)),
        finding("n-plus-one", Severity::High, Category::Performance, lines("src/db/query | a`b`.ts", 89, 89)),
        finding(
            "long-file",
            Severity::Medium,
            Category::Readability,
            Place::File { path: "src/db/query | a`b`.ts".into() },
        ),
        finding("untested-change", Severity::Suggestion, Category::Testing, Place::Summary),
    ]
}

fn lines(path: &str, start: u32, end: u32) -> Place {
    Place::Lines(Anchor {
        path: path.into(),
        side: Side::New,
        start,
        end,
        text: "  db.run(`${name}`);".into(),
    })
}

fn finding(rule: &str, severity: Severity, category: Category, place: Place) -> Finding {
    Finding {
        rule: rule.into(),
        severity,
        category,
        dimension: category.dimension(),
        confidence: Confidence::High,
        place,
        message: format!("What {rule} found: 100% | <b>@all</b> \u{1b}[31mred"),
        impact: "Anybody can log in as anybody\n::error::not a command".into(),
        suggestion: "Use parameterized queries".into(),
        fingerprint: Fingerprint::default(),
    }
}

#[test]
fn the_fixture_fails_the_gate_and_names_its_dimensions() {
    let review = review();
    assert_eq!(review.verdict(), crate::review::Verdict::Fail);
    assert_eq!(review.blocking().count(), 2);
    assert_eq!(review.findings[3].dimension, Dimension::TEST_QUALITY);
}
