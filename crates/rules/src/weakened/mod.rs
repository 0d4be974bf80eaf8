//! Tests that prove less after a change than before.

mod found;
mod runner;
mod sham;
mod skips;

use std::collections::{HashMap, HashSet};

use domain::change::{RepoPath, Side};
use domain::ports::{ReviewRequest, Reviewer};
use domain::review::Finding;

use crate::context::FileContext;
use crate::copies::as_rules_see;
use crate::language::Language;
use crate::reviewer::RulesReviewer;
use crate::rules::{Unit, asserting, units};
use crate::syntax::{Tree, parse, table};

use sham::Shams;

/// Rules that tell of tests which prove less than they seem to.
const RULES: [&str; 8] = [
    "skipped-test",
    "focused-test",
    "test-removed",
    "test-without-assertion",
    "trivial-assertion",
    "assertion-removed",
    "swallowed-assertion",
    "unreached-assertion",
];

/// How a change makes the tests prove less than before, in a sentence each: tests that are gone, moved away, skipped,
/// left early or assert less, and settings of test runners that leave some out.
///
/// Stricter than a review, for somebody whose task is to make code better and not tests: a test that was only renamed
/// counts as gone, and neither a comment in the code nor a reason in a marker excuses anything.
pub fn weakened_tests(request: &ReviewRequest<'_>) -> Vec<String> {
    let seen = as_rules_see(request);
    let files = FileContext::all(seen.iter().map(AsRef::as_ref), *request);
    let after: Vec<Vec<Test>> = files.iter().map(|file| in_file(file, request, Side::New)).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, test) in
        after.iter().enumerate().flat_map(|(index, tests)| tests.iter().map(move |t| (index, t)))
    {
        let known = places.entry(test.name.as_str()).or_default();
        if known.last() != Some(&index) && known.len() < MOST_PLACES {
            known.push(index);
        }
    }
    let mut sentences = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let before = in_file(file, request, Side::Old);
        let Some(old) = file.change.old.as_ref().map(|side| &side.path) else { continue };
        for test in &before {
            let name = &test.name;
            let places = places.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
            let runs = |place: &&usize| found::is_found(files[**place].change.path(), old);
            match (places.first(), places.iter().find(runs)) {
                (None, _) => sentences.push(format!("the test `{name}` of {old} is gone")),
                (Some(_), Some(_)) => {}
                (Some(place), None) => sentences.push(format!(
                    "the test `{name}` of {old} was moved to {}, where it may not be run",
                    files[*place].change.path()
                )),
            }
        }
        sentences.extend(compared(old, &before, &after[index]));
    }
    let counted: HashSet<String> = sentences.iter().filter_map(|told| test_of(told)).collect();
    let reported: Vec<(String, String)> = findings(request)
        .into_iter()
        .filter(|finding| {
            !COUNTED.contains(&finding.rule.as_str())
                || test_of(&finding.message).is_none_or(|test| !counted.contains(&test))
        })
        .map(|finding| (finding.location().to_string(), finding.message))
        .collect();
    let told: HashSet<&str> = reported.iter().map(|(location, _)| location.as_str()).collect();
    let skips = files.iter().flat_map(skips::added).filter(|location| !told.contains(location.as_str()));
    sentences.extend(skips.map(|location| format!("{location}: tests are switched off here")));
    sentences.extend(files.iter().flat_map(runner::changed));
    sentences.extend(reported.iter().map(|(location, message)| format!("{location}: {message}")));
    sentences
}

/// Rules that tell of a test what may have been told by counting.
const COUNTED: [&str; 2] = ["assertion-removed", "test-removed"];

/// The test that a sentence is about: the first thing it names.
fn test_of(sentence: &str) -> Option<String> {
    sentence.split('`').nth(1).map(str::to_owned)
}

/// A name that more files share tells nothing.
const MOST_PLACES: usize = 50;

struct Test {
    name: String,
    assertions: usize,
    shams: Shams,
}

impl Test {
    fn new(test: &Unit<'_>) -> Test {
        Test { name: test.name.clone(), assertions: test.assertions.len(), shams: Shams::of(test) }
    }
}

/// With the language of that side: a file that moved may have changed it.
fn in_file(file: &FileContext<'_>, request: &ReviewRequest<'_>, side: Side) -> Vec<Test> {
    let Some(there) = file.change.side(side) else { return Vec::new() };
    let language = Language::of(&there.path);
    if side == Side::Old && language != Language::Unknown && language != file.language {
        let text = request.sources.read(file.change, side).ok().flatten();
        let tree = text.zip(table(language, &there.path)).and_then(|(text, table)| parse(&text, table));
        return tree.map(|tree| in_tree(&tree)).unwrap_or_default();
    }
    let tree = match side {
        Side::Old => file.base_tree(),
        Side::New => file.tree(),
    };
    tree.map(in_tree).unwrap_or_default()
}

/// The tests of a file; a call of a function that asserts counts as an assertion.
fn in_tree(tree: &Tree) -> Vec<Test> {
    let helpers = asserting(tree, |_| true);
    units(tree, &helpers).iter().filter(|unit| unit.is_test).map(Test::new).collect()
}

/// What each test that is on both sides has less, or more of what does no good. Tests of one name count together.
fn compared(old: &RepoPath, before: &[Test], after: &[Test]) -> Vec<String> {
    let now = summed(after);
    let mut was: Vec<(&str, (usize, Shams))> = summed(before).into_iter().collect();
    was.sort_by_key(|(name, _)| *name);
    let mut told = Vec::new();
    for (name, (assertions, shams)) in was {
        let Some((asserts_now, shams_now)) = now.get(name) else { continue };
        if *asserts_now < assertions {
            told.push(format!("the test `{name}` of {old} asserts less than before"));
        }
        told.extend(shams_now.beyond(&shams).map(|sham| format!("the test `{name}` of {old} {sham}")));
    }
    told
}

fn summed(tests: &[Test]) -> HashMap<&str, (usize, Shams)> {
    let mut sums: HashMap<&str, (usize, Shams)> = HashMap::new();
    for test in tests {
        let (assertions, shams) = sums.entry(test.name.as_str()).or_default();
        *assertions += test.assertions;
        shams.add(&test.shams);
    }
    sums
}

fn findings(request: &ReviewRequest<'_>) -> Vec<Finding> {
    let found =
        RulesReviewer::default().review(request).map(|evidence| evidence.findings).unwrap_or_default();
    found.into_iter().filter(|finding| RULES.contains(&finding.rule.as_str())).collect()
}
