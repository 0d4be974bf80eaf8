//! Assertions that went from one test to another, in whatever form: what is asked for elsewhere from now on is not gone.
//!
//! Credited is an assertion of the same about the same, that the change brings and that is no weaker. One accounts for one.

use std::cell::Cell;
use std::collections::HashSet;

use super::called::called;
use super::compare::{is_expression, is_nothing_much, unmatched};
use super::failure::failing_calls;
use super::find::Unit;
use super::read::{AWAITED, Assertion};
use super::scan::is_literal;
use super::strength::Strength;
use super::units::{Paired, Pairing, words};

/// More that came is not looked through.
const MOST_FRESH: usize = 5_000;

/// A shorter text or number is asked for everywhere.
const FEWEST_TELLING: usize = 4;

/// The assertions that a change brings.
#[derive(Debug, Default)]
pub(crate) struct Credit<'p, 't> {
    fresh: Vec<Fresh<'p, 't>>,
}

#[derive(Debug)]
struct Fresh<'p, 't> {
    assertion: &'p Assertion<'t>,
    operands: Vec<Operand<'p>>,
    unit: &'p Unit<'t>,
    spent: Cell<bool>,
}

impl<'p, 't> Credit<'p, 't> {
    pub(crate) fn of(pairing: &'p Pairing<'t>) -> Self {
        let paired = pairing.paired.iter().map(|pair| (&pair.after, unmatched(&pair.after, &pair.before)));
        let new = pairing.new.iter().map(|(_, unit)| (unit, unit.assertions.iter().collect::<Vec<_>>()));
        let run = paired.chain(new).filter(|(unit, _)| pairing.runs(unit));
        let fresh = run.flat_map(|(unit, assertions)| assertions.into_iter().map(move |one| (unit, one)));
        let fresh = fresh.take(MOST_FRESH).map(|(unit, assertion)| Fresh {
            assertion,
            operands: assertion.operands.iter().map(|one| Operand::of(one)).collect(),
            unit,
            spent: Cell::new(false),
        });
        Credit { fresh: fresh.collect() }
    }

    /// Whether something new asks for what an assertion of a test asked for. What accounts for one is spent.
    pub(super) fn spend(&self, was: &Assertion<'_>, pair: &Paired<'_>) -> bool {
        let found = self.find(was, &pair.before, Some(&pair.after));
        found.inspect(|fresh| fresh.spent.set(true)).is_some()
    }

    /// The same for all that a test asserted; nothing is spent where something is left.
    pub(crate) fn spend_all(&self, unit: &Unit<'_>) -> bool {
        let mut spent: Vec<&Fresh<'_, '_>> = Vec::new();
        for was in &unit.assertions {
            let Some(fresh) = self.find(was, unit, None) else {
                spent.into_iter().for_each(|fresh| fresh.spent.set(false));
                return false;
            };
            fresh.spent.set(true);
            spent.push(fresh);
        }
        !unit.assertions.is_empty()
    }

    fn find(&self, was: &Assertion<'_>, unit: &Unit<'_>, now: Option<&Unit<'_>>) -> Option<&Fresh<'p, 't>> {
        let operands: Vec<Operand<'_>> = was.operands.iter().map(|one| Operand::of(one)).collect();
        let mut calls: Option<HashSet<String>> = None;
        // What the test calls itself now is about what it was about.
        let is_helper = |other: &Unit<'_>| {
            !other.is_test
                && now.is_some_and(|now| words(now.node.bytes()).any(|word| word == other.name.as_bytes()))
        };
        let mut shares_call = |other: &Unit<'_>| {
            let calls = calls.get_or_insert_with(|| called(unit).into_iter().collect());
            other.name == unit.name
                || is_helper(other)
                || called(other).iter().any(|name| calls.contains(name))
        };
        self.fresh.iter().filter(|fresh| !fresh.spent.get()).find(|fresh| {
            let now = fresh.assertion;
            if fails(was) {
                return fails_alike(was, now);
            }
            if was.text == now.text {
                return !operands.is_empty() || shares_call(fresh.unit);
            }
            if rank(now) < rank(was) || !is_as_strict(was, now) {
                return false;
            }
            match asks_same(was, &operands, &fresh.operands) {
                SubjectMatch::Yes => true,
                // Of another variable: it has to come from the same.
                SubjectMatch::ButVariable => shares_call(fresh.unit),
                SubjectMatch::No => false,
            }
        })
    }
}

fn fails(assertion: &Assertion<'_>) -> bool {
    matches!(assertion.strength, Strength::Failure | Strength::AnyFailure)
}

/// Whether both ask that the same call fails, and the second is no vaguer about how.
fn fails_alike(was: &Assertion<'_>, now: &Assertion<'_>) -> bool {
    let is_vaguer = was.strength == Strength::Failure && now.strength == Strength::AnyFailure;
    fails(now) && !is_vaguer && !failing_calls(was).is_disjoint(&failing_calls(now))
}

