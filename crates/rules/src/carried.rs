//! What a change only moved, or wrote in another way, was there before: it is not the doing of the change.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;
use domain::change::{RepoPath, Side, Status};
use domain::review::{Finding, Place};
use domain::words::{Dimension, Severity};

use crate::context::FileContext;
use crate::rule::RuleInfo;
use crate::rules::marker_nodes;
use crate::syntax::{Tree, functions, tests};

/// What a finding says, and of what: as much of it as stays the same wherever it stands and however it is formatted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct What {
    rule: String,
    severity: Severity,
    message: String,
    /// The function or test around it. Outside of all of them, its line without white space.
    place: String,
}

/// The file and the types and modules in which a function stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Home {
    path: RepoPath,
    container: String,
}

/// A sin, and where it is or was.
#[derive(Debug, Clone)]
pub(crate) struct Sin {
    what: What,
    home: Home,
}

/// A finding that may be an old sin.
#[derive(Debug)]
pub(crate) struct Suspect {
    sin: Sin,
    /// Whether a function of this name stood in the same place before. If so, no other accounts for what it does now.
    stood: bool,
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
) -> HashMap<usize, Suspect> {
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
        let places = Places::of(file.touched_tree());
        let before = Places::of(file.base_tree()).names();
        found.extend(mine.iter().filter_map(|at| {
            let sin = sin(&findings[*at], &places)?;
            let stood = before.contains(&(sin.home.container.clone(), sin.what.place.clone()));
            Some((*at, Suspect { sin, stood }))
        }));
    }
    found
}

/// What the findings about one file say that is as it was. Their home is the file as the change leaves it.
pub(crate) fn sins<'f>(
    findings: &'f [Finding],
    file: &FileContext<'_>,
) -> impl Iterator<Item = Sin> + use<'f> {
    let places = if findings.is_empty() { Places::default() } else { Places::of(file.touched_tree()) };
    let path = file.change.old.as_ref().map(|side| side.path.clone());
    findings.iter().filter_map(move |finding| {
        let mut sin = sin(finding, &places)?;
        sin.home.path = path.clone().unwrap_or(sin.home.path);
        Some(sin)
    })
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
    let around = places.around(anchor.start);
    let squeezed = || anchor.text.chars().filter(|c| !c.is_whitespace()).collect();
    Some(Sin {
        what: What {
            rule: finding.rule.clone(),
            severity: finding.severity,
            message: as_said(&finding.message),
            place: around.map_or_else(squeezed, |place| place.name.clone()),
        },
        home: Home {
            path: anchor.path.clone(),
            container: around.map(|place| place.container.clone()).unwrap_or_default(),
        },
    })
}

/// The functions and tests of a file with the lines they take, their markers included.
#[derive(Debug, Default)]
struct Places {
    /// In the order in which they begin, the larger first.
    named: Vec<NamedPlace>,
    /// For each, the one before it that may go on around it.
    around: Vec<Option<usize>>,
}

#[derive(Debug)]
struct NamedPlace {
    first: u32,
    last: u32,
    container: String,
    name: String,
}

impl Places {
    fn of(tree: Option<&Tree>) -> Self {
        let Some(tree) = tree else { return Places::default() };
        let functions = functions(tree).into_iter();
        let functions =
            functions.map(|function| (function.node, function.container.to_owned(), function.name));
        let tests = tests(tree).into_iter().map(|test| (test.node, String::new(), test.name));
        let named = functions.chain(tests).map(|(node, container, name)| {
            let markers = marker_nodes(node).into_iter().map(|marker| marker.line());
            let first = markers.fold(node.line(), u32::min);
            NamedPlace { first, last: node.end_line(), container, name }
        });
        Places::sorted(named.collect())
    }

