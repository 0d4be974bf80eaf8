use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::change::{RepoPath, Status};
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::assertion::{Pairing, Unit, hides, is_among_cases, is_kept, lost_words, words};
use super::skip_marks::{Tests, skip};
use super::test_functions::tests;
use crate::context::{ChangeContext, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::source::Source;
use crate::syntax::{Node, Notion};

static INFO: RuleInfo = RuleInfo {
    id: text("test-removed"),
    title: text(
        "Tests that are gone while the code they tested stays; MEDIUM where something else may be the reason",
    ),
    why: text("What the tests guarded is unguarded from now on, and the run stays green"),
    fix: text("Keep the tests and make them pass; if they were moved or are of no use, say so in the change"),
    severity: Severity::Major,
    category: Category::Testing,
    dimension: Dimension::TEST_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[]),
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct TestRemoved;

impl ChangeRule for TestRemoved {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        check_files(change, report);
        check_tests(change, report);
    }
}

fn check_files(change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
    let removed: Vec<(&FileContext<'_>, HashSet<String>)> = change
        .files
        .iter()
        .filter(|file| file.change.status == Status::Deleted && file.is_test_file())
        .filter(|file| file.skipped.is_none())
        .map(|file| (file, names(file, file.change.removed())))
        .filter(|(_, names)| !names.is_empty())
        .collect();
    if removed.is_empty() || change.files.iter().any(takes_code_away) {
        return;
    }
    // Some of the code went out of a file that stays: the tests may have been about that.
    let shrinks = change.files.iter().any(is_cut_down);
    let remaining = change.files.iter().filter(|file| file.change.new.is_some());
    let elsewhere: HashSet<String> = remaining.flat_map(|file| names(file, file.change.added())).collect();
    for (file, gone) in removed {
        if gone.is_disjoint(&elsewhere) && !is_written_as_cases(change, file) {
            let tests = if gone.len() == 1 { "test" } else { "tests" };
            let message = format!(
                "The change deletes this file with {} {tests}, but no file of code with it",
                gone.len(),
            );
            let draft = Draft::file(message);
            let draft = if shrinks { draft.confidence(Confidence::Low) } else { draft };
            let rewritten = is_written_anew(change, file);
            report.add_in(file.change, if rewritten { draft.severity(Severity::Medium) } else { draft });
        }
    }
}

/// Whether all tests of a file are cases of others now.
fn is_written_as_cases(change: &ChangeContext<'_>, file: &FileContext<'_>) -> bool {
    let pairing = change.pairing();
    let tests = pairing.gone.iter().filter(|(other, unit)| std::ptr::eq(*other, file) && unit.is_test);
    let mut tests = tests.map(|(_, unit)| unit).take(MOST_LOOKED_FOR).peekable();
    tests.peek().is_some() && tests.all(|unit| is_among_cases(pairing, unit))
}

/// Whether the change brings a file with tests for the same thing, by its name.
fn is_written_anew(change: &ChangeContext<'_>, file: &FileContext<'_>) -> bool {
    let subject = subject_of(file.change.path());
    let brings = |other: &FileContext<'_>| {
        other.change.status == Status::Added && other.is_test_file() && other.language.is_program()
    };
    change.files.iter().filter(|other| brings(other)).any(|other| subject_of(other.change.path()) == subject)
}

/// `cart` of `test_cart.py`, `cart.test.js` and `CartTest.java`.
fn subject_of(path: &RepoPath) -> String {
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let stem = ["test_", "spec_"].iter().find_map(|start| stem.strip_prefix(start)).unwrap_or(stem);
    let ends = ["_tests", "_test", "_spec", "tests", "test", "spec"];
    let plain = ends.iter().find_map(|end| stem.strip_suffix(end)).filter(|plain| !plain.is_empty());
    plain.unwrap_or(stem).to_owned()
}

/// What a line holds that opens a test.
const OPENINGS: [&[u8]; 13] = [
    b"fn ",
    b"fun",
    b"def ",
    b"it(",
    b"it ",
    b"test",
    b"Test",
    b"TEST",
    b"Fact",
    b"specify",
    b"void ",
    b"SCENARIO",
    b"\" ",
];

/// More tests of one file are not told of one by one.
const MOST_TOLD: usize = 10;

/// So many tests are looked for among those that stay.
const MOST_LOOKED_FOR: usize = 50;

