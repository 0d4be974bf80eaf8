//! What a test asks less for than it did.

use std::collections::HashMap;

use super::derived;
use super::find::Unit;
use super::read::{AWAITED, Assertion};
use super::scan::is_literal;
use super::strength::Strength;
use crate::pattern::Pattern;
use crate::syntax::Notion;

/// How a test on one side differs from the same on the other.
#[derive(Debug, Default)]
pub(crate) struct Difference<'a, 't> {
    pub(crate) losses: Vec<Loss<'a, 't>>,
    /// Assertions of the same thing, before and after, of which neither is weaker.
    pub(crate) changed: Vec<(&'a Assertion<'t>, &'a Assertion<'t>)>,
}

/// What got lost.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss<'a, 't> {
    /// Nothing stands in its place.
    Gone(&'a Assertion<'t>),
    /// Others were written, fewer than there were.
    Replaced(&'a Assertion<'t>),
    Weaker {
        now: &'a Assertion<'t>,
        how: Weakening,
    },
}

/// How an assertion got weaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weakening {
    ToPresence,
    ToOrder,
    ToPart,
    ToCloseness,
    Tolerance,
    AnyFailure,
    Shortened,
    /// It is left out of builds with optimisation.
    DebugOnly,
    /// It is about a promise, and its outcome comes when the test is over.
    NotAwaited,
}

impl Weakening {
    pub(crate) fn told(self) -> &'static str {
        match self {
            Weakening::ToPresence => "it asked for one value and now only for any",
            Weakening::ToOrder => "it asked for one value and now leaves open which",
            Weakening::ToPart => "it asked for one value and now for a part or shape of it",
            Weakening::ToCloseness => "it asked for one value and now for one nearby",
            Weakening::Tolerance => "it allows more deviation than before",
            Weakening::AnyFailure => "it asked for a certain failure and now takes any",
            Weakening::Shortened => "it asks for fewer things than before",
            Weakening::DebugOnly => "it is no longer there in optimised builds",
            Weakening::NotAwaited => "nobody waits for its outcome any more",
        }
    }

    /// Whether there is hardly ever a good reason for it.
    pub(crate) fn is_serious(self) -> bool {
        match self {
            Weakening::ToPresence | Weakening::ToOrder | Weakening::Tolerance | Weakening::NotAwaited => true,
            Weakening::ToPart
            | Weakening::ToCloseness
            | Weakening::AnyFailure
            | Weakening::Shortened
            | Weakening::DebugOnly => false,
        }
    }
}

/// Markers of a test that is run once per case.
static CASES: Pattern = Pattern::new(
    r"parametrize|\brstest|#\[case|test_case|ParameterizedTest|\bTheory\b|InlineData|\bTestCase\b|ValueSource|dataProvider|\.each\b|\bsubTest\b|t\.Run\(|\barguments:|\bwithData\(|\bforAll\(",
);

/// More assertions of one test are not compared one by one.
const MOST_COMPARED: usize = 100;

/// Compares the assertions of one test.
pub(crate) fn losses<'a, 't>(before: &'a Unit<'t>, after: &'a Unit<'t>) -> Difference<'a, 't> {
    let (was, now) = (unmatched(before, after), unmatched(after, before));
    let mut difference = Difference::default();
    let too_many = (was.len() > MOST_COMPARED && !now.is_empty()) || now.len() > MOST_COMPARED;
    if was.is_empty() || too_many || runs_cases(before, after) {
        return difference;
    }
    let mut used = vec![false; now.len()];
    let mut alone = Vec::new();
    // More than there were may ask for the parts of one thing, each by itself.
    let in_parts = now.len() > was.len();
    for assertion in was {
        let Some(at) = partner(assertion, &now, &used) else {
            if !now.iter().any(|other| says_of_failure(other, assertion)) {
                alone.push(assertion);
            }
            continue;
        };
        used[at] = true;
        let derived = || derived::weaker(assertion, now[at]).filter(|_| !in_parts);
        match weaker(assertion, now[at]).or_else(derived) {
            Some(how) => difference.losses.push(Loss::Weaker { now: now[at], how }),
            None => difference.changed.push((assertion, now[at])),
        }
    }
    let fresh: Vec<&Assertion<'_>> =
        now.iter().zip(&used).filter(|(_, used)| !**used).map(|(assertion, _)| *assertion).collect();
    let absorbs = |assertion: &&Assertion<'_>| {
        matches!(assertion.strength, Strength::Custom | Strength::Helper)
            || assertion.node.ancestors().any(|around| around.is(Notion::Loop))
    };
    // What asks for several things at once may be taken for the partner of one of them.
    let is_helper = |assertion: &&Assertion<'_>| match assertion.strength {
        Strength::Helper => true,
        Strength::Custom => !before.assertions.iter().any(|was| callee(was) == callee(assertion)),
        _ => false,
    };
    if fresh.iter().any(absorbs) || now.iter().any(is_helper) || fresh.len() >= alone.len() {
        return difference;
    }
    let lost = |assertion| if fresh.is_empty() { Loss::Gone(assertion) } else { Loss::Replaced(assertion) };
    let spare = fresh.len();
    difference.losses.extend(alone.into_iter().skip(spare).map(lost));
    difference
}