    fn sorted(mut named: Vec<NamedPlace>) -> Self {
        named.sort_by_key(|place| (place.first, std::cmp::Reverse(place.last)));
        named.dedup_by_key(|place| (place.first, place.last));
        let mut around: Vec<Option<usize>> = Vec::with_capacity(named.len());
        for (at, place) in named.iter().enumerate() {
            // From the one before it outwards: those that end before it do not hold it.
            let mut holder = at.checked_sub(1);
            while let Some(ended) = holder.filter(|holder| named[*holder].last < place.first) {
                holder = around[ended];
            }
            around.push(holder);
        }
        Places { named, around }
    }

    /// The smallest that holds a line.
    fn around(&self, line: u32) -> Option<&NamedPlace> {
        let before = self.named.partition_point(|place| place.first <= line);
        let outwards = std::iter::successors(before.checked_sub(1), |at| self.around[*at]);
        let holding = outwards.filter_map(|at| self.named.get(at)).filter(|place| place.last >= line);
        holding.min_by_key(|place| place.last - place.first)
    }

    /// With what they stand in.
    fn names(self) -> HashSet<(String, String)> {
        self.named.into_iter().map(|place| (place.container, place.name)).collect()
    }
}

/// The files from which one of these may have been taken away: their own, and those that lost a line with the name of
/// what is around one of them.
pub(crate) fn losing<'a, 'c>(
    findings: &[Finding],
    suspects: &HashMap<usize, Suspect>,
    files: &'a [FileContext<'c>],
) -> Vec<&'a FileContext<'c>> {
    let own: HashSet<&RepoPath> = suspects.keys().filter_map(|at| findings[*at].path()).collect();
    let names: HashSet<&str> = suspects.values().map(|suspect| suspect.sin.what.place.as_str()).collect();
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
    suspects: &HashMap<usize, Suspect>,
    taken: impl Iterator<Item = Sin>,
) -> Vec<Finding> {
    let mut left: HashMap<What, Vec<Home>> = HashMap::new();
    for sin in taken {
        left.entry(sin.what).or_default().push(sin.home);
    }
    let is_carried = |at: usize| {
        let Some(suspect) = suspects.get(&at) else { return false };
        let Some(homes) = left.get_mut(&suspect.sin.what) else { return false };
        let accounts = homes.iter().position(|home| !suspect.stood || *home == suspect.sin.home);
        accounts.map(|at| homes.swap_remove(at)).is_some()
    };
    let kept: Vec<bool> = (0..findings.len()).map(is_carried).map(|carried| !carried).collect();
    findings.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(finding, _)| finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(first: u32, last: u32, name: &str) -> NamedPlace {
        NamedPlace { first, last, container: String::new(), name: name.to_owned() }
    }

    fn name(places: &Places, line: u32) -> Option<&str> {
        places.around(line).map(|place| place.name.as_str())
    }

    #[test]
    fn a_line_belongs_to_the_smallest_place_around_it() {
        let of = |named: &[(u32, u32, &str)]| {
            Places::sorted(named.iter().map(|(first, last, name)| place(*first, *last, name)).collect())
        };
        let places =
            of(&[(1, 20, "outer"), (3, 5, "first"), (3, 5, "same"), (7, 12, "second"), (9, 9, "inner")]);
        let lines = [0, 1, 4, 6, 8, 9, 10, 13, 20, 21];
        let names = lines.map(|line| name(&places, line).unwrap_or("-"));
        assert_eq!(
            names,
            ["-", "outer", "first", "outer", "second", "inner", "second", "outer", "outer", "-"]
        );
        assert_eq!(name(&of(&[(1, 9, "a"), (5, 12, "b")]), 7), Some("b"), "they overlap");
        assert_eq!(name(&of(&[]), 1), None);
    }

    #[test]
    fn many_places_are_searched_fast() {
        let many = (0..200_000).map(|n| place(n * 2 + 1, n * 2 + 2, &n.to_string())).collect();
        let places = Places::sorted(many);
        assert!((1..400_000).all(|line| name(&places, line) == Some(((line - 1) / 2).to_string().as_str())));
    }
}
