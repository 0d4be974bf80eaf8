mod renamed;
mod tokens;
mod whole;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rayon::prelude::*;

use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::{Neighbour, Sample, SampleReach, neighbours};
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::source::Source;
use crate::syntax::{Tree, functions};
use tokens::{Reading, extent, most_tokens, read};

static INFO: RuleInfo = RuleInfo {
    id: text("copied-code"),
    title: text("New code that says the same as other code of the change or of files around it"),
    why: text("What is corrected in one of them stays wrong in the other"),
    fix: text("Take what they share into a function of its own"),
    severity: Severity::Low,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(LANGUAGES),
    examples: Cow::Borrowed(&[]),
};

const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Go,
    Language::Java,
    Language::Kotlin,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Swift,
    Language::Scala,
    Language::C,
    Language::Cpp,
];

/// So many words, and so many lines, have to be the same.
const FEWEST_TOKENS: usize = 100;
const FEWEST_LINES: u32 = 8;

/// More of one file are noise.
const MOST_PER_FILE: usize = 3;

/// Larger changes are looked at as far as this goes.
const MOST_TOKENS: usize = 4_000_000;

pub(crate) struct CopiedCode;

/// One word of a function's body, with names and values taken out.
#[derive(Clone, Copy)]
struct Token {
    hash: u64,
    line: u32,
}

/// The body of one function.
struct Body {
    place: Where,
    tokens: Vec<Token>,
    /// Where it stands in its file. In bytes.
    extent: Range<usize>,
    shape: u64,
    turns: u32,
}

/// The file that a body stands in, by its index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Change(usize),
    /// One of those that the change leaves alone.
    Around(usize),
}

/// Where a piece of code begins: which body, and which word of it.
type Spot = (usize, usize);

#[derive(Clone, Copy)]
struct Copy {
    from: Spot,
    to: Spot,
    length: usize,
}

impl ChangeRule for CopiedCode {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn check(&self, change: &ChangeContext<'_>, report: &mut Reporter<'_>) {
        let own: Vec<Body> = change
            .files
            .par_iter()
            .enumerate()
            .filter(|(_, file)| is_of_interest(file))
            .flat_map_iter(|(index, file)| bodies_of(file, index))
            .collect();
        let around = around(change, &own);
        let kept = around.iter().enumerate().flat_map(|(index, one)| bodies_around(one, index));
        let bodies: Vec<Body> = kept.chain(own).collect();
        let source = |place: Where| match place {
            Where::Change(index) => change.files.get(index).and_then(FileContext::head),
            Where::Around(index) => around.get(index).map(|one| &one.source),
        };
        let copies = copies(&bodies, change.files);
        let added = |copy: Copy| as_added(copy, &bodies, change.files);
        let renamed = renamed::copies(&bodies, &copies, source).into_iter().filter_map(added);
        let whole = whole::copies(&bodies, source).into_iter().filter_map(added);
        let mut told: HashMap<usize, usize> = HashMap::new();
        for (copy, how) in copies
            .iter()
            .map(|copy| (*copy, Likeness::Same))
            .chain(whole.map(|copy| (copy, Likeness::Same)))
            .chain(renamed.map(|copy| (copy, Likeness::Renamed)))
        {
            let (to, from) = (&bodies[copy.to.0], &bodies[copy.from.0]);
            let Where::Change(index) = to.place else { continue };
            let source = match from.place {
                Where::Change(index) => change.files.get(index).map(|file| file.change.path()),
                Where::Around(index) => around.get(index).map(|one| &one.path),
            };
            let (Some(file), Some(source)) = (change.files.get(index), source) else { continue };
            let count = told.entry(index).or_default();
            let (first, last) = lines(to, copy.to.1, copy.length);
            let (other, _) = lines(from, copy.from.1, copy.length);
            *count += 1;
            if let Some(head) = file.head().filter(|_| *count <= MOST_PER_FILE) {
                let place = if to.place == from.place {
                    format!("line {other}")
                } else {
                    format!("{source}:{other}")
                };
                let count = last - first + 1;
                let (message, confidence) = match how {
                    Likeness::Same => (
                        format!("These {count} lines say the same as those from {place}"),
                        Confidence::Medium,
                    ),
                    Likeness::Renamed => (
                        format!("These {count} lines say the same with other names as those from {place}"),
                        Confidence::Low,
                    ),
                };
                report.add_in(file.change, Draft::lines(head, first, last, message).confidence(confidence));
            }
        }
    }
}

