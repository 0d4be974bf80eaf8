use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};
use rayon::prelude::*;

use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{ChangeRule, RuleInfo, text};
use crate::syntax::{Node, Notion, functions};

static INFO: RuleInfo = RuleInfo {
    id: text("copied-code"),
    title: text("New code that says the same as other code of the change or its files"),
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
    file: usize,
    tokens: Vec<Token>,
}

/// Where a piece of code begins: which body, and which word of it.
type Spot = (usize, usize);

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
        let bodies: Vec<Body> = change
            .files
            .par_iter()
            .enumerate()
            .filter(|(_, file)| is_of_interest(file))
            .flat_map_iter(|(index, file)| bodies_of(file, index))
            .collect();
        let mut told: HashMap<usize, usize> = HashMap::new();
        for copy in copies(&bodies, change.files) {
            let (to, from) = (&bodies[copy.to.0], &bodies[copy.from.0]);
            let count = told.entry(to.file).or_default();
            let (Some(file), Some(source)) = (change.files.get(to.file), change.files.get(from.file)) else {
                continue;
            };
            let (first, last) = lines(to, copy.to.1, copy.length);
            let (other, _) = lines(from, copy.from.1, copy.length);
            *count += 1;
            if let Some(head) = file.head().filter(|_| *count <= MOST_PER_FILE) {
                let place = if to.file == from.file {
                    format!("line {other}")
                } else {
                    format!("{}:{other}", source.change.path())
                };
                let message = format!("These {} lines say the same as those from {place}", last - first + 1);
                report.add_in(file.change, Draft::lines(head, first, last, message));
            }
        }
    }
}

fn is_of_interest(file: &FileContext<'_>) -> bool {
    LANGUAGES.contains(&file.language)
        && file.skipped.is_none()
        && !file.is_test_file()
        && file.added().take(FEWEST_LINES as usize).count() == FEWEST_LINES as usize
}

fn bodies_of(file: &FileContext<'_>, index: usize) -> Vec<Body> {
    let functions = file.tree().map(functions).unwrap_or_default();
    let outer =
        functions.into_iter().filter(|one| !one.local && !one.is_test && !file.in_test(one.name_line()));
    outer
        .filter_map(|function| {
            let tokens = tokens(function.body?);
            (tokens.len() >= FEWEST_TOKENS).then_some(Body { file: index, tokens })
        })
        .collect()
}

fn tokens(body: Node<'_>) -> Vec<Token> {
    let mut found = Vec::new();
    let mut inside = body.descendants();
    while let Some(node) = inside.next() {
        let is_string = node.is(Notion::String);
        if node.is(Notion::Comment) || is_string {
            inside.skip_inside(node);
        }
        if node.is(Notion::Comment) || (node.children().next().is_some() && !is_string) {
            continue;
        }
        found.push(Token { hash: normalised(node, is_string), line: node.line() });
    }
    found
}

/// Variables and values are all the same; what is called and which field is read is not: code that does the same to other
/// things is a copy, code that does something else to them is not.
fn normalised(node: Node<'_>, is_string: bool) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    let kind = node.kind();
    match kind {
        _ if is_string => "string".hash(&mut hasher),
        "identifier" if !is_called(node) => kind.hash(&mut hasher),
        _ if kind.contains("literal") || ["number", "integer", "float"].contains(&kind) => {
            "value".hash(&mut hasher);
        }
        _ => node.bytes().hash(&mut hasher),
    }
    hasher.finish()
}

fn is_called(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.is(Notion::Call) && ["function", "macro", "name"].contains(&node.field())
    })
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
    let is_added = |spot: Spot| {
        let (first, last) = lines(&bodies[spot.0], spot.1, copy.length);
        let touched = files.get(bodies[spot.0].file).map(FileContext::touched_lines);
        let all = touched.is_some_and(|touched| {
            (first..=last).filter(|line| touched.is_added(*line)).count() as u32 * 10
                >= (last - first + 1) * 9
        });
        all && last - first + 1 >= FEWEST_LINES
    };
    match (is_added(copy.to), is_added(copy.from)) {
        (true, _) => Some(copy),
        (false, true) => Some(Copy { from: copy.to, to: copy.from, length: copy.length }),
        (false, false) => None,
    }
}
