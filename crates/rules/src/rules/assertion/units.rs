//! The tests of a change, each beside what it was before.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use domain::change::Side;
use rayon::prelude::*;

use super::super::coordination::may_hide;
use super::find::{Unit, asserting, units};
use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Item, ItemKind, Tree, functions, items};

/// A test on both sides. It may have moved from one file to another.
#[derive(Debug)]
pub(crate) struct Paired<'t> {
    pub(crate) file: &'t FileContext<'t>,
    pub(crate) moved_to: &'t FileContext<'t>,
    pub(crate) before: Unit<'t>,
    pub(crate) after: Unit<'t>,
}

/// All tests of the files that may have lost something.
#[derive(Debug, Default)]
pub(crate) struct Pairing<'t> {
    pub(crate) paired: Vec<Paired<'t>>,
    /// Tests that are nowhere any more.
    pub(crate) gone: Vec<Placed<'t>>,
    /// Tests that were nowhere before.
    pub(crate) new: Vec<Placed<'t>>,
    /// How often each assertion stands in the change before and after.
    pub(crate) counts: HashMap<Vec<u8>, (usize, usize)>,
    /// The words of the tests after the change, and of what they may call.
    named: HashSet<Vec<u8>>,
}

impl Pairing<'_> {
    /// Whether somebody runs it: a function that is no test asserts nothing as long as no test calls it.
    pub(crate) fn runs(&self, unit: &Unit<'_>) -> bool {
        is_run(&self.named, unit)
    }
}

fn is_run(named: &HashSet<Vec<u8>>, unit: &Unit<'_>) -> bool {
    /// What frameworks call by themselves.
    const HOOKS: [&str; 5] = ["setup", "teardown", "before", "after", "init"];
    let lower = [unit.name.as_bytes(), &unit.markers].concat().to_ascii_lowercase();
    unit.is_test
        || HOOKS.iter().any(|hook| memchr::memmem::find(&lower, hook.as_bytes()).is_some())
        // `TEST` is what defines tests, and calls none.
        || unit.name.contains(char::is_lowercase)
            && named.contains(unit.name.trim_end_matches('!').as_bytes())
}

/// Of a function that is no test without its own name.
fn words_of(unit: &Unit<'_>) -> impl Iterator<Item = Vec<u8>> {
    let own = |word: &&[u8]| !unit.is_test && *word == unit.name.as_bytes();
    words(unit.node.bytes()).filter(move |word| !own(word)).map(<[u8]>::to_vec)
}

struct Sides<'t> {
    file: &'t FileContext<'t>,
    before: BTreeMap<String, Unit<'t>>,
    after: BTreeMap<String, Unit<'t>>,
}

/// What a removed line holds if an assertion may have gone with it.
const SIGNS: [&[u8]; 20] = [
    b"test",
    b"Test",
    b"Fact",
    b"REQUIRE",
    b"CHECK",
    b" must",
    b"assert",
    b"Assert",
    b"ASSERT",
    b"expect",
    b"Expect",
    b"EXPECT",
    b"should",
    b"Should",
    b"verify",
    b"raises",
    b"require",
    b"check",
    b"refute",
    b"math.Abs(",
];

fn holds_sign(text: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let begins =
        |at: usize| at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|byte| !is_word(byte));
    static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SIGNS).ok());
    SEARCH.as_ref().is_none_or(|search| search.is_match(text))
        // The test as Go hands it to its functions.
        || memchr::memmem::find_iter(text, b"t.").any(begins)
}

/// Whether a line with an assertion or a test is gone, or a new line may keep some from being run.
fn loses(file: &FileContext<'_>) -> bool {
    file.skipped.is_none()
        && file.language.is_program()
        && (file.change.removed().any(|(_, text)| holds_sign(text) || asks(text, file.language))
            || (file.is_test_file() && file.change.removed().any(|(_, text)| is_row(text)))
            || hides(file))
}

/// Whether it may be how a test compares, in Go by hand, or what it is run with.
fn asks(text: &[u8], language: Language) -> bool {
    let text = text.trim_ascii_start();
    match language {
        Language::Go => {
            text.starts_with(b"if ")
                || text.starts_with(b"want")
                || memchr::memmem::find(text, b"[]struct").is_some()
        }
        Language::Rust => text.starts_with(b"#[case"),
        Language::CSharp => text.starts_with(b"[InlineData") || text.starts_with(b"[DataRow"),
        Language::Java | Language::Kotlin => {
            text.starts_with(b"@ValueSource") || text.starts_with(b"@CsvSource")
        }
        Language::JavaScript | Language::TypeScript => memchr::memmem::find(text, b".each").is_some(),
        _ => false,
    }
}

