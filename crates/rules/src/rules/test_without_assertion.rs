use std::borrow::Cow;
use std::collections::HashSet;

use domain::change::{Hunk, LineKind};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::test_functions::{TestFunction, tests};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::lines::LONGEST_LINE;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::source::Source;

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
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "#[test]\nfn works() {\n    let _ = add(1, 2);\n}\n", &[2]),
        Example::good("src/a.rs", "#[test]\nfn works() {\n    assert_eq!(add(1, 2), 3);\n}\n"),
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
            ],
            removed: &[b"assert", b"expect", b"should", b"verify", b".Error", b".Fatal", b"raises", b"panic"],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let by_name = matches!(
            file.language,
            Language::Python | Language::JavaScript | Language::TypeScript | Language::Go
        );
        if !INFO.languages.contains(&file.language) || (by_name && !file.is_test_file()) {
            return;
        }
        let may_hold_tests = file.is_test_file() || !hits.is_empty() || file.language == Language::Rust;
        let Some(head) = file.head().filter(|_| may_hold_tests) else { return };
        let touched = Touched::of(file);
        let mut silent: Vec<TestFunction> = tests(head, file.language)
            .into_iter()
            .filter(|test| !test.asserts && test.name != "contextLoads" && touched.any(head, test))
            .collect();
        if silent.is_empty() {
            return;
        }
        let known = file.base().map(|base| tests(base, file.language)).unwrap_or_default();
        let always_silent: HashSet<&str> =
            known.iter().filter(|test| !test.asserts).map(|test| test.name.as_str()).collect();
        silent.retain(|test| !always_silent.contains(test.name.as_str()));
        let unsure = SHARED_HELPERS.regex().is_match(head.text());
        let mut reported = 0;
        for test in silent {
            let (first, last) = (head.line_of(test.at), head.line_of(test.extent.end.saturating_sub(1)));
            // On one line they are one finding: that line is generated, or hostile.
            if std::mem::replace(&mut reported, first) == first || head.line(first).len() > LONGEST_LINE {
                continue;
            }
            let advice = unsure
                || SMOKE.regex().is_match(test.name.as_bytes())
                || SAID.regex().is_match(&head.text()[test.extent.clone()]);
            let draft = |message: String| Draft::lines(head, first, last, message);
            report.add(if test.calls_out {
                let message = format!("The test `{}` asserts nothing itself; what it calls may", test.name);
                draft(message).severity(Severity::Medium).confidence(Confidence::Low)
            } else {
                let confidence = if advice { Confidence::Low } else { Confidence::Medium };
                draft(format!("The test `{}` asserts nothing", test.name)).confidence(confidence)
            });
        }
    }
}

/// The lines of the new file that the change added, or behind which it removed something. Sorted.
struct Touched(Vec<u32>);

impl Touched {
    fn of(file: &FileContext<'_>) -> Self {
        let mut touched = Vec::new();
        for hunk in file.change.hunks().iter().map(Hunk::lines) {
            let mut next = None;
            for line in hunk {
                match line.kind {
                    LineKind::Added => touched.extend(line.new),
                    LineKind::Removed => touched.extend(next),
                    LineKind::Context => {}
                }
                next = line.new.or(next);
            }
        }
        touched.sort_unstable();
        Touched(touched)
    }

    fn any(&self, head: &Source, test: &TestFunction) -> bool {
        let first = head.line_of(test.extent.start);
        let last = head.line_of(test.extent.end.saturating_sub(1));
        let at = self.0.partition_point(|line| *line < first);
        self.0.get(at).is_some_and(|line| *line <= last)
    }
}