/// How a copy was found.
#[derive(Clone, Copy)]
enum Likeness {
    /// It calls the same, whatever its variables are named.
    Same,
    /// It is the same but for all of its names.
    Renamed,
}

/// What is looked at besides the change, per language.
const AROUND: Sample = Sample { files: 64, bytes: 1024 * 1024, reach: SampleReach::Repository };

/// So many lines of a file have to look like added ones before it is parsed.
const FEWEST_ALIKE: usize = 3;

/// Files around the change that hold something like what it adds.
fn around(change: &ChangeContext<'_>, own: &[Body]) -> Vec<Neighbour> {
    let is_new = |body: &&Body| {
        let Where::Change(index) = body.place else { return false };
        let (first, last) = lines(body, 0, body.tokens.len());
        change.files.get(index).is_some_and(|file| is_added(file, first, last))
    };
    let indices: BTreeSet<usize> = own
        .iter()
        .filter(is_new)
        .filter_map(|body| match body.place {
            Where::Change(index) => Some(index),
            Where::Around(_) => None,
        })
        .collect();
    let mut found = Vec::new();
    for language in LANGUAGES {
        let files: Vec<&FileContext<'_>> = indices
            .iter()
            .filter_map(|index| change.files.get(*index))
            .filter(|file| file.language == *language)
            .collect();
        if files.is_empty() {
            continue;
        }
        let shapes: HashSet<u64> =
            files.iter().flat_map(|file| file.added()).filter_map(|line| shape(line.text)).collect();
        let alike = |one: &Neighbour| {
            let seen: HashSet<u64> =
                one.source.text().split(|byte| *byte == b'\n').filter_map(shape).collect();
            seen.intersection(&shapes).count() >= FEWEST_ALIKE
        };
        found.extend(neighbours(change, &files, *language, AROUND).into_iter().filter(alike));
    }
    found
}

/// A line without its white space and the names of variables; nothing for lines that every file has.
fn shape(line: &[u8]) -> Option<u64> {
    let line = &line[..line.len().min(LONGEST_LINE)];
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut hasher = std::hash::DefaultHasher::new();
    let (mut at, mut told) = (0, 0);
    while at < line.len() {
        let word = line[at..].iter().take_while(|byte| is_word(**byte)).count();
        if word > 0 {
            let called = line.get(at + word).is_some_and(|next| b"(!".contains(next));
            let member = at > 0 && line[at - 1] == b'.';
            if called || member {
                line[at..at + word].hash(&mut hasher);
                told += word;
            } else {
                0u8.hash(&mut hasher);
            }
            at += word;
        } else {
            if !line[at].is_ascii_whitespace() {
                line[at].hash(&mut hasher);
            }
            at += 1;
        }
    }
    (told > 3).then(|| hasher.finish())
}

const LONGEST_LINE: usize = 400;

fn bodies_around(one: &Neighbour, index: usize) -> Vec<Body> {
    bodies(one.tree(), &one.source, Where::Around(index), |line| one.source.in_test(line))
}

fn is_of_interest(file: &FileContext<'_>) -> bool {
    LANGUAGES.contains(&file.language)
        && file.skipped.is_none()
        && !file.is_test_file()
        && file.added().take(FEWEST_LINES as usize).count() == FEWEST_LINES as usize
}

fn bodies_of(file: &FileContext<'_>, index: usize) -> Vec<Body> {
    let Some(head) = file.head() else { return Vec::new() };
    bodies(file.touched_tree(), head, Where::Change(index), |line| file.in_test(line))
}

