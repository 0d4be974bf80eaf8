//! What a change only moved, or wrote in another way, was there before: it is not the doing of the change.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;
use domain::change::{RepoPath, Side, Status};
use domain::review::{Finding, Place};
use domain::words::{Dimension, Severity};

use crate::context::FileContext;
use crate::rule::RuleInfo;
use crate::rules::marker_nodes;
use crate::syntax::{functions, tests};

/// What a finding says, and of what: as much of it as stays the same wherever it stands and however it is formatted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Sin {
    rule: String,
    severity: Severity,
    message: String,
    /// The function or test around it. Outside of all of them, its line without white space.
    place: String,
}

/// Whether what a rule finds may be an old sin that a change carries along. What is dangerous is told of wherever it turns up.
pub(crate) fn may_be_carried(info: &RuleInfo) -> bool {
    [Dimension::TEST_QUALITY, Dimension::REQUIREMENT_ADHERENCE].contains(&info.dimension)
        || (info.dimension == Dimension::CODE_QUALITY && info.id != "conflict-marker")
}

/// Less than this is not worth a second look.
const LEAST: Severity = Severity::Medium;

/// The findings about a file that may be old sins, by their place in the list.
pub(crate) fn suspects(
    findings: &[Finding],
    files: &[FileContext<'_>],
    may_be: impl Fn(&Finding) -> bool,
) -> HashMap<usize, Sin> {
    let wanted = |finding: &Finding| finding.severity >= LEAST && may_be(finding);
    let mut by_path: HashMap<&RepoPath, Vec<usize>> = HashMap::new();
    for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| wanted(finding)) {
        if let Some(path) = finding.path() {
            by_path.entry(path).or_default().push(at);
        }
    }
    let mut found = HashMap::new();
    for file in files.iter().filter(|_| !by_path.is_empty()) {
        let Some(mine) = by_path.get(file.change.path()) else { continue };
        let places = Places::of(file);
        found.extend(mine.iter().filter_map(|at| Some((*at, sin(&findings[*at], &places)?))));
    }
    found
}

/// What the findings about one file say.
pub(crate) fn sins<'f>(
    findings: &'f [Finding],
    file: &FileContext<'_>,
) -> impl Iterator<Item = Sin> + use<'f> {
    let places = if findings.is_empty() { Places::default() } else { Places::of(file) };
    findings.iter().filter_map(move |finding| sin(finding, &places))
}

/// Without what another place or another way to write it changes: where a function begins, and the kind of quotes.
fn as_said(message: &str) -> String {
    let begins = message.split_once(" (from line ");
    let parts = begins.and_then(|(before, rest)| Some((before, rest.split_once(')')?.1)));
    let (before, behind) = parts.unwrap_or((message, ""));
    before.chars().chain(behind.chars()).filter(|c| !['"', '\''].contains(c)).collect()
}

fn sin(finding: &Finding, places: &Places) -> Option<Sin> {
    let Place::Lines(anchor) = &finding.place else { return None };
    (anchor.side == Side::New).then_some(())?;
    let squeezed = || anchor.text.chars().filter(|c| !c.is_whitespace()).collect();
    Some(Sin {
        rule: finding.rule.clone(),
        severity: finding.severity,
        message: as_said(&finding.message),
        place: places.around(anchor.start).map_or_else(squeezed, str::to_owned),
    })
}

/// The functions and tests of a file with the lines they take, their markers included.
#[derive(Debug, Default)]
struct Places {
    named: Vec<(u32, u32, String)>,
}

impl Places {
    fn of(file: &FileContext<'_>) -> Self {
        let Some(tree) = file.touched_tree() else { return Places::default() };
        let functions = functions(tree).into_iter().map(|function| (function.node, function.name));
        let tests = tests(tree).into_iter().map(|test| (test.node, test.name));
        let named = functions.chain(tests).map(|(node, name)| {
            let markers = marker_nodes(node).into_iter().map(|marker| marker.line());
            let first = markers.fold(node.line(), u32::min);
            (first, node.end_line(), name)
        });
        Places { named: named.collect() }
    }

    /// The name of the smallest that holds a line.
    fn around(&self, line: u32) -> Option<&str> {
        let around = self.named.iter().filter(|(first, last, _)| (*first..=*last).contains(&line));
        around.min_by_key(|(first, last, _)| last - first).map(|(_, _, name)| name.as_str())
    }
}

/// The files from which one of these may have been taken away: their own, and those that lost a line with the name of
/// what is around one of them.
pub(crate) fn losing<'a, 'c>(
    findings: &[Finding],
    suspects: &HashMap<usize, Sin>,
    files: &'a [FileContext<'c>],
) -> Vec<&'a FileContext<'c>> {
    let own: HashSet<&RepoPath> = suspects.keys().filter_map(|at| findings[*at].path()).collect();
    let names: HashSet<&str> = suspects.values().map(|sin| sin.place.as_str()).collect();
    let Ok(search) = AhoCorasick::new(names.into_iter().filter(|name| !name.is_empty())) else {
        return Vec::new();
    };
    let names_one = |file: &FileContext<'_>| file.change.removed().any(|(_, text)| search.is_match(text));
    let loses = |file: &&FileContext<'_>| {
        // What a file was copied from still stands.
        file.skipped.is_none()
            && !matches!(file.change.status, Status::Added | Status::Copied(_))
            && file.change.removed().next().is_some()
            && (own.contains(file.change.path()) || names_one(file))
    };
    files.iter().filter(loses).collect()
}

/// Each that was taken away somewhere accounts for one that came.
pub(crate) fn without_carried(
    findings: Vec<Finding>,
    suspects: &HashMap<usize, Sin>,
    taken: impl Iterator<Item = Sin>,
) -> Vec<Finding> {
    let mut left: HashMap<Sin, usize> = HashMap::new();
    for sin in taken {
        *left.entry(sin).or_default() += 1;
    }
    let is_carried = |at: usize| {
        let accounts = suspects.get(&at).and_then(|sin| left.get_mut(sin)).filter(|left| **left > 0);
        accounts.map(|left| *left -= 1).is_some()
    };
    let kept: Vec<bool> = (0..findings.len()).map(is_carried).map(|carried| !carried).collect();
    findings.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(finding, _)| finding).collect()
}
