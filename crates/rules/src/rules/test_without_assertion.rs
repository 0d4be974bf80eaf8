use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::proof::{Proof, proofs};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::lines::LONGEST_LINE;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::Tree;

static INFO: RuleInfo = RuleInfo {
    id: text("test-without-assertion"),
    title: text("A test that cannot fail; MEDIUM where what it calls might assert"),
    why: text("It is green whatever the code does, and counts as proof all the same"),
    fix: text("Assert what the code under test returns or changes"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Swift,
        Language::Scala,
        Language::C,
        Language::Cpp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "#[test]\nfn works() {\n    let _ = add(1, 2);\n}\n", &[2]),
        Example::good("src/a.rs", "#[test]\nfn works() {\n    assert_eq!(add(1, 2), 3);\n}\n"),
        Example::good("src/a.rs", "#[template]\n#[rstest]\n#[case(1)]\nfn all(#[case] of: u8) {}\n"),
    ]),
};

/// Helpers that live in another file may assert; we cannot see whether they do.
static SHARED_HELPERS: Pattern = Pattern::new(
    r#"(?m)^\s*(?:pub\s+)?use\s+[\w:]*\b(?:test\w*|support|common|helpers?|util\w*)\b|^\s*mod\s+(?:support|common|util\w*|helpers?)\s*;|^\s*from\s+[\w.]*(?:test\w*|support|common|helpers?|util\w*)\s+import|(?:from|require\()\s*["'][^"'\n]*(?:test|support|common|helper|util)"#,
);

/// Names of tests that mean to show only that nothing breaks.
static SMOKE: Pattern = Pattern::new(r"(?i)crash|panic|throw|raise|smoke|without.?err|compiles");

/// The same, said inside the test.
static SAID: Pattern = Pattern::new(
    r"(?i)(?:not|never|n't|no|without)\s+(?:be\s+)?(?:panic|crash|throw|raise|hang|deadlock|fail)",
);

pub(crate) struct TestWithoutAssertion;

impl FileRule for TestWithoutAssertion {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    /// A new test, or a test that lost an assertion. One that was edited otherwise asserts what it did.
    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"#[test",
                b"::test",
                b"#[rstest",
                b"def test",
                b"it('",
                b"it(\"",
                b"it(`",
                b"test('",
                b"test(\"",
                b"test(`",
                b"specify(",
                b"func Test",
                b"@Test",
                b"@ParameterizedTest",
                b"@RepeatedTest",
                b"[Fact",
                b"[Test",
                b"[Theory",
                b"[DataTestMethod",
                b"it \"",
                b"it '",
                b"specify \"",
                b"scenario ",
                b"function test",
                b"#[Test",
                b"func test",
                b"\" in {",
                b"TEST(",
                b"TEST_F(",
                b"TEST_P(",
                b"TEST_CASE(",
                b"START_TEST(",
                b"void test",
            ],
            removed: &[b"assert", b"expect", b"should", b"verify", b".Error", b".Fatal", b"raises", b"panic"],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let by_mark =
            matches!(file.language, Language::Rust | Language::Java | Language::Kotlin | Language::CSharp);
        // What only measures asks for nothing.
        let measures = file
            .change
            .path()
            .folders()
            .any(|folder| [&b"bench"[..], b"benches", b"benchmark", b"benchmarks"].contains(&folder));
        if !INFO.languages.contains(&file.language) || (!by_mark && !file.is_test_file()) || measures {
            return;
        }
        let may_hold_tests = file.is_test_file() || !hits.is_empty() || file.language == Language::Rust;
        if !may_hold_tests {
            return;
        }
        // What a test calls may assert in its stead; all of the file is read only for tests that do not themselves.
        if file.touched_tree().is_none_or(|tree| silent(file, tree).is_empty()) {
            return;
        }
        let (Some(tree), Some(head)) = (file.tree(), file.head()) else { return };
        let mut silent = silent(file, tree);
        if silent.is_empty() {
            return;
        }
        let known = file.base_tree().map(|base| proofs(base, |_| true)).unwrap_or_default();
        let always_silent: HashSet<&str> =
            known.iter().filter(|proof| !proof.asserts).map(|proof| proof.test.name.as_str()).collect();
        silent.retain(|proof| !always_silent.contains(proof.test.name.as_str()));
        let unsure = SHARED_HELPERS.regex().is_match(head.text());
        let mut reported = 0;
        for Proof { test, calls_out, lines: (_, last), .. } in silent {
            let first = test.line();
            // On one line they are one finding: that line is generated, or hostile.
            if std::mem::replace(&mut reported, first) == first || head.line(first).len() > LONGEST_LINE {
                continue;
            }
            let advice = unsure
                || SMOKE.regex().is_match(test.name.as_bytes())
                || SAID.regex().is_match(test.node.bytes());
            let draft = |message: String| Draft::lines(head, first, last, message);
            report.add(if calls_out {
                let message = format!("The test `{}` asserts nothing itself; what it calls may", test.name);
                draft(message).severity(Severity::Medium).confidence(Confidence::Low)
            } else {
                let confidence = if advice { Confidence::Low } else { Confidence::Medium };
                draft(format!("The test `{}` asserts nothing", test.name)).confidence(confidence)
            });
        }
    }
}

/// Tests that the change touched and that assert nothing, as far as the tree tells.
fn silent<'t>(file: &FileContext<'_>, tree: &'t Tree) -> Vec<Proof<'t>> {
    let touched = |(first, last)| file.touched_lines().head_lines(first, last);
    let mut proofs = proofs(tree, touched);
    proofs.retain(|proof| !proof.asserts && proof.test.name != "contextLoads");
    proofs
}