/// Whether a line may be a case in a list of them.
fn is_row(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let ends = text.last().is_some_and(|byte| b",)}]\"'".contains(byte));
    let begins = text.first().is_some_and(|byte| b"({[\"'".contains(byte));
    // `${1} | ${2}` in a table of JavaScript, which is a text; and a list that has a name.
    begins && ends || text.starts_with(b"${") || memchr::memmem::find(text, b"= [").is_some()
}

/// Whether the change may have put tests that it did not touch into a comment, a string or a branch that is never taken.
pub(crate) fn hides(file: &FileContext<'_>) -> bool {
    const NEVER: [&[u8]; 3] = [b"alse", b"ALSE", b"0"];
    let is_never = |code: &[u8]| NEVER.iter().any(|word| memchr::memmem::find(code, word).is_some());
    let sets_apart = |text: &[u8]| {
        let code = text.trim_ascii();
        code.starts_with(b"#[cfg(") || (code.starts_with(b"if") && is_never(code))
    };
    file.change.added().any(|(_, text)| may_hide(text) || sets_apart(text))
}

/// Asks a file for the trees that [`pairs`] will want of it, while each can still be made from the other.
pub(super) fn prepare(file: &FileContext<'_>) {
    if loses(file) && may_hold_tests(file) {
        file.tree();
        file.base_tree();
    }
}

/// The tests of a change. Files that lost no line with an assertion or a test are only looked at for what moved there.
pub(crate) fn pairs<'t>(files: &'t [FileContext<'t>]) -> Pairing<'t> {
    let losing: Vec<bool> = files.par_iter().map(loses).collect();
    if !losing.contains(&true) {
        return Pairing::default();
    }
    let gains = |file: &FileContext<'_>| {
        file.skipped.is_none() && file.language.is_program() && file.added().any(|line| holds_sign(line.text))
    };
    let sides: Vec<Sides<'t>> = files
        .par_iter()
        .zip(losing)
        .filter(|(file, loses)| *loses || gains(file))
        .filter_map(|(file, _)| sides(file))
        .collect();
    let mut pairing = Pairing::default();
    let after = sides.iter().flat_map(|side| side.after.values());
    pairing.named = after.flat_map(words_of).collect();
    for side in &sides {
        count(&mut pairing.counts, side.before.values(), Side::Old);
        let run = side.after.values().filter(|unit| is_run(&pairing.named, unit));
        count(&mut pairing.counts, run, Side::New);
    }
    let (mut before, mut after): (Vec<Placed<'_>>, Vec<Placed<'_>>) = (Vec::new(), Vec::new());
    for mut side in sides {
        for (key, unit) in side.before {
            // A function that nobody runs as a test any more is none.
            let stays = |now: &Unit<'_>| now.is_test || !unit.is_test;
            let now = if side.after.get(&key).is_some_and(stays) { side.after.remove(&key) } else { None };
            match now {
                Some(now) => {
                    pairing.paired.push(Paired {
                        file: side.file,
                        moved_to: side.file,
                        before: unit,
                        after: now,
                    });
                }
                None => before.push((side.file, unit)),
            }
        }
        after.extend(side.after.into_values().map(|unit| (side.file, unit)));
    }
    find_moved(&mut pairing, before, after);
    pairing
}

fn count<'u, 't: 'u>(
    counts: &mut HashMap<Vec<u8>, (usize, usize)>,
    units: impl Iterator<Item = &'u Unit<'t>>,
    side: Side,
) {
    for assertion in units.flat_map(|unit| &unit.assertions) {
        let (before, after) = counts.entry(assertion.text.clone()).or_default();
        match side {
            Side::Old => *before += 1,
            Side::New => *after += 1,
        }
    }
}