/// Whether a failure that is asked for names what was asked of it before: `raises(E, match="no such")` for
/// `assert "no such" in str(e.value)`.
fn says_of_failure(now: &Assertion<'_>, was: &Assertion<'_>) -> bool {
    const FEWEST: usize = 6;
    let is_text = |operand: &&Vec<u8>| operand.len() >= FEWEST && b"\"'".contains(&operand[0]);
    let inner = |operand: &[u8]| operand[1..operand.len() - 1].to_vec();
    now.strength == Strength::Failure
        && was
            .operands
            .iter()
            .filter(is_text)
            .any(|operand| memchr::memmem::find(&now.text, &inner(operand)).is_some())
}

fn callee<'a>(assertion: &'a Assertion<'_>) -> &'a [u8] {
    assertion.text.split(|byte| *byte == b'(').next().unwrap_or_default()
}

fn runs_cases(before: &Unit<'_>, after: &Unit<'_>) -> bool {
    let cases = |unit: &Unit<'_>| {
        let head = unit.node.bytes();
        CASES.regex().find_iter(&unit.markers).count()
            + CASES.regex().find_iter(&head[..head.len().min(100_000)]).count()
    };
    cases(after) > cases(before)
}

/// The assertions of one side that the other does not have to the letter.
pub(super) fn unmatched<'a, 't>(unit: &'a Unit<'t>, other: &Unit<'_>) -> Vec<&'a Assertion<'t>> {
    let mut there: HashMap<&[u8], usize> = HashMap::new();
    for assertion in &other.assertions {
        *there.entry(&assertion.text).or_default() += 1;
    }
    let is_there = |assertion: &&Assertion<'_>| match there.get_mut(assertion.text.as_slice()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    unit.assertions.iter().filter(is_there).collect()
}

/// The assertion about the same thing: one that nobody took before one that is taken.
fn partner(was: &Assertion<'_>, now: &[&Assertion<'_>], used: &[bool]) -> Option<usize> {
    let find = |fits: &dyn Fn(usize, &Assertion<'_>) -> bool| {
        now.iter().enumerate().find(|(at, assertion)| fits(*at, assertion)).map(|(at, _)| at)
    };
    find(&|at, assertion| !used[at] && shares(was, assertion))
        .or_else(|| find(&|at, assertion| !used[at] && covers(was, assertion)))
        .or_else(|| find(&|_, assertion| covers(was, assertion) && assertion.strength != Strength::Presence))
}

/// Whether both are about the same expression, or both about failing.
fn shares(was: &Assertion<'_>, now: &Assertion<'_>) -> bool {
    let fails =
        |assertion: &Assertion<'_>| matches!(assertion.strength, Strength::Failure | Strength::AnyFailure);
    let about = |operand: &Vec<u8>| is_expression(operand) && now.operands.contains(operand);
    (fails(was) && fails(now)) || was.operands.iter().any(about)
}

/// Whether the second is about what the first took a part of: `a.b` and `a`.
fn covers(was: &Assertion<'_>, now: &Assertion<'_>) -> bool {
    let root = |operand: &[u8]| -> Vec<u8> {
        let operand = DERIVED.iter().find_map(|word| operand.strip_prefix(*word)).unwrap_or(operand);
        operand.iter().copied().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').collect()
    };
    let roots: Vec<Vec<u8>> =
        now.operands.iter().filter(|operand| is_expression(operand)).map(|o| root(o)).collect();
    was.operands.iter().filter(|operand| is_expression(operand)).any(|operand| {
        let root = root(operand);
        !root.is_empty() && !NOBODY.contains(&root.as_slice()) && roots.contains(&root)
    }) || derived::relation(was, now).is_some()
}

