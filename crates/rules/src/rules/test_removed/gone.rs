//! Tests that were taken out of a file that stays, and that were neither moved, renamed nor replaced.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::change::RepoPath;
use domain::words::Severity;

use super::super::assertion::{Credit, Pairing, Unit, called, has_twin, hides, is_kept, lost_words, words};
use super::super::skip_marks::{Tests, skip};
use super::files::is_written_anew;
use super::written::{Instead, Written};
use super::{is_cut_down, takes_code_away};
use crate::context::{ChangeContext, FileContext};
use crate::reporter::{Draft, Reporter};
use crate::source::Source;
use crate::syntax::Notion;

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

/// How many tests of a file went, came and stayed.
#[derive(Debug, Default, Clone, Copy)]
struct Balance {
    gone: usize,
    new: usize,
    stay: usize,
}

fn balances<'p>(pairing: &'p Pairing<'_>) -> HashMap<&'p RepoPath, Balance> {
    let mut balances: HashMap<&RepoPath, Balance> = HashMap::new();
    for (file, _) in pairing.new.iter().filter(|(_, unit)| unit.is_test) {
        balances.entry(file.change.path()).or_default().new += 1;
    }
    for (file, _) in pairing.gone.iter().filter(|(_, unit)| unit.is_test) {
        balances.entry(file.change.path()).or_default().gone += 1;
    }
    for pair in pairing.paired.iter().filter(|pair| pair.before.is_test) {
        balances.entry(pair.file.change.path()).or_default().stay += 1;
    }
    balances
}

/// All that was told of one file whose tests are all gone.
struct Emptied<'p> {
    file: &'p FileContext<'p>,
    first: &'p Unit<'p>,
    others: usize,
}

pub(super) fn check(change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
    let opens = |text: &[u8]| OPENINGS.iter().any(|opening| memchr::memmem::find(text, opening).is_some());
    let may_lose = |file: &FileContext<'_>| file.change.removed().any(|(_, text)| opens(text)) || hides(file);
    if !change.files.iter().any(may_lose) {
        return;
    }
    let pairing = change.pairing();
    let (balances, written) = (balances(pairing), Written::of(pairing));
    let takes_away = change.files.iter().any(|file| takes_code_away(file) || is_cut_down(file));
    let mut lost: Option<HashSet<Vec<u8>>> = None;
    let mut switched_off: HashMap<&RepoPath, HashSet<String>> = HashMap::new();
    let mut emptied: BTreeMap<&RepoPath, Emptied<'_>> = BTreeMap::new();
    let mut credit: Option<Credit<'_, '_>> = None;
    let (mut told, mut looked) = (0, 0);
    for (file, unit) in pairing.gone.iter().filter(|(file, unit)| unit.is_test && file.change.new.is_some()) {
        let path = file.change.path();
        let (Some(base), Some(head)) = (file.base(), file.head()) else { continue };
        if unit.assertions.is_empty() || told == MOST_TOLD {
            continue;
        }
        let balance = balances.get(path).copied().unwrap_or_default();
        let instead = written.instead_of(path, unit);
        let lost = lost.get_or_insert_with(|| lost_words(change.files));
        let about_what_went = words(unit.node.bytes()).any(|word| lost.contains(word));
        if (instead == Instead::Equal && balance.new >= balance.gone) || about_what_went {
            continue;
        }
        looked += 1;
        let off = switched_off.entry(path).or_insert_with(|| off_in(file, pairing));
        let mut stands = || {
            let credit = credit.get_or_insert_with(|| Credit::of(pairing));
            is_kept(pairing, file, unit) || credit.spend_all(unit) || has_twin(change, file, unit)
        };
        if off.contains(&unit.name) || (looked <= MOST_LOOKED_FOR && stands()) {
            continue;
        }
        let function = function_of(pairing, file, unit, head);
        let idle = function == Function::Idle;
        let excused = matches!(instead, Instead::Equal | Instead::Other)
            || function == Function::Called
            || takes_away
            || is_written_by_macro(pairing, file);
        let is_last = balance.stay == 0 && !idle && !is_written_anew(change, file);
        if is_last && !excused {
            let known = emptied.entry(path).or_insert(Emptied { file, first: unit, others: 0 });
            known.others += usize::from(!std::ptr::eq(known.first, unit));
            continue;
        }
        told += 1;
        let subject = subject(unit, head);
        let message = message(unit, idle, instead, subject.as_deref());
        let sure = (subject.is_some() || idle) && !excused;
        let severity = if sure { Severity::Major } else { Severity::Medium };
        report.add_in(file.change, Draft::removed(base, unit.node.line(), message).severity(severity));
    }
    for one in emptied.into_values() {
        tell_emptied(&one, report);
    }
}

fn message(unit: &Unit<'_>, idle: bool, instead: Instead, subject: Option<&str>) -> String {
    let name = &unit.name;
    match subject {
        _ if idle => format!("`{name}` is still here, but no longer run as a test"),
        Some(subject) if instead == Instead::Weaker => {
            format!("The test `{name}` is gone, and those that came ask for less of `{subject}`")
        }
        Some(subject) => {
            format!("The test `{name}` is gone, while `{subject}`, which it called, is still tested here")
        }
        None => format!("The test `{name}` is gone"),
    }
}

/// As much is lost as if the file had been deleted.
fn tell_emptied(emptied: &Emptied<'_>, report: &mut Reporter<'_>) {
    let Some(base) = emptied.file.base() else { return };
    let name = &emptied.first.name;
    let message = match emptied.others {
        0 => format!("The test `{name}` is gone, the last one that was here, but no code with it"),
        others => {
            format!("The test `{name}` and {others} more are gone, all that were here, but no code with them")
        }
    };
    report.add_in(emptied.file.change, Draft::removed(base, emptied.first.node.line(), message));
}

/// Something the test called that the file still calls.
fn subject(unit: &Unit<'_>, head: &Source) -> Option<String> {
    let mut names = called(unit).into_iter();
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

/// Whether the change brings a macro to the file that writes tests: what they are called and ask for stands in no tree.
fn is_written_by_macro(pairing: &Pairing<'_>, file: &FileContext<'_>) -> bool {
    let writes = |unit: &Unit<'_>| {
        unit.name.ends_with('!') && memchr::memmem::find(unit.node.bytes(), b"#[test]").is_some()
    };
    pairing.new.iter().any(|(other, unit)| std::ptr::eq(*other, file) && writes(unit))
}

/// What became of the function of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Gone,
    /// It is still there, and nobody runs it: neither the framework nor anything else in the file.
    Idle,
    /// Others call it now.
    Called,
}

fn function_of(pairing: &Pairing<'_>, file: &FileContext<'_>, unit: &Unit<'_>, head: &Source) -> Function {
    let stays = |other: &FileContext<'_>, now: &Unit<'_>| {
        std::ptr::eq(other, file) && now.key == unit.key && !now.is_test
    };
    if !pairing.new.iter().any(|(other, now)| stays(other, now)) {
        return Function::Gone;
    }
    match words(head.code()).filter(|word| *word == unit.name.as_bytes()).count() {
        1 => Function::Idle,
        _ => Function::Called,
    }
}
