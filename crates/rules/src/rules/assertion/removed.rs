use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::cases::lost_cases;
use super::compare::{Loss, losses};
use super::credit::Credit;
use super::find::Unit;
use super::read::Assertion;
use super::replaced::left_to_fixture;
use super::scan::normalised;
use super::strength::Strength;
use super::twin::has_twin;
use super::units::{self, Paired, lost_words, words};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, Example, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("assertion-removed"),
    title: text(
        "A test that asks for less than before; MEDIUM where it was rewritten or has a likely reason",
    ),
    why: text("The test stays green while what it guarded may break"),
    fix: text(
        "Keep the assertion and make the code meet it; if it no longer holds by intent, assert what holds instead",
    ),
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
        Example::edit_bad(
            "tests/a.rs",
            "#[test]\nfn a() {\n    let x = f();\n    assert!(x.ok);\n    assert_eq!(x.n, 3);\n}\n",
            "#[test]\nfn a() {\n    let x = f();\n    assert!(x.ok);\n}\n",
            &[5],
        ),
        Example::edit_bad(
            "test_a.py",
            "def test_a():\n    assert f(1) == 3\n",
            "def test_a():\n    assert f(1)\n",
            &[2],
        ),
        Example::edit_good(
            "test_a.py",
            "def test_a():\n    assert f(1) == 3\n",
            "def test_a():\n    assert f(1) == 4\n",
        ),
    ]),
};

/// Compares the tests of a change with what they were.
pub(crate) struct AssertionRemoved;

/// A test that lost more is told of once.
const MOST_TOLD: usize = 5;

impl ChangeRule for AssertionRemoved {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn prepare(&self, file: &FileContext<'_>) {
        units::prepare(file);
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let pairing = change.pairing();
        let mut lost: Option<HashSet<Vec<u8>>> = None;
        let mut credit: Option<Credit<'_, '_>> = None;
        for pair in &pairing.paired {
            let difference = losses(&pair.before, &pair.after);
            let moved = |assertion: &Assertion<'_>| {
                pairing.counts.get(&assertion.text).is_some_and(|(before, after)| after >= before)
            };
            let (mut told, mut twin) = (0, None);
            let mut fixtures = Fixtures::default();
            for loss in &difference.losses {
                if let Loss::Gone(was) | Loss::Replaced(was) = loss
                    && (moved(was)
                        || fixtures.take(was, pair)
                        || credit.get_or_insert_with(|| Credit::of(pairing)).spend(was, pair))
                {
                    continue;
                }
                if *twin.get_or_insert_with(|| has_twin(change, pair.file, &pair.before)) {
                    break;
                }
                if told == MOST_TOLD {
                    break;
                }
                told += 1;
                tell(pair, loss, lost.get_or_insert_with(|| lost_words(change.files)), report);
            }
            let cases = lost_cases(&pair.before, &pair.after);
            let is_about_what_went = |case: &Vec<u8>| {
                let lost = lost.get_or_insert_with(|| lost_words(change.files));
                words(case).any(|word| lost.contains(word))
            };
            if !cases.is_empty() && !cases.iter().any(is_about_what_went) {
                tell_cases(pair, cases.len(), report);
            }
        }
    }
}

/// How many assertions of each text a fixture of one test has accounted for.
#[derive(Debug, Default)]
struct Fixtures(HashMap<Vec<u8>, usize>);

impl Fixtures {
    fn take(&mut self, was: &Assertion<'_>, pair: &Paired<'_>) -> bool {
        let taken = self.0.entry(was.text.clone()).or_default();
        *taken += 1;
        *taken <= left_to_fixture(was, &pair.before, &pair.after)
    }
}

fn tell(pair: &Paired<'_>, loss: &Loss<'_, '_>, lost: &HashSet<Vec<u8>>, report: &mut Reporter<'_>) {
    let what = if pair.before.is_test { "test" } else { "function" };
    let name = &pair.before.name;
    // Not of its text as formatters leave it, in which words may have grown together.
    let excused = |assertion: &Assertion<'_>| words(assertion.node.bytes()).any(|word| lost.contains(word));
    match loss {
        Loss::Gone(was) | Loss::Replaced(was) => {
            let Some(base) = pair.file.base() else { return };
            let message = format!("The {what} `{name}` no longer asserts this");
            let sure = matches!(loss, Loss::Gone(_))
                && !excused(was)
                && !is_plain_call(was)
                && !is_taken_over(was, &pair.before, &pair.after);
            let severity = if sure { Severity::Major } else { Severity::Medium };
            report
                .add_in(pair.file.change, Draft::removed(base, was.node.line(), message).severity(severity));
        }
        Loss::Weaker { now, how } => {
            let Some(head) = pair.moved_to.head() else { return };
            let message = format!("The {what} `{name}` asserts less here: {}", how.told());
            let serious = how.is_serious() && !excused(now);
            let severity = if serious { Severity::Major } else { Severity::Medium };
            let draft = Draft::lines(head, now.node.line(), now.node.end_line(), message);
            report.add_in(pair.moved_to.change, draft.severity(severity));
        }
    }
}

/// So many calls of a test are looked at.
const MOST_CALLS: usize = 200;

/// Fewer bytes are given to many functions.
const FEWEST_GIVEN: usize = 6;

/// Whether a function that the test did not call before is given what the assertion gave to another: it may assert the
/// same, wherever it is written.
fn is_taken_over(was: &Assertion<'_>, before: &Unit<'_>, after: &Unit<'_>) -> bool {
    let known: HashSet<&[u8]> = words(before.node.bytes()).collect();
    let calls = after.node.descendants().filter_map(|node| node.call()).take(MOST_CALLS);
    calls.filter(|call| !known.contains(call.name().as_bytes())).any(|call| {
        let given = call.argument_list().map(|list| normalised(list.bytes())).unwrap_or_default();
        let given = given.strip_prefix(b"(").and_then(|given| given.strip_suffix(b")")).unwrap_or_default();
        given.len() >= FEWEST_GIVEN && memchr::memmem::find(&was.text, given).is_some()
    })
}

/// They may have gone to a test of their own, so this is advice.
fn tell_cases(pair: &Paired<'_>, count: usize, report: &mut Reporter<'_>) {
    let Some(head) = pair.moved_to.head() else { return };
    let cases = if count == 1 { "case" } else { "cases" };
    let message = format!("The test `{}` is run with {count} {cases} less than before", pair.after.name);
    let (line, end) = (pair.after.node.line(), pair.after.node.end_line());
    let draft = Draft::lines(head, line, end, message).severity(Severity::Medium);
    report.add_in(pair.moved_to.change, draft.confidence(Confidence::Medium));
}

/// A call of a helper that does not say by its name that it asserts: it may do more besides, and be gone for that.
fn is_plain_call(assertion: &Assertion<'_>) -> bool {
    const SAYS_SO: [&str; 6] = ["assert", "check", "verify", "expect", "ensure", "should"];
    let is_call = assertion.strength == Strength::Helper;
    let name = assertion.node.call().map(|call| String::from_utf8_lossy(call.callee()).to_ascii_lowercase());
    is_call && name.is_some_and(|name| !SAYS_SO.iter().any(|word| name.contains(word)))
}