fn bodies(tree: Option<&Tree>, source: &Source, place: Where, in_test: impl Fn(u32) -> bool) -> Vec<Body> {
    let functions = tree.map(functions).unwrap_or_default();
    let outer = functions.into_iter().filter(|one| !one.local && !one.is_test && !in_test(one.name_line()));
    outer
        .filter_map(|function| {
            let extent = extent(&function, source)?;
            let most = most_tokens(&source.text()[extent.clone()]);
            if most < whole::FEWEST_WORDS {
                return None;
            }
            let Reading { tokens, shape, turns } = read(source, extent.clone());
            (tokens.len() >= whole::FEWEST_WORDS).then_some(Body { place, tokens, extent, shape, turns })
        })
        .collect()
}

fn lines(body: &Body, start: usize, length: usize) -> (u32, u32) {
    let line = |at: usize| body.tokens.get(at).map_or(1, |token| token.line);
    (line(start), line(start + length - 1))
}

/// The longest copies whose every line was added, in the order of the change, none inside another.
fn copies(bodies: &[Body], files: &[FileContext<'_>]) -> Vec<Copy> {
    let mut seen: HashMap<u64, Spot> = HashMap::new();
    let mut found: Vec<Copy> = Vec::new();
    let mut total = 0;
    for (index, body) in bodies.iter().enumerate() {
        total += body.tokens.len();
        if total > MOST_TOKENS {
            break;
        }
        let windows = rolling(&body.tokens);
        let mut at = 0;
        while at < windows.len() {
            let earlier = seen.get(&windows[at]).copied();
            let copy = earlier.and_then(|from| extended(bodies, from, (index, at)));
            let step = copy.as_ref().map_or(1, |copy| copy.length);
            let new = copy.and_then(|copy| as_added(copy, bodies, files));
            found.extend(new);
            for (offset, window) in windows.iter().enumerate().skip(at).take(step) {
                seen.entry(*window).or_insert((index, offset));
            }
            at += step;
        }
    }
    found
}

/// A hash of each run of so many words.
fn rolling(tokens: &[Token]) -> Vec<u64> {
    const BASE: u64 = 0x0100_0000_01b3;
    let top = (1..FEWEST_TOKENS).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    let mut found = Vec::with_capacity(tokens.len().saturating_sub(FEWEST_TOKENS) + 1);
    for (at, token) in tokens.iter().enumerate() {
        if at >= FEWEST_TOKENS {
            hash = hash.wrapping_sub(tokens[at - FEWEST_TOKENS].hash.wrapping_mul(top));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(token.hash);
        if at + 1 >= FEWEST_TOKENS {
            found.push(hash);
        }
    }
    found
}

/// As far as both go on the same way, without running into each other.
fn extended(bodies: &[Body], from: Spot, to: Spot) -> Option<Copy> {
    let (one, other) = (bodies.get(from.0)?.tokens.get(from.1..)?, bodies.get(to.0)?.tokens.get(to.1..)?);
    let room = if from.0 == to.0 { to.1 - from.1 } else { usize::MAX };
    let length = one.iter().zip(other).take(room).take_while(|(a, b)| a.hash == b.hash).count();
    (length >= FEWEST_TOKENS).then_some(Copy { from, to, length })
}

/// The copy if the change added it; turned around if it added what stands first.
fn as_added(copy: Copy, bodies: &[Body], files: &[FileContext<'_>]) -> Option<Copy> {
    let is_new = |spot: Spot| {
        let Where::Change(index) = bodies[spot.0].place else { return false };
        let (first, last) = lines(&bodies[spot.0], spot.1, copy.length);
        files.get(index).is_some_and(|file| is_added(file, first, last))
    };
    match (is_new(copy.to), is_new(copy.from)) {
        (true, _) => Some(copy),
        (false, true) => Some(Copy { from: copy.to, to: copy.from, length: copy.length }),
        (false, false) => None,
    }
}

/// Whether the change added these lines, nearly all of them, and there are enough.
fn is_added(file: &FileContext<'_>, first: u32, last: u32) -> bool {
    let count = last - first + 1;
    let touched = file.touched_lines();
    count >= FEWEST_LINES
        && (first..=last).filter(|line| touched.is_added(*line)).count() as u32 * 10 >= count * 9
}
