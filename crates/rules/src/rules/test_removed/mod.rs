//! Tests that are gone, or that nobody runs any more.

mod collected;
mod files;
mod gone;
mod hidden;
mod renamed;
mod written;

use std::borrow::Cow;

use domain::change::Status;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::Reporter;
use crate::rule::{ChangeRule, RuleInfo, text};

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

    fn prepare(&self, file: &FileContext<'_>) {
        hidden::prepare(file);
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        files::check(change, report);
        renamed::check(change, report);
        gone::check(change, report);
        hidden::check(change, report);
    }
}

/// A source file that is deleted or renamed: its tests may have gone with it.
fn takes_code_away(file: &FileContext<'_>) -> bool {
    let gone = matches!(file.change.status, Status::Deleted | Status::Renamed(_));
    gone && file.language.is_program() && !file.is_test_file()
}

/// Whether more was taken out of a source file than was put in, apart from the tests in it.
fn is_cut_down(file: &FileContext<'_>) -> bool {
    if !file.language.is_program() || file.is_test_file() || file.change.new.is_none() {
        return false;
    }
    let shrinks = |removed: usize, added: usize| removed > added + 2;
    if !shrinks(file.change.removed().count(), file.change.added().count()) {
        return false;
    }
    let holds_tests = file.language == Language::Rust;
    let was_test = |line: u32| holds_tests && file.base().is_some_and(|base| base.in_test(line));
    let is_test = |line: u32| holds_tests && file.head().is_some_and(|head| head.in_test(line));
    let removed = file.change.removed().filter(|(line, _)| !was_test(*line)).count();
    shrinks(removed, file.change.added().filter(|(line, _)| !is_test(*line)).count())
}
