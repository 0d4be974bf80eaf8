//! Files of tests that the change deletes.

use std::collections::HashSet;

use domain::change::{RepoPath, Side, Status};
use domain::review::Confidence;
use domain::words::Severity;

use super::super::assertion::{Credit, is_among_cases};
use super::super::test_functions::{self, finds_tests};
use super::collected::is_found;
use super::renamed::Mentions;
use super::{is_cut_down, takes_code_away};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::source::Source;
use crate::syntax;

pub(super) fn check(change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
    let removed: Vec<(&FileContext<'_>, HashSet<String>)> = change
        .files
        .iter()
        .filter(|file| file.change.status == Status::Deleted && file.is_test_file())
        .filter(|file| file.skipped.is_none())
        .map(|file| (file, names(file, Side::Old)))
        .filter(|(_, names)| !names.is_empty())
        .collect();
    if removed.is_empty() || change.files.iter().any(takes_code_away) {
        return;
    }
    // Some of the code went out of a file that stays: the tests may have been about that.
    let shrinks = change.files.iter().any(is_cut_down);
    let mentions = Mentions::of(change);
    let remaining = change.files.iter().filter(|file| is_run(file, &mentions));
    let elsewhere: HashSet<String> = remaining.flat_map(|file| names(file, Side::New)).collect();
    for (file, gone) in removed {
        if gone.is_disjoint(&elsewhere) && !is_written_elsewhere(change, file, &mentions) {
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

/// Whether somebody runs the tests that a file holds after the change.
fn is_run(file: &FileContext<'_>, mentions: &Mentions) -> bool {
    let Some(side) = &file.change.new else { return false };
    // Where it was there before, it is known to whoever asks for it. Some runners go by folders alone.
    let by_folder = matches!(file.language, Language::JavaScript | Language::TypeScript | Language::Java);
    file.change.status != Status::Added
        || is_found(&side.path, file.language)
        || (by_folder && file.is_test_file())
        || mentions.name(&side.path)
}

/// Whether all that the tests of a file asserted is asserted by others now: under other names, in another form or as cases.
fn is_written_elsewhere(change: &ChangeContext<'_>, file: &FileContext<'_>, mentions: &Mentions) -> bool {
    let pairing = change.pairing();
    let moved = pairing.paired.iter().any(|pair| std::ptr::eq(pair.file, file) && pair.before.is_test);
    // What stands in a file that no test run reads asserts nothing.
    let holds_tests = |other: &&FileContext<'_>| other.is_test_file() && other.language.is_program();
    if change
        .files
        .iter()
        .filter(holds_tests)
        .any(|other| other.change.new.is_some() && !is_run(other, mentions))
    {
        return false;
    }
    let tests = pairing.gone.iter().filter(|(other, unit)| std::ptr::eq(*other, file) && unit.is_test);
    let mut tests = tests.map(|(_, unit)| unit).take(MOST_LOOKED_FOR).peekable();
    let credit = Credit::of(pairing);
    (moved || tests.peek().is_some())
        && tests.all(|unit| is_among_cases(pairing, unit) || credit.spend_all(unit))
}

/// So many tests are looked for among those that stay.
const MOST_LOOKED_FOR: usize = 50;

/// Whether the change brings a file with tests for the same thing, by its name.
pub(super) fn is_written_anew(change: &ChangeContext<'_>, file: &FileContext<'_>) -> bool {
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

/// The tests in what the diff shows of one side of a file.
fn names(file: &FileContext<'_>, side: Side) -> HashSet<String> {
    if !finds_tests(file.language) {
        return names_in_tree(file, side);
    }
    let mut text = Vec::new();
    let mut push = |line: &[u8]| {
        text.extend_from_slice(line);
        text.push(b'\n');
    };
    match side {
        Side::Old => file.change.removed().for_each(|(_, line)| push(line)),
        Side::New => file.change.added().for_each(|(_, line)| push(line)),
    }
    let source = Source::new(text.into(), file.language);
    test_functions::tests(&source, file.language).into_iter().map(|test| test.name).collect()
}

/// The same, where only a parse tells what is a test.
fn names_in_tree(file: &FileContext<'_>, side: Side) -> HashSet<String> {
    let shows = match side {
        Side::Old => file.change.removed().next().is_some(),
        Side::New => file.change.added().next().is_some(),
    };
    let tree = match side {
        _ if !shows => None,
        Side::Old => file.base_tree(),
        Side::New => file.tree(),
    };
    let touched = |test: &syntax::Test<'_>| match side {
        Side::Old => file.touched_lines().base(test.node),
        Side::New => file.touched(test.node),
    };
    let tests = tree.map(syntax::tests).unwrap_or_default();
    tests.into_iter().filter(touched).map(|test| test.name).collect()
}
