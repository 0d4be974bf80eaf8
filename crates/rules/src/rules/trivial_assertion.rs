use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::{Assertion, Strength, Trivial, assertions_in};
use super::fixed_names::FixedNames;
use super::self_compared::is_meant;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{self, Node};

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
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Swift,
        Language::Scala,
        Language::C,
        Language::Cpp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("tests/a.rs", "#[test]\nfn works() {\n    assert!(true);\n}\n", &[3]),
        Example::good("tests/a.rs", "#[test]\nfn works() {\n    assert!(works());\n}\n"),
    ]),
};

/// Whether a line may begin something trivial: cheap, and true of everything that is.
static SUSPECT: Pattern = Pattern::new(
    r#"(?i)\b(?:true|false|none|null|nil|undefined)\b|>=\s*0\b|OrEqual\w*\(|greaterequal|\(\s*$|(?:assert|check|require|ok|truthy|defined|null)\w*!?[\s(]+["'\d]|\b\w+(?:\s*,\s*|\s*={2,3}\s*|\)\s*\.\w+\()["'\d-]|isinstance\(\s*["'\d\[{]|\bexpect\(.*\)(?:\.(?:not\.)?to[A-Z]\w*)?\s*;?\s*$"#,
);

pub(crate) struct TrivialAssertion;

impl FileRule for TrivialAssertion {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"assert", b"expect", b"require", b"should", b"check("], removed: &[] }
    }

    /// Beside another assertion it is a habit; alone it is a test that cannot fail.
    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let suspect = |line: &AddedLine<'_>| {
            (names_twice(line.text) || SUSPECT.regex().is_match(line.text)) && file.in_test(line.number)
        };
        if !INFO.languages.contains(&file.language) || !hits.iter().any(suspect) {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let none = HashSet::new();
        let is_new = |node: Node<'_>| {
            let first = hits.partition_point(|hit| hit.number < node.line());
            hits.get(first).is_some_and(|hit| hit.number <= node.end_line()) && file.in_test(node.line())
        };
        let tests: HashSet<Range<usize>> =
            syntax::tests(tree).into_iter().map(|test| test.node.range()).collect();
        let test_of = |node: Node<'_>| test_around(node, &tests).map(|test| test.range());
        let mut named: HashMap<Range<usize>, FixedNames<'_>> = HashMap::new();
        let mut all: Vec<(Assertion<'_>, Option<Trivial>)> = Vec::new();
        for assertion in assertions_in(tree.root(), file.language, &none) {
            let mut why = assertion.triviality();
            let test = test_around(assertion.node, &tests);
            if let Some(test) = test.filter(|_| why.is_none() && is_new(assertion.node)) {
                let names = named.entry(test.range()).or_insert_with(|| FixedNames::of(test, file.language));
                why = names.makes_trivial(&assertion).then_some(Trivial::Constant);
            }
            let on_purpose = match why {
                Some(Trivial::Itself) => is_meant(file, test, &assertion),
                Some(Trivial::Again) => test.is_none() || is_meant(file, test, &assertion),
                _ => false,
            };
            all.push((assertion, why.filter(|_| !on_purpose)));
        }
        let told_apart = told_apart(&all, test_of);
        let proved: HashSet<Range<usize>> = all
            .iter()
            .filter(|(_, why)| why.is_none())
            .filter_map(|(assertion, _)| test_of(assertion.node))
            .collect();
        for (assertion, why) in &all {
            let node = assertion.node;
            let Some(why) = why.filter(|_| is_new(node)) else { continue };
            let message = match why {
                Trivial::Constant => "This assertion holds whatever the code does",
                Trivial::Itself => "This compares a value with itself",
                Trivial::Again => "This compares what a call gives with what the same call gives",
                Trivial::Unasked => "`expect` is given a value here, and nothing is asked of it",
            };
            let test = test_of(node);
            let with_itself = matches!(why, Trivial::Itself | Trivial::Again);
            // Beside what it is not to be equal to, it is about being equal.
            let operand = assertion.operands.first().filter(|_| with_itself);
            if operand
                .zip(test.clone())
                .is_some_and(|(one, test)| told_apart.contains(&(test, one.as_slice())))
            {
                continue;
            }
            let others = test.is_some_and(|test| proved.contains(&test));
            let draft = Draft::lines(head, node.line(), node.end_line(), message);
            report.add(if others || with_itself { draft.severity(Severity::Medium) } else { draft });
        }
    }
}

/// What each test says something else is not equal to.
fn told_apart<'a>(
    all: &'a [(Assertion<'_>, Option<Trivial>)],
    test_of: impl Fn(Node<'_>) -> Option<Range<usize>>,
) -> HashSet<(Range<usize>, &'a [u8])> {
    if !all.iter().any(|(_, why)| matches!(why, Some(Trivial::Itself | Trivial::Again))) {
        return HashSet::new();
    }
    let apart = all.iter().filter(|(one, _)| one.strength == Strength::Order);
    let operands = apart.flat_map(|(one, _)| {
        let test = test_of(one.node);
        one.operands.iter().filter_map(move |operand| Some((test.clone()?, operand.as_slice())))
    });
    operands.collect()
}

fn test_around<'t>(node: Node<'t>, tests: &HashSet<Range<usize>>) -> Option<Node<'t>> {
    node.ancestors().find(|around| tests.contains(&around.range()))
}

/// Whether a word stands in the line more than once: cheap, and true of every comparison with itself.
fn names_twice(line: &[u8]) -> bool {
    let mut seen = HashSet::new();
    let words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    words.filter(|word| !word.is_empty()).take(100).any(|word| !seen.insert(word))
}
