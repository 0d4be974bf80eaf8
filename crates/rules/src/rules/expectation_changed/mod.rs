mod given;
mod table;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rayon::prelude::*;

use self::given::{Before, root, same_inputs, words};
use self::table::changed_row;
use super::assertion::{Assertion, Paired, Strength, Unit, is_fixed, is_literal, losses};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{Node, Tree, functions};

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
        let edited = OnceCell::new();
        let edited = || -> &HashSet<String> { edited.get_or_init(|| edited_functions(change.files)) };
        for pair in pairing.paired.iter().filter(|pair| INFO.languages.contains(&pair.file.language)) {
            let Some(head) = pair.moved_to.head() else { continue };
            if pair.before.node.bytes() == pair.after.node.bytes() {
                continue;
            }
            for (node, name) in followed(pair, edited) {
                let message = format!(
                    "The value expected of `{name}` changed together with `{name}` itself in the test `{}`",
                    pair.after.name
                );
                let draft = Draft::lines(head, node.line(), node.end_line(), message);
                report.add_in(pair.moved_to.change, draft);
            }
        }
    }
}

/// Where a test expects another value of a function that was edited, and of which.
fn followed<'t, 'e>(
    pair: &Paired<'t>,
    edited: impl Fn() -> &'e HashSet<String> + Copy,
) -> Vec<(Node<'t>, String)> {
    let language = pair.file.language;
    let mut found = Vec::new();
    for (was, now) in losses(&pair.before, &pair.after).changed {
        let subject = kept_subject(was, now).and_then(|subject| {
            let examined = Examined::of(subject, (&pair.before, was), (&pair.after, now))?;
            examined.edited(language, edited)
        });
        found.extend(subject.map(|name| (now.node, name)));
    }
    found.extend(by_name(pair).filter_map(|(node, examined)| {
        let name = examined.edited(language, edited)?;
        Some((node, name))
    }));
    if language == Language::Go
        && let Some(row) = changed_row(pair.before.node, pair.after.node)
    {
        let subject = row.subjects(pair.after.node).into_iter().filter(|name| edited().contains(name)).min();
        found.extend(subject.map(|name| (row.node, name)));
    }
    found
}

/// More assertions of one test are not looked at for the names of values.
const MOST_NAMED: usize = 100;

/// Assertions that stayed to the letter, and compare with a name that was given another literal.
fn by_name<'p, 't>(pair: &'p Paired<'t>) -> impl Iterator<Item = (Node<'t>, Examined<'p>)> {
    let (before, after) = (&pair.before, &pair.after);
    let alike = |unit: &'p Unit<'t>, one: &'p Assertion<'t>| {
        let all = unit.assertions.iter().take(MOST_NAMED);
        all.filter(move |other| other.text == one.text && other.operands == one.operands)
    };
    after.assertions.iter().take(MOST_NAMED).filter_map(move |now| {
        let [one, other] = now.operands.as_slice() else { return None };
        if now.strength != Strength::Exact || alike(before, now).count() != alike(after, now).count() {
            return None;
        }
        let at = alike(after, now).position(|other| other.node == now.node)?;
        let was = alike(before, now).nth(at)?;
        let (then, today) = (before_of(before, was), before_of(after, now));
        let is_other = |name: &[u8]| {
            let values = then.value(name).zip(today.value(name));
            values.is_some_and(|(was, now)| is_fixed(was) && is_fixed(now) && !is_same(was, now))
        };
        let (name, subject) = [(one, other), (other, one)]
            .into_iter()
            .find(|(name, _)| root(name) == Some(name.as_slice()) && is_other(name))?;
        let examined = Examined::of(subject, (before, was), (after, now))?;
        // Where it is given as well, the test asks something else now.
        let given = words(examined.subject).chain(words(examined.value)).any(|word| word == name);
        (!given).then_some((now.node, examined))
    })
}

fn before_of<'p>(unit: &'p Unit<'_>, assertion: &Assertion<'_>) -> Before<'p> {
    Before::of(unit.node.bytes(), assertion.node.range().start.saturating_sub(unit.node.range().start))
}

/// An expression that is examined before and after, and the value of the name that it begins with.
struct Examined<'p> {
    subject: &'p [u8],
    value: &'p [u8],
}

impl<'p> Examined<'p> {
    /// `None` where the test gives it something else now.
    fn of(
        subject: &'p [u8],
        (before, was): (&'p Unit<'_>, &Assertion<'_>),
        (after, now): (&'p Unit<'_>, &Assertion<'_>),
    ) -> Option<Self> {
        let (then, today) = (before_of(before, was), before_of(after, now));
        let value = root(subject).and_then(|name| today.value(name)).unwrap_or_default();
        same_inputs(subject, then, today).then_some(Examined { subject, value })
    }

    /// The function that it calls, if that was edited.
    fn edited<'e>(&self, language: Language, edited: impl Fn() -> &'e HashSet<String>) -> Option<String> {
        let names = || {
            let bare = [self.subject, self.value].into_iter().filter_map(|text| read(text, language));
            called(self.subject).chain(called(self.value)).chain(bare)
        };
        names().next()?;
        let edited = edited();
        names().find(|name| edited.contains(*name)).map(str::to_owned)
    }
}

/// The expression that both examine, where all that changed is the literal it is compared with.
fn kept_subject<'a>(was: &'a Assertion<'_>, now: &Assertion<'_>) -> Option<&'a [u8]> {
    let exact = was.strength == now.strength && matches!(was.strength, Strength::Exact | Strength::Close(_));
    if !exact {
        return None;
    }
    let new = fixed_beside(now, was);
    let is_other = |operand: &&[u8]| !new.iter().any(|now| is_same(operand, now));
    let fixed: Vec<&[u8]> = fixed_beside(was, now).into_iter().filter(is_other).collect();
    let kept = || was.operands.iter().filter(|operand| now.operands.contains(operand));
    // Beside two that stay, a text is what is said where they differ.
    let is_said =
        kept().count() > 1 && fixed.iter().all(|text| text.ends_with(b"\"") || text.ends_with(b"'"));
    if fixed.is_empty() || new.is_empty() || is_said {
        return None;
    }
    // `Shop.price(2)` looks like a value that is made, and may well be what is examined.
    let subject = kept().find(|operand| !is_fixed(operand));
    subject.or_else(|| kept().find(|operand| !is_literal(operand))).map(Vec::as_slice)
}

/// The literals of an assertion that another does not have.
fn fixed_beside<'a>(one: &'a Assertion<'_>, other: &Assertion<'_>) -> Vec<&'a [u8]> {
    let only = one.operands.iter().filter(|operand| !other.operands.contains(operand));
    only.map(|operand| unnamed(operand)).filter(|operand| is_fixed(operand)).collect()
}

/// `1000` and `1_000` are one value, and so is a text in either kind of quotes.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let value = |literal: &[u8]| -> Vec<u8> {
        let is_number = literal.first().is_some_and(u8::is_ascii_digit);
        let kept = literal.iter().filter(|byte| !(is_number && **byte == b'_'));
        kept.map(|byte| if *byte == b'\'' { b'"' } else { *byte }).collect()
    };
    value(one) == value(other)
}

/// Kotlin and C# may name what they are given: `expected = 3`.
fn unnamed(operand: &[u8]) -> &[u8] {
    const NAMES: [&[u8]; 2] = [b"expected=", b"expected:"];
    NAMES.iter().find_map(|name| operand.strip_prefix(*name)).unwrap_or(operand)
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
