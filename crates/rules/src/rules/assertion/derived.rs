//! Assertions about something that follows from what was asserted: of `total() == 3` no more than `total() > 0` is left.

use super::compare::{Weakening, is_expression, is_nothing_much};
use super::read::Assertion;
use super::scan::links;
use super::strength::Strength;

/// How what is examined now has to do with what was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is worked out from it: `len(x)` of `x`.
    WorkedOut,
    /// It is a number or a type that many values have in common.
    Counted,
    /// A part of it was examined: `x.name`, and now `x`.
    Whole,
}

/// Fewer bytes stand in everything.
const FEWEST: usize = 3;

/// How the second assertion is about what the first was, where they do not examine the very same.
pub(super) fn relation(was: &Assertion<'_>, now: &Assertion<'_>) -> Option<Relation> {
    let examined = |assertion: &'_ Assertion<'_>| -> Vec<Vec<u8>> {
        assertion.operands.iter().filter(|operand| is_expression(operand)).cloned().collect()
    };
    let (before, after) = (examined(was), examined(now));
    before.iter().filter(|operand| operand.len() >= FEWEST).find_map(|before| {
        after.iter().filter(|operand| operand.len() >= FEWEST).find_map(|after| between(before, after))
    })
}

fn between(before: &[u8], after: &[u8]) -> Option<Relation> {
    if before == after {
        return None;
    }
    if let Some(rest) = before.strip_prefix(after) {
        let joint = [&b"."[..], b"?.", b"!.", b"->", b"["].iter().any(|joint| rest.starts_with(joint));
        return joint.then_some(Relation::Whole);
    }
    holds_word(after, before).then(|| match is_counted(after) {
        true => Relation::Counted,
        false => Relation::WorkedOut,
    })
}

/// Whether a text stands in another by itself, and not as the end or the beginning of a longer name.
fn holds_word(text: &[u8], word: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    memchr::memmem::find_iter(text, word).take(MOST_PLACES).any(|at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let begins = !before.last().is_some_and(|byte| is_name(byte) || *byte == b'.')
            || before.ends_with(b"typeof")
            || before.ends_with(b"await")
            || before.ends_with(b"try");
        begins && !after.first().is_some_and(is_name)
    })
}

const MOST_PLACES: usize = 20;

fn is_counted(text: &[u8]) -> bool {
    const BEFORE: [&[u8]; 6] = [b"len(", b"typeof", b"type(", b"count(", b"size(", b"strlen("];
    const BEHIND: [&[u8]; 9] = [
        b".length",
        b".length()",
        b".size",
        b".size()",
        b".len()",
        b".count",
        b".count()",
        b".Count",
        b".Length",
    ];
    BEFORE.iter().any(|word| text.starts_with(word)) || BEHIND.iter().any(|word| text.ends_with(word))
}

/// One value was asked for, and now something that many values have.
pub(super) fn weaker(was: &Assertion<'_>, now: &Assertion<'_>) -> Option<Weakening> {
    let exact = was.strength == Strength::Exact
        && was.operands.len() > 1
        && !was.operands.iter().any(|operand| is_nothing_much(operand));
    let relation = relation(was, now).filter(|_| exact)?;
    match (relation, now.strength) {
        (_, Strength::Presence | Strength::Order | Strength::Part) | (Relation::Counted, Strength::Exact) => {
            Some(Weakening::ToPart)
        }
        _ => None,
    }
}

/// A call was to be made with one value, and now with any: `verify(store).save(any())`.
pub(super) fn takes_anything(was: &Assertion<'_>, now: &Assertion<'_>) -> bool {
    let custom = [was, now].iter().all(|one| matches!(one.strength, Strength::Custom | Strength::Helper));
    custom && anything(now) > anything(was) && outer_words(was) == outer_words(now)
}

fn anything(assertion: &Assertion<'_>) -> usize {
    const ANY: [&[u8]; 7] =
        [b"any()", b"anyString()", b"anyInt()", b"anyLong()", b"It.IsAny<", b"anything()", b"gomock.Any()"];
    let count = |word: &&[u8]| memchr::memmem::find_iter(&assertion.text, word).take(MOST_PLACES).count();
    ANY.iter().map(count).sum()
}

/// What is called, and on what: `verify(store).save` of `verify(store).save(x)`.
fn outer_words(assertion: &Assertion<'_>) -> Vec<Vec<u8>> {
    let text = match assertion.text.iter().position(|byte| *byte == b'{') {
        // Kotlin says it in a block.
        Some(at) if assertion.text.ends_with(b"}") => &assertion.text[at + 1..assertion.text.len() - 1],
        _ => &assertion.text,
    };
    links(text).into_iter().map(|link| link.word.to_vec()).collect()
}