fn sides<'t>(file: &'t FileContext<'t>) -> Option<Sides<'t>> {
    if !may_hold_tests(file) {
        return None;
    }
    let (base, head) = (file.base_tree(), file.tree());
    let was_in = |line| file.is_test_file() || file.base().is_some_and(|base| base.in_test(line));
    // What a helper lost is told of at the helper: on both sides calling it counts.
    let mut helpers = base.map(|base| asserting(base, was_in)).unwrap_or_default();
    helpers.extend(head.map(|head| asserting(head, |line| file.in_test(line))).unwrap_or_default());
    let before = base.map(|base| units(base, &helpers)).unwrap_or_default();
    let after = head.map(|head| units(head, &helpers)).unwrap_or_default();
    let was_in_test =
        |unit: &Unit<'_>| unit.is_test || (!unit.assertions.is_empty() && was_in(unit.node.line()));
    let is_in_test = |unit: &Unit<'_>| unit.is_test || file.in_test(unit.node.line());
    let before: BTreeMap<_, _> = merged(before.into_iter().filter(was_in_test));
    let after: BTreeMap<_, _> = merged(after.into_iter().filter(is_in_test));
    (!before.is_empty() || !after.is_empty()).then_some(Sides { file, before, after })
}

/// One of them stands in every file of tests in Rust.
const SIGNS_OF_TESTS: [&[u8]; 4] = [b"assert!", b"assert_", b"test]", b"#[test"];

/// Where tests go by their names, only files that are named as tests have them.
fn may_hold_tests(file: &FileContext<'_>) -> bool {
    let marks: &[&[u8]] = match file.language {
        Language::Rust => &[b"test"],
        Language::Java | Language::Kotlin | Language::Scala | Language::Php => &[b"Test", b"Property"],
        Language::CSharp => &[b"Test", b"Fact", b"Theory"],
        _ => &[],
    };
    let marked = |text: &[u8]| marks.iter().any(|mark| memchr::memmem::find(text, mark).is_some());
    let any_side = |fits: &dyn Fn(&[u8]) -> bool| {
        [file.base(), file.head()].into_iter().flatten().any(|source| fits(source.text()))
    };
    if file.language == Language::Rust && file.is_test_file() && !is_apart(file) {
        let has = |text: &[u8], mark: &[u8]| memchr::memmem::find(text, mark).is_some();
        return any_side(&|text| SIGNS_OF_TESTS.iter().any(|mark| has(text, mark)));
    }
    file.is_test_file() || any_side(&marked)
}

/// Whether a folder says that it holds tests. `src/test_runs.rs` may well be what runs them.
fn is_apart(file: &FileContext<'_>) -> bool {
    file.change.path().folders().any(|folder| folder.starts_with(b"test"))
}

/// Tests of one name count together.
fn merged<'t>(units: impl Iterator<Item = Unit<'t>>) -> BTreeMap<String, Unit<'t>> {
    let mut merged: BTreeMap<String, Unit<'t>> = BTreeMap::new();
    for unit in units {
        match merged.get_mut(&unit.key) {
            Some(known) => known.assertions.extend(unit.assertions),
            None => {
                merged.insert(unit.key.clone(), unit);
            }
        }
    }
    merged
}

/// More tests that went and came are not compared with each other.
const MOST_MOVED: usize = 200;

type Placed<'t> = (&'t FileContext<'t>, Unit<'t>);

/// What frameworks let a test be called without saying so: `add` of `testAdd`, `test_add` and `Add`.
fn plain_name(name: &str) -> String {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match plain.strip_prefix("test") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => plain,
    }
}

