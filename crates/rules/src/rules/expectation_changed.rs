use std::borrow::Cow;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rayon::prelude::*;

use super::assertion::{Assertion, Strength, is_fixed, losses};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{Tree, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("expectation-changed"),
    title: text("An expected value that changed together with the code it holds to account"),
    why: text("The test may have been adapted to what the code does now instead of what it should do"),
    fix: text("Make sure that the new value is what was asked for, and say so in the change"),
    severity: Severity::Low,
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
    examples: Cow::Borrowed(&[]),
};

pub(crate) struct ExpectationChanged;

impl ChangeRule for ExpectationChanged {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let pairing = change.pairing();
        let mut edited: Option<HashSet<String>> = None;
        for pair in pairing.paired.iter().filter(|pair| INFO.languages.contains(&pair.file.language)) {
            let Some(head) = pair.moved_to.head() else { continue };
            for (was, now) in losses(&pair.before, &pair.after).changed {
                let Some(subject) = kept_subject(was, now) else { continue };
                let edited = edited.get_or_insert_with(|| edited_functions(change.files));
                let read = read(subject, pair.file.language);
                let Some(name) = called(subject).chain(read).find(|name| edited.contains(*name)) else {
                    continue;
                };
                let message = format!(
                    "The value expected of `{name}` changed together with `{name}` itself in the test `{}`",
                    pair.after.name
                );
                let draft = Draft::lines(head, now.node.line(), now.node.end_line(), message);
                report.add_in(pair.moved_to.change, draft);
            }
        }
    }
}

/// The expression that both examine, where all that changed is the literal it is compared with.
fn kept_subject<'a>(was: &'a Assertion<'_>, now: &Assertion<'_>) -> Option<&'a [u8]> {
    let exact = was.strength == Strength::Exact && now.strength == Strength::Exact;
    let literal = |assertion: &Assertion<'_>| assertion.operands.iter().find(|one| is_fixed(one)).cloned();
    let changed = literal(was).zip(literal(now)).is_some_and(|(was, now)| was != now);
    let kept = was.operands.iter().find(|operand| !is_fixed(operand) && now.operands.contains(operand));
    kept.filter(|_| exact && changed).map(Vec::as_slice)
}

/// The names that are called in an expression.
fn called(expression: &[u8]) -> impl Iterator<Item = &str> {
    let open = expression.iter().enumerate().filter(|(_, byte)| **byte == b'(').map(|(at, _)| at);
    open.filter_map(move |at| {
        let before = &expression[..at];
        let start = before.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        std::str::from_utf8(&before[start.map_or(0, |at| at + 1)..]).ok().filter(|name| !name.is_empty())
    })
}

/// What stands behind the last dot, where a function is called without brackets.
fn read(expression: &[u8], language: Language) -> Option<&str> {
    let bare = matches!(language, Language::Ruby | Language::Scala | Language::Kotlin | Language::Swift);
    let last = expression.rsplit(|byte| *byte == b'.').next().filter(|_| bare)?;
    std::str::from_utf8(last).ok()
}

/// Functions that were there before the change and were edited by it, themselves or by a value of their file that they may use.
fn edited_functions(files: &[FileContext<'_>]) -> HashSet<String> {
    let code = files
        .par_iter()
        .filter(|file| file.language.is_program() && !file.is_test_file() && file.skipped.is_none())
        .filter(|file| file.change.old.is_some() && file.change.new.is_some());
    code.flat_map_iter(|file| {
        let (base, head) = file.sides();
        let by_value = base.is_some_and(|base| changes_value(file, base));
        let before: HashSet<String> = base
            .map(|base| functions(base).into_iter().map(|function| function.name).collect())
            .unwrap_or_default();
        let now = head.map(functions).unwrap_or_default();
        let edited = now.into_iter().filter(move |function| {
            !function.is_test
                && before.contains(&function.name)
                && (by_value || function.body.is_some_and(|body| file.touched(body)))
                && !file.in_test(function.name_line())
        });
        edited.map(|function| function.name).collect::<Vec<_>>()
    })
    .collect()
}

/// Whether a value that stands outside of functions is another now: a constant, or what a field has at first.
fn changes_value(file: &FileContext<'_>, base: &Tree) -> bool {
    const ELSE: [&[u8]; 8] = [b"import", b"from", b"use ", b"#", b"//", b"*", b"/*", b"package"];
    let mut fixed = file.change.removed().filter(|(_, line)| {
        let line = line.trim_ascii();
        let gives = [&b"="[..], b":"].iter().any(|sign| memchr::memmem::find(line, sign).is_some());
        gives
            && line.iter().any(|byte| byte.is_ascii_digit() || b"\"'".contains(byte))
            && !ELSE.iter().any(|word| line.starts_with(word))
    });
    let Some(first) = fixed.next() else { return false };
    let bodies: Vec<(u32, u32)> =
        functions(base).iter().map(|one| (one.node.line(), one.node.end_line())).collect();
    let is_outside = |number: u32| !bodies.iter().any(|(from, to)| (*from..=*to).contains(&number));
    std::iter::once(first).chain(fixed).take(MOST_VALUES).any(|(number, _)| is_outside(number))
}

/// More are not looked at.
const MOST_VALUES: usize = 50;