/// Tests that were taken out of a file that stays, and that were neither moved, renamed nor replaced.
fn check_tests(change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
    let opens = |text: &[u8]| OPENINGS.iter().any(|opening| memchr::memmem::find(text, opening).is_some());
    let may_lose = |file: &FileContext<'_>| file.change.removed().any(|(_, text)| opens(text)) || hides(file);
    if !change.files.iter().any(may_lose) {
        return;
    }
    let pairing = change.pairing();
    let mut balance: HashMap<&RepoPath, isize> = HashMap::new();
    for (file, _) in pairing.new.iter().filter(|(_, unit)| unit.is_test) {
        *balance.entry(file.change.path()).or_default() += 1;
    }
    for (file, _) in pairing.gone.iter().filter(|(_, unit)| unit.is_test) {
        *balance.entry(file.change.path()).or_default() -= 1;
    }
    let writes_tests = pairing.new.iter().any(|(_, unit)| unit.is_test);
    let takes_away = change.files.iter().any(|file| takes_code_away(file) || is_cut_down(file));
    let mut lost: Option<HashSet<Vec<u8>>> = None;
    let mut switched_off: HashMap<&RepoPath, HashSet<String>> = HashMap::new();
    let (mut told, mut looked) = (0, 0);
    for (file, unit) in pairing.gone.iter().filter(|(file, unit)| unit.is_test && file.change.new.is_some()) {
        let replaced = balance.get(file.change.path()).is_none_or(|left| *left >= 0);
        let (Some(base), Some(head)) = (file.base(), file.head()) else { continue };
        let lost = lost.get_or_insert_with(|| lost_words(change.files));
        let about_what_went = words(unit.node.bytes()).any(|word| lost.contains(word));
        if replaced || about_what_went || unit.assertions.is_empty() || told == MOST_TOLD {
            continue;
        }
        looked += 1;
        let off = switched_off.entry(file.change.path()).or_insert_with(|| off_in(file, pairing));
        if off.contains(&unit.name) || (looked <= MOST_LOOKED_FOR && is_kept(pairing, file, unit)) {
            continue;
        }
        told += 1;
        let line = unit.node.line();
        let subject = subject(unit, head);
        let idle = is_idle(pairing, file, unit, head);
        let message = match &subject {
            _ if idle => format!("`{}` is still here, but no longer run as a test", unit.name),
            Some(subject) => format!(
                "The test `{}` is gone, while `{subject}`, which it called, is still tested here",
                unit.name
            ),
            None => format!("The test `{}` is gone", unit.name),
        };
        let sure = (subject.is_some() || idle) && !writes_tests && !takes_away;
        let severity = if sure { Severity::Major } else { Severity::Medium };
        report.add_in(file.change, Draft::removed(base, line, message).severity(severity));
    }
}

/// So many calls of a test are looked at.
const MOST_CALLS: usize = 50;

/// Something the test called that the file still calls.
fn subject(unit: &Unit<'_>, head: &Source) -> Option<String> {
    // Neither what asserts, nor the call that makes it a test.
    let asserts = |node: Node<'_>| {
        node.is_assertion() || unit.assertions.iter().any(|assertion| assertion.node == node)
    };
    let names = unit.node.descendants().filter(|node| node.range().start != unit.node.range().start);
    let names = names.filter(|node| node.is(Notion::Call)).take(MOST_CALLS).filter_map(|node| node.call());
    let mut names = names.filter(|call| !asserts(call.node)).map(|call| call.name());
    names.find(|name| name.len() > 3 && memchr::memmem::find(head.code(), name.as_bytes()).is_some())
}

/// The titles of those of the tests that still stand where they stood, but are marked as switched off: that is told of by
/// their marker.
fn off_in(file: &FileContext<'_>, pairing: &Pairing<'_>) -> HashSet<String> {
    let Some(tree) = file.tree() else { return HashSet::new() };
    let mine = pairing.gone.iter().filter(|(other, _)| std::ptr::eq(*other, file));
    let names: HashSet<&str> = mine.map(|(_, unit)| unit.name.as_str()).collect();
    let tests = Tests::of(tree);
    let titled = tree.all(Notion::Call).filter_map(|node| {
        let title = node.call()?.arguments().next()?.text().trim_matches(['"', '\'', '`']).to_owned();
        names.contains(title.as_str()).then_some((node, title))
    });
    titled.filter(|(node, _)| skip(*node, file, &tests).is_some()).map(|(_, title)| title).collect()
}

/// Whether the function is still there, and nobody runs it: neither the framework nor anything else in the file.
fn is_idle(pairing: &Pairing<'_>, file: &FileContext<'_>, unit: &Unit<'_>, head: &Source) -> bool {
    let stays = |other: &FileContext<'_>, now: &Unit<'_>| {
        std::ptr::eq(other, file) && now.key == unit.key && !now.is_test
    };
    pairing.new.iter().any(|(other, now)| stays(other, now))
        && words(head.code()).filter(|word| *word == unit.name.as_bytes()).count() == 1
}

/// The tests in what the diff shows of a file.
fn names<'a>(file: &FileContext<'_>, lines: impl Iterator<Item = (u32, &'a [u8])>) -> HashSet<String> {
    let mut text = Vec::new();
    for (_, line) in lines {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    let source = Source::new(text.into(), file.language);
    tests(&source, file.language).into_iter().map(|test| test.name).collect()
}

/// A source file that is deleted or renamed: its tests may have gone with it.
fn takes_code_away(file: &FileContext<'_>) -> bool {
    let gone = matches!(file.change.status, Status::Deleted | Status::Renamed(_));
    gone && file.language.is_program() && !file.is_test_file()
}

/// Whether more was taken out of a source file than was put in.
fn is_cut_down(file: &FileContext<'_>) -> bool {
    let code = file.language.is_program() && !file.is_test_file() && file.change.new.is_some();
    code && file.change.removed().count() > file.change.added().count() + 2
}
