use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::{Strength, assertions_in};
use super::test_functions::tests;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::mask::Kind;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("trivial-assertion"),
    title: text(
        "An assertion that holds whatever the code does; MEDIUM where a value is compared with itself",
    ),
    why: text("The test is green and proves nothing"),
    fix: text("Assert what the code under test returns or changes"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::High,
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
        Example::bad("tests/a.rs", "#[test]\nfn works() {\n    assert!(true);\n}\n", &[3]),
        Example::good("tests/a.rs", "#[test]\nfn works() {\n    assert!(works());\n}\n"),
    ]),
};

/// What is asserted to be true.
static TRUTH: Pattern = Pattern::new(
    r#"(?:\bassert!\s*\(\s*true\s*[,)]|\bassert\s+True\s*(?:$|#|,)|\bassert\s*\(\s*[Tt]rue\s*[,)]|\b(?:assert\.ok|assertTrue|assertThat|assert\.isTrue|assert\.True|require\.True)\(\s*(?:t\s*,\s*)?[Tt]rue\s*[,)]|\bexpect\(\s*true\s*\)\.(?:toBeTruthy\(|to\.be\.true))"#,
);

/// Two literals that are asserted to be the same.
static SAME: Pattern = Pattern::new(
    r#"\b(?:assert_eq!|assertEquals?|assertSame|assert\.(?:equal|strictEqual|deepEqual|Equal)|require\.Equal)\s*\(\s*(?:t\s*,\s*)?(-?\d+|[Tt]rue|[Ff]alse|"\w*"|'\w*')\s*,\s*(-?\d+|[Tt]rue|[Ff]alse|"\w*"|'\w*')\s*[,)]|\bexpect\(\s*(-?\d+|true|false|"\w*"|'\w*')\s*\)\.(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql)\(\s*(-?\d+|true|false|"\w*"|'\w*')\s*\)|\bassert\s+(-?\d+|True|False)\s*==\s*(-?\d+|True|False)\s*(?:$|#|,)"#,
);

pub(crate) struct TrivialAssertion;

impl FileRule for TrivialAssertion {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"assert", b"expect(", b"require."], removed: &[] }
    }

    /// Beside another assertion it is a habit; alone it is a test that cannot fail.
    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) {
            return;
        }
        let told = self.check_lines(file, hits, report);
        let may_be_same = |line: &AddedLine<'_>| {
            !told.contains(&line.number) && names_twice(line.text) && file.in_test(line.number)
        };
        if !hits.iter().any(may_be_same) {
            return;
        }
        let (Some(tree), Some(head)) = (file.tree(), file.head()) else { return };
        let none = HashSet::new();
        for assertion in assertions_in(tree.root(), file.language, &none) {
            let line = assertion.node.line();
            let here =
                hits.binary_search_by_key(&line, |hit| hit.number).is_ok_and(|at| may_be_same(&hits[at]));
            let same = assertion.strength == Strength::Exact
                && matches!(assertion.operands.as_slice(), [one, other, ..] if one == other && is_plain(one));
            if here && same {
                let message = "This compares a value with itself";
                report.add(Draft::lines(head, line, line, message).severity(Severity::Medium));
            }
        }
    }
}

impl TrivialAssertion {
    /// What can be told from the lines alone. The lines that were told of.
    fn check_lines(
        &self,
        file: &FileContext<'_>,
        hits: &[AddedLine<'_>],
        report: &mut Reporter<'_>,
    ) -> HashSet<u32> {
        let trivial: Vec<&AddedLine<'_>> =
            hits.iter().filter(|line| is_trivial(file, line) && file.in_test(line.number)).collect();
        let Some(head) = file.head().filter(|_| !trivial.is_empty()) else { return HashSet::new() };
        let lines: HashSet<u32> = trivial.iter().map(|line| line.number).collect();
        let tests = tests(head, file.language);
        for line in trivial {
            let at = head.start_of(line.number) + line.text.len();
            let before = tests.partition_point(|test| test.extent.start < at);
            let around = tests[..before].iter().rev().take(20).find(|test| test.extent.end >= at);
            let others = around.is_some_and(|test| {
                test.assertions.iter().any(|assertion| !lines.contains(&head.line_of(*assertion)))
            });
            let draft = Draft::line(line, "This assertion holds whatever the code does");
            report.add(if others { draft.severity(Severity::Medium) } else { draft });
        }
        lines
    }
}

/// A name or a path of names: calling a function twice may well give two answers.
fn is_plain(operand: &[u8]) -> bool {
    operand.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && operand.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte))
}

/// Whether a word stands in the line more than once: cheap, and true of every comparison with itself.
fn names_twice(line: &[u8]) -> bool {
    let mut seen = HashSet::new();
    let words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    words.filter(|word| !word.is_empty()).take(100).any(|word| !seen.insert(word))
}

fn is_trivial(file: &FileContext<'_>, line: &AddedLine<'_>) -> bool {
    let text = line.text.trim_ascii_end();
    let truth = TRUTH.regex().find_iter(text).map(|found| found.start());
    let same = SAME.regex().captures_iter(text).filter_map(|groups| {
        let values: Vec<&[u8]> = groups.iter().skip(1).flatten().map(|value| value.as_bytes()).collect();
        (values.first() == values.get(1)).then(|| groups.get(0).map(|whole| whole.start())).flatten()
    });
    truth.chain(same).any(|at| file.kind(line, at) == Some(Kind::Code))
}