/// How much an assertion asks for, from little to much.
fn rank(assertion: &Assertion<'_>) -> u8 {
    match assertion.strength {
        Strength::Exact if assertion.operands.iter().any(|operand| is_nothing_much(operand)) => 1,
        Strength::Presence | Strength::Order => 1,
        Strength::Part => 2,
        Strength::Close(_) => 3,
        Strength::Exact | Strength::Custom => 4,
        Strength::Failure | Strength::AnyFailure | Strength::Helper => 0,
    }
}

/// Whether the second waits as the first did, allows no more, and does not ask for the opposite.
fn is_as_strict(was: &Assertion<'_>, now: &Assertion<'_>) -> bool {
    let waits = |assertion: &Assertion<'_>| assertion.text.starts_with(AWAITED);
    let is_near = match (was.strength, now.strength) {
        (Strength::Close(Some(was)), Strength::Close(Some(now))) => now <= was,
        _ => true,
    };
    (waits(now) || !waits(was)) && is_near && (rank(now) != 1 || denies(was) == denies(now))
}

fn denies(assertion: &Assertion<'_>) -> bool {
    const WORDS: [&str; 4] = ["false", "falsy", "not", "refute"];
    const SIGNS: [&[u8]; 5] = [b"(!", b"assertnot", b"isnot", b"!=", b"notin"];
    let by_word = assertion.asks.iter().any(|ask| WORDS.iter().any(|word| ask.contains(word)));
    by_word ^ SIGNS.iter().any(|sign| memchr::memmem::find(&assertion.text, sign).is_some())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SubjectMatch {
    No,
    ButVariable,
    Yes,
}

/// Whether all that was compared is compared again: the value that was asked for, and what it was asked of.
fn asks_same(was: &Assertion<'_>, before: &[Operand<'_>], after: &[Operand<'_>]) -> SubjectMatch {
    let is_message = |at: usize, operand: &Operand<'_>| {
        let is_text = operand.text.first().is_some_and(|byte| b"\"'`".contains(byte));
        is_text && (at > 1 || before.len() > 2 && at == 0 || was.strength == Strength::Presence)
    };
    let wanted: Vec<&Operand<'_>> = before
        .iter()
        .enumerate()
        .filter(|(at, operand)| !is_message(*at, operand) && !is_nothing_much(operand.text))
        .map(|(_, operand)| operand)
        .collect();
    let examined = wanted.iter().filter(|operand| is_expression(operand.text));
    let telling =
        wanted.iter().any(|operand| is_literal(operand.text) && operand.text.len() >= FEWEST_TELLING + 2);
    let mut all = SubjectMatch::Yes;
    let mut told = 0;
    for operand in &wanted {
        let best = after.iter().map(|other| operand.same_as(other)).max().unwrap_or(SubjectMatch::No);
        all = all.min(best);
        told += usize::from(is_expression(operand.text) && best != SubjectMatch::No);
    }
    // Of another variable with nothing behind it, only a value that stands nowhere else tells.
    let has_path = examined.clone().any(|operand| operand.path.len() >= FEWEST_TELLING);
    match all {
        SubjectMatch::ButVariable if !telling && !has_path => SubjectMatch::No,
        _ if told == 0 && examined.count() > 0 || wanted.is_empty() || told == 0 && !telling => {
            SubjectMatch::No
        }
        all => all,
    }
}

/// What is compared, and what of it stands behind the variable that it begins with.
#[derive(Debug)]
struct Operand<'p> {
    text: &'p [u8],
    path: Vec<u8>,
    is_variable: bool,
}

impl<'p> Operand<'p> {
    fn of(text: &'p [u8]) -> Self {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let name = text.iter().take_while(|byte| is_name(byte)).count();
        let rest = &text[name..];
        let is_variable = is_expression(text)
            && text.first().is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'_')
            && (rest.is_empty() || [&b"."[..], b"?.", b"!.", b"["].iter().any(|sign| rest.starts_with(sign)));
        Operand { text, path: plain(if is_variable { rest } else { text }), is_variable }
    }

    fn same_as(&self, other: &Operand<'_>) -> SubjectMatch {
        if self.text == other.text || self.is_variable == other.is_variable && self.is_same_beginning(other) {
            return SubjectMatch::Yes;
        }
        match self.is_variable && other.is_variable && self.path == other.path {
            true => SubjectMatch::ButVariable,
            false => SubjectMatch::No,
        }
    }

    /// The same, but for how languages write it: `cart.getTotal()` and `cart.total`.
    fn is_same_beginning(&self, other: &Operand<'_>) -> bool {
        plain(self.text) == plain(other.text)
    }
}

/// As Java and Kotlin both write it, and with one kind of quotes.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        let rest = &text[at..];
        if let Some(name) =
            rest.strip_prefix(b".get").filter(|name| name.first().is_some_and(u8::is_ascii_uppercase))
        {
            let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if name[length..].starts_with(b"()") {
                kept.push(b'.');
                kept.push(name[0].to_ascii_lowercase());
                kept.extend_from_slice(&name[1..length]);
                at += b".get".len() + length + b"()".len();
                continue;
            }
        }
        match byte {
            b'\'' | b'`' => kept.push(b'"'),
            b'?' | b'!' if rest.get(1) == Some(&b'.') => {}
            _ => kept.push(byte),
        }
        at += 1;
    }
    kept
}