/// A test may have gone to another file by its name, or stayed under another name.
fn find_moved<'t>(pairing: &mut Pairing<'t>, before: Vec<Placed<'t>>, after: Vec<Placed<'t>>) {
    let mut by_name: HashMap<(String, bool), Vec<usize>> = HashMap::new();
    for (at, (_, unit)) in after.iter().enumerate().rev() {
        by_name.entry((unit.name.clone(), unit.is_test)).or_default().push(at);
    }
    let mut after: Vec<Option<Placed<'t>>> = after.into_iter().map(Some).collect();
    let mut gone = Vec::new();
    for (file, unit) in before {
        let same = by_name.get_mut(&(unit.name.clone(), unit.is_test)).and_then(Vec::pop);
        match same.and_then(|at| after[at].take()) {
            Some((moved_to, now)) => pairing.paired.push(Paired { file, moved_to, before: unit, after: now }),
            None => gone.push((file, unit)),
        }
    }
    let mut by_plain_name: HashMap<(String, bool), Vec<usize>> = HashMap::new();
    for (at, (_, unit)) in after.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?))) {
        by_plain_name.entry((plain_name(&unit.name), unit.is_test)).or_default().push(at);
    }
    let mut nowhere = Vec::new();
    for (file, unit) in gone {
        // What two tests may be is neither.
        let same = by_plain_name.get(&(plain_name(&unit.name), unit.is_test));
        let only = same.and_then(|same| same.first().filter(|_| same.len() == 1));
        match only.and_then(|at| after[*at].take()) {
            Some((moved_to, now)) => pairing.paired.push(Paired { file, moved_to, before: unit, after: now }),
            None => nowhere.push((file, unit)),
        }
    }
    let gone = nowhere;
    let mut new: Vec<Placed<'t>> = after.into_iter().flatten().collect();
    let comparable = gone.len() <= MOST_MOVED && new.len() <= MOST_MOVED;
    for (file, unit) in gone {
        let lines = lines(&unit);
        let renamed = new.iter().position(|(other, now)| {
            comparable && std::ptr::eq(*other, file) && now.is_test == unit.is_test && is_alike(&lines, now)
        });
        match renamed {
            Some(at) => {
                let (moved_to, now) = new.swap_remove(at);
                pairing.paired.push(Paired { file, moved_to, before: unit, after: now });
            }
            None => pairing.gone.push((file, unit)),
        }
    }
    pairing.new = new;
}

fn lines<'t>(unit: &Unit<'t>) -> HashSet<&'t [u8]> {
    let text = unit.node.bytes().split(|byte| *byte == b'\n').skip(1);
    text.map(<[u8]>::trim_ascii).filter(|line| line.len() > 3).take(500).collect()
}

fn is_alike(was: &HashSet<&[u8]>, now: &Unit<'_>) -> bool {
    let now = lines(now);
    let common = was.intersection(&now).count();
    common > 0 && common * 2 > was.len() && common * 2 > now.len()
}

/// The words that went out of the code of the change: what a test said of them went with them.
pub(crate) fn lost_words(files: &[FileContext<'_>]) -> HashSet<Vec<u8>> {
    let mut lost: HashSet<Vec<u8>> = HashSet::new();
    let code = || files.iter().filter(|file| file.language.is_program() && !file.is_test_file());
    for file in code() {
        let in_test =
            |line: u32| file.language == Language::Rust && file.base().is_some_and(|base| base.in_test(line));
        for (line, text) in file.change.removed() {
            if !in_test(line) {
                lost.extend(words(text).map(<[u8]>::to_vec));
            }
        }
    }
    if !lost.is_empty() {
        for head in code().filter_map(FileContext::head) {
            for word in words(head.text()) {
                lost.remove(word);
            }
        }
        lost.extend(lost_functions(&code().collect::<Vec<_>>()));
    }
    lost
}

/// The fields of types, and the variants of enumerations.
fn fields(tree: &Tree) -> Vec<Item<'_>> {
    items(tree).into_iter().filter(|item| matches!(item.kind, ItemKind::Field | ItemKind::Variant)).collect()
}

/// The names of functions and fields that are defined nowhere in the change any more, though the word may still be used for
/// something else.
fn lost_functions(code: &[&FileContext<'_>]) -> HashSet<Vec<u8>> {
    /// Shorter ones, `new` and `get`, are the names of too much else.
    const SHORTEST: usize = 4;
    let mut lost: HashMap<String, String> = HashMap::new();
    for file in code.iter().filter(|file| file.change.removed().next().is_some()) {
        for one in file.base_tree().map(functions).unwrap_or_default() {
            let gone = file.touched_lines().base(one.name_node);
            if gone && !one.is_test && one.name.len() >= SHORTEST {
                lost.insert(one.path(), one.name);
            }
        }
        for one in file.base_tree().map(fields).unwrap_or_default() {
            if file.touched_lines().base(one.name_node) && one.name.len() >= SHORTEST {
                lost.insert(one.path(), one.name);
            }
        }
    }
    if !lost.is_empty() {
        for tree in code.iter().filter_map(|file| file.tree()) {
            let paths = functions(tree).into_iter().map(|one| one.path());
            for path in paths.chain(fields(tree).into_iter().map(|one| one.path())) {
                lost.remove(&path);
            }
        }
    }
    lost.into_values().map(String::into_bytes).collect()
}

/// The names and numbers in a text.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').filter(|word| word.len() > 1)
}
