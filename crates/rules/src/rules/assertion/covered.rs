//! What a test asserted that is gone, found in those that stay.

use std::collections::HashSet;

use super::cases::cases;
use super::find::Unit;
use super::read::Assertion;
use super::units::Pairing;
use crate::context::FileContext;

/// More tests and cases are not looked through.
const MOST_UNITS: usize = 200;
const MOST_CASES: usize = 200;

/// Whether everything that a test asserted is still asserted: word for word beside something else, or as cases that
/// another test is run with.
pub(crate) fn is_kept(pairing: &Pairing<'_>, file: &FileContext<'_>, unit: &Unit<'_>) -> bool {
    stands_elsewhere(pairing, file, unit) || is_among_cases(pairing, unit)
}

/// Whether all of its lines are in tests that have more of them than before, and each of its assertions as often.
fn stands_elsewhere(pairing: &Pairing<'_>, file: &FileContext<'_>, unit: &Unit<'_>) -> bool {
    let is_there = |assertion: &Assertion<'_>| {
        pairing.counts.get(&assertion.text).is_some_and(|(before, after)| after >= before)
    };
    if !unit.assertions.iter().all(is_there) {
        return false;
    }
    // A function that is no test asserts nothing as long as nobody calls it.
    let tests = pairing.paired.iter().map(|pair| (pair.moved_to, &pair.after));
    let tests = tests.chain(pairing.new.iter().map(|(file, unit)| (*file, unit)));
    let tests = tests.filter(|(other, test)| test.is_test && std::ptr::eq(*other, file)).take(MOST_UNITS);
    let there: HashSet<&[u8]> = tests
        .flat_map(|(_, test)| test.node.bytes().split(|byte| *byte == b'\n'))
        .map(<[u8]>::trim_ascii)
        .collect();
    let lines = unit.node.bytes().split(|byte| *byte == b'\n').skip(1).map(<[u8]>::trim_ascii);
    lines.filter(|line| line.len() > 3).all(|line| there.contains(line))
}

/// Whether for each of its assertions another test has a case, with which it asserts the same of the same function.
pub(crate) fn is_among_cases(pairing: &Pairing<'_>, unit: &Unit<'_>) -> bool {
    let stay = pairing.paired.iter().map(|pair| &pair.after);
    let tests = stay.chain(pairing.new.iter().map(|(_, unit)| unit)).filter(|other| other.is_test);
    let tables: Vec<Table> = tests.take(MOST_UNITS).filter_map(Table::of).collect();
    !tables.is_empty()
        && !unit.assertions.is_empty()
        && unit.assertions.iter().all(|assertion| {
            let wanted = values(assertion.node.bytes());
            let calls = calls(assertion);
            tables.iter().any(|table| table.holds(&wanted, &calls))
        })
}

/// A test with the values of its cases.
struct Table {
    rows: Vec<Vec<Vec<u8>>>,
    /// What each of its assertions says besides, and calls.
    asserted: Vec<(Vec<Vec<u8>>, HashSet<String>)>,
}

impl Table {
    fn of(unit: &Unit<'_>) -> Option<Self> {
        let rows: Vec<Vec<Vec<u8>>> = cases(unit).iter().take(MOST_CASES).map(|row| values(row)).collect();
        let asserted = unit.assertions.iter().take(10).map(|one| (values(one.node.bytes()), calls(one)));
        (!rows.is_empty()).then(|| Table { rows, asserted: asserted.collect() })
    }

    fn holds(&self, wanted: &[Vec<u8>], calls: &HashSet<String>) -> bool {
        self.asserted.iter().filter(|(_, called)| !called.is_disjoint(calls)).any(|(said, _)| {
            self.rows.iter().any(|row| {
                let mut together: Vec<Vec<u8>> = row.iter().chain(said).cloned().collect();
                together.sort_unstable();
                together == wanted
            })
        })
    }
}

/// What an assertion calls, apart from what makes it one.
fn calls(assertion: &Assertion<'_>) -> HashSet<String> {
    const ASSERTS: [&str; 12] = [
        "assert",
        "expect",
        "toBe",
        "toEqual",
        "toStrict",
        "toMatch",
        "toContain",
        "equal",
        "strictEqual",
        "deep",
        "Equal",
        "should",
    ];
    let nodes = assertion.node.descendants().take(200);
    let names = nodes.filter_map(|node| node.call()).map(|call| call.name());
    names.filter(|name| !ASSERTS.iter().any(|word| name.starts_with(word))).collect()
}

/// The numbers, texts and other fixed values in a text, in order of their own.
fn values(text: &[u8]) -> Vec<Vec<u8>> {
    const WORDS: [&[u8]; 8] = [b"True", b"False", b"None", b"true", b"false", b"null", b"nil", b"undefined"];
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        let rest = &text[at..];
        let length = if b"\"'`".contains(&byte) {
            let end = rest.iter().skip(1).position(|other| *other == byte).map_or(rest.len(), |end| end + 1);
            found.push(rest[1..end.max(1)].to_vec());
            end + 1
        } else if is_word(byte) {
            let length = rest.iter().take_while(|byte| is_word(**byte)).count();
            let word = &rest[..length];
            if byte.is_ascii_digit() {
                let is_negative = at.checked_sub(1).is_some_and(|before| text[before] == b'-');
                let sign: &[u8] = if is_negative { b"-" } else { b"" };
                found.push([sign, word].concat());
            } else if WORDS.contains(&word) {
                found.push(word.to_ascii_lowercase());
            }
            length
        } else {
            1
        };
        at += length;
    }
    found.sort_unstable();
    found
}
