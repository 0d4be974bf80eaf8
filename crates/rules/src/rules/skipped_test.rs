use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::skip_marks::{Skip, Tests, skip};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::Node;

static INFO: RuleInfo = RuleInfo {
    id: text("skipped-test"),
    title: text("A test that is switched off; MINOR where its marker gives a reason"),
    why: text("What the test guarded is unguarded from now on, and the run stays green"),
    fix: text("Make the test pass, or delete it; if it has to wait, give the reason in its marker"),
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
        Example::bad("src/a.rs", "#[test]\n#[ignore]\nfn a() { assert!(f()); }\n", &[2]),
        Example::good(
            "test_a.py",
            "@pytest.mark.skipif(WINDOWS, reason='posix only')\ndef test_a(): assert f()\n",
        ),
    ]),
};

pub(crate) struct SkippedTest;

impl FileRule for SkippedTest {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"ignore",
                b"skip",
                b"xfail",
                b"expectedFailure",
                b".todo(",
                b".fixme(",
                b".fails(",
                b".failing(",
                b"xit",
                b"xdescribe",
                b"xtest",
                b"xcontext",
                b"xspecify",
                b"xexample",
                b"@Disabled",
                b".Disabled",
                b"enabled",
                b"DISABLED_",
                b"[.",
                b"assume",
                b"pending",
                b"cancel",
                b"markTest",
                b"->todo(",
                b"todo:",
                b".disabled(",
                b"Explicit",
                b"Assert.In",
                b"Assert.Pass",
                b"TEST_PASS",
                b"runIf",
                b"xshould",
                b"xscenario",
                b"(\"!",
                b"#[cfg(",
                b"//go:build",
                b"__test__",
                b"fixture",
                b"parametrize",
                b"should_panic",
                b"XCTExpectFailure",
                b"each([",
                b"getenv",
                b"Getenv",
                b"LookupEnv",
                b"environ",
                b"process.env",
                b"env::var",
                b"ENV[",
                b"DisabledIfEnv",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || hits.is_empty() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let is_hit = |first: u32, last: u32| {
            hits.get(hits.partition_point(|hit| hit.number < first)).is_some_and(|hit| hit.number <= last)
        };
        let (tests, mut told) = (Tests::of(tree), 0);
        for node in tree.root().descendants() {
            // A marker takes a few lines; what is longer is a whole test, and its marker stands inside.
            let line = told_at(node);
            if line == told || !file.touched_lines().is_added(line) || !is_hit(line, node.end_line()) {
                continue;
            }
            let Some((name, skip)) = skip(node, file, &tests) else { continue };
            told = line;
            let message = match skip {
                Skip::Announced => format!("`{name}` announces a test that nobody has written yet"),
                Skip::Conditional => format!("`{name}` keeps the tests here from the usual run"),
                Skip::Bare | Skip::Reasoned if expects_failure(&name) => {
                    format!("`{name}` has this test fail without anybody noticing")
                }
                Skip::Bare | Skip::Reasoned => format!("`{name}` switches this test off"),
            };
            let draft = Draft::lines(head, line, line, message);
            report.add(match skip {
                Skip::Bare => draft,
                Skip::Conditional => draft.severity(Severity::Medium),
                Skip::Announced | Skip::Reasoned => draft.severity(Severity::Minor),
            });
        }
    }
}

/// Such a test is run, and its failure counts as what was expected.
fn expects_failure(mark: &str) -> bool {
    ["xfail", "expectedFailure", ".fails", ".failing", "should_panic]", "XCTExpectFailure"]
        .iter()
        .any(|end| mark.ends_with(end))
}

/// What is chained to a test stands behind it.
fn told_at(node: Node<'_>) -> u32 {
    let chained = node.child("name").filter(|_| node.kind() == "member_call_expression");
    chained.unwrap_or(node).line()
}