/// What asks for something that follows from the value itself.
const DERIVED: [&[u8]; 7] = [b"len(", b"sorted(", b"list(", b"set(", b"sum(", b"str(", b"count("];

/// Words that an expression begins with whatever it is about.
const NOBODY: [&[u8]; 6] = [b"self", b"this", b"Some", b"Ok", b"await", b"new"];

pub(super) fn is_expression(operand: &[u8]) -> bool {
    !is_literal(operand)
        && operand.first().is_some_and(|byte| !byte.is_ascii_digit() && !b"\"'`".contains(byte))
}

fn weaker(was: &Assertion<'_>, now: &Assertion<'_>) -> Option<Weakening> {
    // What is compared with `!x` is true or false itself.
    let exact_of_nothing =
        was.operands.iter().any(|operand| is_nothing_much(operand) || operand.starts_with(b"!"));
    if derived::takes_anything(was, now) {
        return Some(Weakening::ToPart);
    }
    // To be sure, both have to examine the very same thing.
    if !shares(was, now) {
        return None;
    }
    let in_debug = |assertion: &Assertion<'_>| {
        assertion.asks.last().is_some_and(|word| word.starts_with("debug_assert"))
    };
    let awaited = |assertion: &Assertion<'_>| assertion.text.starts_with(AWAITED);
    if awaited(was) && !awaited(now) && was.text.get(AWAITED.len()..) == Some(now.text.as_slice()) {
        return Some(Weakening::NotAwaited);
    }
    match (was.strength, now.strength) {
        (Strength::Exact, Strength::Presence) if exact_of_nothing || was.operands.len() < 2 => None,
        (Strength::Exact, Strength::Presence) => Some(Weakening::ToPresence),
        (Strength::Exact, Strength::Order) => Some(Weakening::ToOrder),
        (Strength::Exact, Strength::Part) if !exact_of_nothing => Some(Weakening::ToPart),
        (Strength::Exact, Strength::Close(tolerance)) => {
            tolerance.is_none_or(|tolerance| tolerance > 1e-6).then_some(Weakening::ToCloseness)
        }
        (Strength::Close(Some(was)), Strength::Close(Some(now))) if now > was => Some(Weakening::Tolerance),
        (Strength::Close(_), Strength::Presence | Strength::Order) => Some(Weakening::ToOrder),
        // Of a pattern only what every value fits is left.
        (Strength::Part, Strength::Part)
            if now.operands.len() == 1 && was.operands.len() > 1 && !exact_of_nothing =>
        {
            Some(Weakening::ToPart)
        }
        (Strength::Part, Strength::Presence) if was.operands.len() > 1 && !exact_of_nothing => {
            Some(Weakening::ToPart)
        }
        (Strength::Failure, Strength::AnyFailure | Strength::Presence | Strength::Order) => {
            Some(Weakening::AnyFailure)
        }
        (one, other) if one == other && in_debug(now) && !in_debug(was) => Some(Weakening::DebugOnly),
        (one, other) if one == other && is_shortened(&was.asks, &now.asks) => Some(Weakening::Shortened),
        _ => None,
    }
}

/// `x == true` and `x` say the same, so do `len(x) == 0` and `is_empty`.
pub(super) fn is_nothing_much(operand: &[u8]) -> bool {
    const VALUES: [&[u8]; 16] = [
        b"true",
        b"false",
        b"True",
        b"False",
        b"None",
        b"null",
        b"nil",
        b"undefined",
        b"0",
        b"\"\"",
        b"''",
        b"[]",
        b"{}",
        b"vec![]",
        b"()",
        b"Ok(())",
    ];
    VALUES.contains(&operand)
}

/// Of a chain of demands some were taken out, and nothing was put in.
fn is_shortened(was: &[String], now: &[String]) -> bool {
    let mut left = was.iter();
    was.len() > now.len() + usize::from(now.is_empty()) && now.iter().all(|ask| left.any(|had| had == ask))
}
