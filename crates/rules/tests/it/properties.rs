//! Whatever bytes a change holds, a review ends, and no secret leaves it.

use proptest::prelude::*;
use rules::redact;

use crate::support::Scenario;

const NAMES: [&str; 16] = [
    "a.rs",
    "a.py",
    "a.ts",
    "a_test.go",
    "ATest.java",
    "a.kt",
    "a.cs",
    "a.php",
    "a.rb",
    "a.swift",
    "a.sh",
    "a.sql",
    "a.html",
    "a.yaml",
    "a.test.js",
    "test_a.py",
];

/// Pieces that rules look for, so that random text gets past the first filter.
const PIECES: &str = "(todo!\\(|#\\[test\\]|fn a\\(|def test_a\\(|class A|raise NotImplementedError|pass|\\.\\.\\.|it\\('|\\{|\\}|\\(|\\)|\n|\n    |func TestA\\(t \\*testing.T\\)|t\\.Skip\\(|@Test|void a\\(\\)|/\\*|\\*/|\"|'|`|\\$\\{|password = |://a:b@c.d|eyJ|-----BEGIN PRIVATE KEY-----|=======|<<<<<<< a|TODO:|//|#|\u{202E}|:AA|twilio|aws_secret|SG\\.|T3BlbkFJ|[a-z0-9]{1,8})";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_rule_panics_on_arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for name in NAMES {
            Scenario::adding(name, &bytes).review();
        }
    }

    #[test]
    fn no_rule_panics_on_what_rules_look_for(pieces in proptest::collection::vec(PIECES, 0..40), at in 0..16usize) {
        let text = pieces.concat();
        Scenario::adding(NAMES[at], &text).review();
        Scenario::changing(NAMES[at], &text, &text.replace('a', "b")).review();
        redact(&text);
    }

    #[test]
    fn a_planted_secret_never_leaves(
        body in "[A-Za-z0-9]{36}",
        before in "[ -~]{0,30}[ =:\"']",
        after in "([\"' ;,)][ -~]{0,30})?",
        at in 0..16usize,
    ) {
        let secret = ["gh", "p_", &body].concat();
        prop_assume!(redact(&secret) != secret);
        let line = format!("{before}{secret}{after}");
        prop_assert!(!redact(&line).contains(&body), "{}", redact(&line));
        let review = Scenario::adding(NAMES[at], format!("{line}\n// TODO: {line}\n")).review();
        let said = format!("{review:?}");
        prop_assert!(!said.contains(&body));
        prop_assert!(review.findings.iter().any(|finding| finding.rule == "secret"));
    }
}
