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
const PIECES: &str = "(assert_eq!\\(|assert |expect\\(|\\.toBe\\(|== |return;|try|catch|sleep\\(|todo!\\(|#\\[test\\]|fn a\\(|def test_a\\(|class A|raise NotImplementedError|pass|\\.\\.\\.|it\\('|\\{|\\}|\\(|\\)|\n|\n    |func TestA\\(t \\*testing.T\\)|t\\.Skip\\(|@Test|void a\\(\\)|/\\*|\\*/|\"|'|`|\\$\\{|password = |://a:b@c.d|eyJ|-----BEGIN PRIVATE KEY-----|=======|<<<<<<< a|TODO:|//|#|\u{202E}|:AA|twilio|aws_secret|SG\\.|T3BlbkFJ|[a-z0-9]{1,8})";

/// What rules look for, over and over on one line: a rule that looked far ahead each time would not end.
#[test]
fn a_review_of_one_endless_line_ends() {
    let pieces = [
        "token=",
        "token='",
        "a://b:c@d.e",
        "xoxb-",
        "eyJ.",
        "-----BEGIN PRIVATE KEY-----",
        "SG.",
        "twilio",
        "fn a ",
        "#[test] fn a() { f() } ",
        "it('a', () => { f() }); ",
        "it(",
        "@Test void a() { f(); } ",
        "@Test(",
        "def a(",
        "raise NotImplementedError ",
        "todo!(",
        "debugger;",
        "/*",
        "TODO: ",
        "\u{202E}",
        "\r",
        "<<<<<<< a",
        "proptest!(|",
    ];
    for piece in pieces {
        let line = piece.repeat(60_000 / piece.len());
        for name in ["src/a.rs", "src/a.py", "a.test.js", "ATest.java"] {
            Scenario::adding(name, format!("{line}\n")).review();
        }
        redact(&line);
    }
}

#[test]
fn many_findings_on_long_lines_stay_cheap() {
    let line = format!("{}\n", "it('a', () => { f() }); ".repeat(800));
    let review = Scenario::adding("a.test.js", line.repeat(5)).review();
    assert_eq!(review.findings.iter().filter(|finding| finding.rule == "test-without-assertion").count(), 5);
}

/// Every assertion of a large file taken out, and as many put in: comparing them must not take for ever.
#[test]
fn tests_that_lose_thousands_of_assertions_stay_cheap() {
    let many = |what: &str| -> String {
        (0..5_000).map(|n| format!("    assert_eq!({what}({n}), {n});\n")).collect()
    };
    let one = |body: &str| format!("#[test]\nfn a() {{\n{body}}}\n");
    Scenario::changing("tests/a.rs", &one(&many("f")), &one(&many("g"))).review();
    let gone = Scenario::changing("tests/a.rs", &one(&many("f")), &one("")).findings("assertion-removed");
    assert!((1..10).contains(&gone.len()), "{}", gone.len());
    let tests = |name: &str| -> String {
        (0..2_000).map(|n| format!("#[test]\nfn {name}{n}() {{\n    assert!(f({n}));\n}}\n")).collect()
    };
    Scenario::changing("tests/a.rs", &tests("a"), &tests("b")).review();
    Scenario::changing("tests/a.rs", &tests("a"), "").review();
}

/// Each of them is what all the others could have become.
#[test]
fn thousands_of_functions_of_one_name_stay_cheap() {
    let many = |parameter: &str| -> String {
        (0..3_000).map(|n| format!("def same({parameter}):\n    return {n}\n\n\n")).collect()
    };
    let told = Scenario::changing("src/a.py", &many("a, b"), &many("c, b")).findings("breaking-change");
    assert!(told.is_empty(), "{told:?}");
}

/// Whether something reads into the variable is looked for in all of the script, for each of them.
#[test]
fn thousands_of_commands_made_of_a_variable_stay_cheap() {
    let script = format!("#!/bin/bash\nread -r line\n{}", "eval \"$line\"\n".repeat(5_000));
    let told = Scenario::adding("bin/a.sh", script).findings("command-injection").len();
    assert_eq!(told, 5_000);
}

/// From each opening a parser would look for the end of the comment as far as the file goes.
#[test]
fn comments_that_nobody_closes_stay_cheap() {
    for name in ["src/a.c", "src/a.go", "src/a.php", "src/A.java", "src/a.js"] {
        Scenario::adding(name, "/* \n".repeat(100_000)).review();
    }
}

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
        Scenario::changing(NAMES[at], &text, pieces[..pieces.len() / 2].concat().as_str()).review();
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
