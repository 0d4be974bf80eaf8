//! Whether a repository tests code such as a change brings, as far as a bounded look at its base tells.

use std::collections::HashSet;

use domain::change::{RepoPath, Side};

use super::words::words;
use crate::context::{ChangeContext, FileContext};
use crate::language::{Language, is_test_path};
use crate::neighbours::{Sample, SampleReach, neighbours};
use crate::syntax::{ItemKind, Tree, functions, items};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestHabit {
    /// A test may be asked for: the repository has them, or is too young to have habits.
    Tested,
    /// Code like this goes without tests here.
    Untested,
    /// Tests that were there already name what the change brings.
    Waiting,
}

/// So many files of the base are listed.
const MOST_LISTED: usize = 2_000;

/// Fewer files do not make a habit.
const FEWEST_SOURCES: usize = 3;

/// So many files of code may share one file of tests.
const SOURCES_PER_TEST: usize = 10;

/// Files of code that are looked into for tests of their own.
const BESIDE: Sample = Sample { files: 16, bytes: 512 * 1024, reach: SampleReach::Repository };

pub(super) fn test_habit(
    change: &ChangeContext<'_>,
    biggest: &FileContext<'_>,
    code: &[(&FileContext<'_>, usize)],
) -> TestHabit {
    let language = biggest.language;
    let root = RepoPath::from_bytes(Vec::new());
    let listed = change.request.sources.list_base_below(&root, MOST_LISTED).unwrap_or_default();
    let (tests, sources): (Vec<RepoPath>, Vec<RepoPath>) =
        listed.into_iter().filter(|path| is_kin(Language::of(path), language)).partition(is_test_path);
    if sources.len() < FEWEST_SOURCES {
        return if names_in_tests(change, &tests, code) { TestHabit::Waiting } else { TestHabit::Tested };
    }
    let beside = !tests.is_empty() && tests.len() * SOURCES_PER_TEST >= sources.len();
    if !beside && !are_tested_inside(change, biggest, language) {
        return TestHabit::Untested;
    }
    if names_in_tests(change, &tests, code) { TestHabit::Waiting } else { TestHabit::Tested }
}

/// Tests may be written in the other of two languages that go together.
fn is_kin(one: Language, other: Language) -> bool {
    let family = |language: Language| match language {
        Language::JavaScript => Language::TypeScript,
        Language::Kotlin => Language::Java,
        Language::C => Language::Cpp,
        language => language,
    };
    family(one) == family(other)
}

/// Rust keeps tests beside the code. Where at least half of the files have some, it is a habit.
fn are_tested_inside(change: &ChangeContext<'_>, biggest: &FileContext<'_>, language: Language) -> bool {
    if language != Language::Rust {
        return false;
    }
    let beside = neighbours(change, &[biggest], language, BESIDE);
    let tested = beside.iter().filter(|one| {
        [&b"#[test]"[..], b"cfg(test)"]
            .iter()
            .any(|mark| memchr::memmem::find(one.source.text(), mark).is_some())
    });
    !beside.is_empty() && tested.count() * 2 >= beside.len()
}

/// So many files of tests are read, and so much of each.
const MOST_TESTS: usize = 24;
const LARGEST_TEST: usize = 256 * 1024;

/// A shorter name may be anybody's.
const SHORTEST_FUNCTION: usize = 8;
const SHORTEST_TYPE: usize = 5;

fn names_in_tests(
    change: &ChangeContext<'_>,
    tests: &[RepoPath],
    code: &[(&FileContext<'_>, usize)],
) -> bool {
    if tests.is_empty() {
        return false;
    }
    let names: HashSet<Vec<u8>> = code.iter().flat_map(|(file, _)| new_names(file)).collect();
    let tests = tests.iter().take(MOST_TESTS);
    let mut texts = tests.filter_map(|path| change.request.sources.read_path(path, Side::Old).ok()?);
    texts.any(|text| words(&text[..text.len().min(LARGEST_TEST)]).any(|word| names.contains(word)))
}

/// Functions and types that the change brings.
fn new_names(file: &FileContext<'_>) -> Vec<Vec<u8>> {
    let (base, head) = file.sides();
    let known: HashSet<String> =
        base.map(|base| named(base).map(|(_, name)| name).collect()).unwrap_or_default();
    let touched = file.touched_lines();
    let all = head.into_iter().flat_map(named);
    all.filter(|(line, name)| touched.is_added(*line) && !known.contains(name))
        .map(|(_, name)| name.into_bytes())
        .collect()
}

/// With the line of each.
fn named(tree: &Tree) -> impl Iterator<Item = (u32, String)> {
    let functions = functions(tree).into_iter().filter(|one| one.name.len() >= SHORTEST_FUNCTION);
    let types =
        items(tree).into_iter().filter(|one| one.kind == ItemKind::Type && one.name.len() >= SHORTEST_TYPE);
    let functions = functions.map(|one| (one.name_line(), one.name));
    functions.chain(types.map(|one| (one.name_node.line(), one.name)))
}
