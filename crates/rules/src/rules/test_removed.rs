use std::borrow::Cow;
use std::collections::HashSet;

use domain::change::Status;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::test_functions::tests;
use crate::context::{ChangeContext, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::source::Source;

static INFO: RuleInfo = RuleInfo {
    id: text("test-removed"),
    title: text("A file of tests that is gone while the code it tested stays"),
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
        let elsewhere: HashSet<String> =
            remaining.flat_map(|file| names(file, file.change.added())).collect();
        for (file, gone) in removed {
            if gone.is_disjoint(&elsewhere) {
                let tests = if gone.len() == 1 { "test" } else { "tests" };
                let message = format!(
                    "The change deletes this file with {} {tests}, but no file of code with it",
                    gone.len(),
                );
                let draft = Draft::file(message);
                report.add_in(file.change, if shrinks { draft.confidence(Confidence::Low) } else { draft });
            }
        }
    }
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
