use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Range};

use super::comments::{idle_comments, without};
use super::table::Table;
use super::tree::{DEEPEST, Tree};
use crate::language::Language;

/// Bigger files were not written by hand.
pub(crate) const LARGEST: usize = 1024 * 1024;

/// The parser reports its progress every hundred steps. So many reports a small file may take.
const STEPS: usize = 2_000;

/// And for each report more, so many bytes: several times what the slowest grammar needs for ordinary code. Counted
/// in steps, not in time, so that the same file is judged alike on every machine.
const BYTES_PER_STEP: usize = 6;

/// The parser is given so many bytes at a time, which tells how often it goes over the text: a comment or a text that nobody
/// closes is read to the end of the file again from each of its openings, all in one step.
const CHUNK: usize = 4 * 1024;

/// So often it may ask for a small file, and so many times on the average for each part of a larger one. Ordinary code is
/// asked for once or twice.
const FEWEST_READS: usize = 2_000;
const MOST_READS: usize = 64;

/// The last resort, which no text that people wrote comes near: some errors make every step take longer than the last.
const LONGEST: Duration = Duration::from_secs(10);

/// More arrows or opening angle brackets in a row, with nothing that ends an expression between them, cost the parser of
/// a grammar with lambdas or type arguments time and memory by their square at the first error, in one step that cannot
/// be stopped.
const LONGEST_CHAIN: usize = 100;

/// More operators that follow another one, with nothing that ends an expression between them, are no code. At their end the
/// parser makes a list of all of them for each of them, in one step that cannot be stopped: 300 MB for a thousand.
const LONGEST_PILE: usize = 1_000;

/// Longer lines are minified, and some scanners look at the rest of a line at each of its characters. In bytes.
const LONGEST_LINE: usize = 20_000;

/// `None` for a text that is too large, nested too deep, or takes the parser too long.
pub(crate) fn parse(text: &Bytes, table: &'static Table) -> Option<Tree> {
    let raw = run(text, table, None, &[])?;
    Tree::new(text.clone(), table, raw, None)
}

/// As [`parse`], but of these parts of the text alone, as if nothing stood between them. `None` also where that cannot be
/// read without an error.
pub(crate) fn parse_parts(text: &Bytes, table: &'static Table, parts: &[Range]) -> Option<Tree> {
    let raw = run(text, table, None, parts).filter(|raw| !raw.root_node().has_error())?;
    Tree::new(text.clone(), table, raw, None)
}

/// Bytes of one text that stand where others stood; what is between two of them is the same in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) old: std::ops::Range<usize>,
    pub(crate) new: std::ops::Range<usize>,
}

/// More are taken as one: each costs a look at the text before it.
const MOST_REPLACED: usize = 100;

/// As [`parse`], but takes over from the other side of the change what is the same. `replaced` says what is not; where it
/// is wrong, or says nothing, everything between the first and the last difference is.
pub(crate) fn reparse(
    text: &Bytes,
    table: &'static Table,
    other: &Tree,
    replaced: &[Replaced],
) -> Option<Tree> {
    grown(text, table, &[], other, replaced).or_else(|| parse(text, table))
}

/// As [`parse_parts`], but takes over what is the same from the other side of the change, of which the same was left out.
pub(crate) fn reparse_parts(
    text: &Bytes,
    table: &'static Table,
    parts: &[Range],
    other: &Tree,
    replaced: &[Replaced],
) -> Option<Tree> {
    grown(text, table, parts, other, replaced).or_else(|| parse_parts(text, table, parts))
}

/// `None` where either side has errors: how an error is recovered from depends on where the parser came from.
fn grown(
    text: &Bytes,
    table: &'static Table,
    parts: &[Range],
    other: &Tree,
    replaced: &[Replaced],
) -> Option<Tree> {
    let usable = !other.root().has_error() && std::ptr::eq(other.table, table);
    let mut old = other.raw().filter(|_| usable)?.clone();
    let whole = [Replaced { old: 0..other.text().len(), new: 0..text.len() }];
    let fits = (1..=MOST_REPLACED).contains(&replaced.len()) && is_all(replaced, other.text(), text);
    // From the last to the first, so that none moves what the next is about.
    for one in (if fits { replaced } else { &whole }).iter().rev() {
        old.edit(&edit(other.text(), text, one));
    }
    let raw = run(text, table, Some(&old), parts).filter(|raw| !raw.root_node().has_error())?;
    Tree::new(text.clone(), table, raw, Some(other))
}

/// Whether the texts differ nowhere else.
fn is_all(replaced: &[Replaced], old: &[u8], new: &[u8]) -> bool {
    let end = Replaced { old: old.len()..old.len(), new: new.len()..new.len() };
    let (mut old_at, mut new_at) = (0, 0);
    replaced.iter().chain([&end]).all(|one| {
        let between = old.get(old_at..one.old.start).zip(new.get(new_at..one.new.start));
        (old_at, new_at) = (one.old.end, one.new.end);
        between.is_some_and(|(old, new)| old == new)
    })
}

/// Why no parser is started on a text, as what follows `it`.
pub(crate) fn refusal(text: &[u8]) -> Option<&'static str> {
    if text.len() > LARGEST {
        Some("is larger than 1 MiB")
    } else if nests_too_deep(text) {
        Some("is nested more than 1,000 levels deep")
    } else if has_long_line(text) {
        Some("has a line of more than 20,000 bytes")
    } else if chains_too_long(text) {
        Some("has more than 100 arrows or angle brackets in a row")
    } else if piles_operators(text) {
        Some("has more than 1,000 operators that follow another one")
    } else {
        None
    }
}

thread_local! {
    /// A parser keeps the memory it once needed.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// All of the text where no parts are named.
fn run(
    text: &[u8],
    table: &'static Table,
    old: Option<&tree_sitter::Tree>,
    parts: &[Range],
) -> Option<tree_sitter::Tree> {
    if refusal(text).is_some() {
        return None;
    }
    let fewer = match table.language() {
        Language::Python => without_idle_comments(text, parts)?,
        _ => None,
    };
    let parts = fewer.as_deref().unwrap_or(parts);
    let parsed = || {
        PARSER.with_borrow_mut(|parser| {
            parser.set_language(&table.compiled().grammar).ok()?;
            parser.set_included_ranges(parts).ok()?;
            let tree = bounded(parser, text, old);
            // What was broken off is not to be gone on with.
            parser.reset();
            tree
        })
    };
    let stack = LEAST_STACK + text.len() * STACK_PER_BYTE;
    stacker::maybe_grow(stack, stack, parsed)
}

/// The parser gives up what it could not decide between by calling itself, in the worst of texts once for each of its
/// bytes. What is set aside for that costs nothing as long as nobody uses it.
const STACK_PER_BYTE: usize = 160;
const LEAST_STACK: usize = 256 * 1024;

/// `None` inside where nothing is left out, and outside where that is not enough.
fn without_idle_comments(text: &[u8], parts: &[Range]) -> Option<Option<Vec<Range>>> {
    let idle = idle_comments(text)?;
    if idle.is_empty() {
        return Some(None);
    }
    let whole = Range {
        start_byte: 0,
        end_byte: text.len(),
        start_point: Point::new(0, 0),
        end_point: point(text, text.len()),
    };
    let left = without(if parts.is_empty() { std::slice::from_ref(&whole) } else { parts }, &idle);
    // No parts at all would be the whole text.
    (!left.is_empty()).then_some(Some(left))
}

fn bounded(parser: &mut Parser, text: &[u8], old: Option<&tree_sitter::Tree>) -> Option<tree_sitter::Tree> {
    let started = Instant::now();
    let mut left = STEPS + text.len() / BYTES_PER_STEP;
    let reads = Cell::new(FEWEST_READS + text.len() / CHUNK * MOST_READS);
    let mut progress = |_: &ParseState| {
        left = left.saturating_sub(1);
        let is_over = left == 0 || reads.get() == 0 || started.elapsed() > LONGEST;
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _: Point| {
        reads.set(reads.get().saturating_sub(1));
        // Whoever has read too much is told that the text ends here.
        let rest = text.get(offset..).filter(|_| reads.get() > 0).unwrap_or_default();
        &rest[..rest.len().min(CHUNK)]
    };
    let tree = parser.parse_with_options(&mut read, old, Some(options));
    tree.filter(|_| reads.get() > 0)
}

/// The bytes that count, by one look: most of a text is none of them.
const fn among(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

static BRACKETS: [bool; 256] = among(b"()[]{}");

/// What the second byte of a pair is that adds to a chain or ends one, unless the first opens.
static LINKS: [bool; 256] = among(b">;,{})");

/// By brackets alone, wherever they stand: a parser need not be started on ten thousand of them.
fn nests_too_deep(text: &[u8]) -> bool {
    if memchr::memchr3_iter(b'(', b'[', b'{', text).nth(DEEPEST).is_none() {
        return false;
    }
    let mut depth = [0usize; 3];
    for byte in text.iter().filter(|byte| BRACKETS[usize::from(**byte)]) {
        match byte {
            b'(' => depth[0] += 1,
            b'[' => depth[1] += 1,
            b'{' => depth[2] += 1,
            b')' => depth[0] = depth[0].saturating_sub(1),
            b']' => depth[1] = depth[1].saturating_sub(1),
            b'}' => depth[2] = depth[2].saturating_sub(1),
            _ => continue,
        }
        if depth.iter().sum::<usize>() > DEEPEST {
            return true;
        }
    }
    false
}

fn has_long_line(text: &[u8]) -> bool {
    let mut line_start = 0;
    memchr::memchr_iter(b'\n', text).chain([text.len()]).any(|end| {
        let length = end - std::mem::replace(&mut line_start, end);
        length > LONGEST_LINE
    })
}

fn chains_too_long(text: &[u8]) -> bool {
    // Every link has one of them.
    memchr::memchr2_iter(b'<', b'>', text).nth(LONGEST_CHAIN).is_some() && has_long_chain(text)
}

fn has_long_chain(text: &[u8]) -> bool {
    let mut links = 0;
    let counts = |pair: &&[u8]| LINKS[usize::from(pair[1])] || pair[0] == b'<';
    for pair in text.windows(2).filter(counts) {
        match pair {
            [b'=' | b'-', b'>'] => links += 1,
            [b'<', next] if !b"<=-/!?".contains(next) => links += 1,
            [_, b';' | b',' | b'{' | b'}' | b')' | b'>'] => links = 0,
            _ => {}
        }
        if links > LONGEST_CHAIN {
            return true;
        }
    }
    false
}

static OPERATORS: [bool; 256] = among(b"!%&*+-/:<=>?@^|~");
static ENDINGS: [bool; 256] = among(b";,{})]");

fn piles_operators(text: &[u8]) -> bool {
    text.iter().filter(|byte| OPERATORS[usize::from(**byte)]).count() > LONGEST_PILE && has_long_pile(text)
}

/// Signs that stand together are one operator if they are the same, or if the second is one that others end in.
fn has_long_pile(text: &[u8]) -> bool {
    let (mut piled, mut before, mut apart) = (0, None, false);
    for &byte in text {
        if byte.is_ascii_whitespace() {
            apart = true;
            continue;
        }
        let is_operator = OPERATORS[usize::from(byte)];
        if is_operator {
            let goes_on = !apart && (before == Some(byte) || b"=>".contains(&byte));
            piled += usize::from(before.is_some() && !goes_on);
        } else if ENDINGS[usize::from(byte)] {
            piled = 0;
        }
        if piled > LONGEST_PILE {
            return true;
        }
        (before, apart) = (is_operator.then_some(byte), false);
    }
    false
}

/// Everything between what is equal in front and what is equal behind.
fn edit(old: &[u8], new: &[u8], replaced: &Replaced) -> InputEdit {
    let (gone, come) = (&old[replaced.old.clone()], &new[replaced.new.clone()]);
    let front = gone.iter().zip(come).take_while(|(a, b)| a == b).count();
    let back = gone[front..].iter().rev().zip(come[front..].iter().rev()).take_while(|(a, b)| a == b).count();
    let start = replaced.old.start + front;
    let (gone, come) = (&gone[front..gone.len() - back], &come[front..come.len() - back]);
    let start_position = point(old, start);
    InputEdit {
        start_byte: start,
        old_end_byte: start + gone.len(),
        new_end_byte: start + come.len(),
        start_position,
        old_end_position: behind(start_position, gone),
        new_end_position: behind(start_position, come),
    }
}

/// Where a text ends that begins there.
fn behind(start: Point, text: &[u8]) -> Point {
    match memchr::memrchr(b'\n', text) {
        None => Point::new(start.row, start.column + text.len()),
        Some(feed) => Point::new(start.row + memchr::memchr_iter(b'\n', text).count(), text.len() - feed - 1),
    }
}

fn point(text: &[u8], at: usize) -> Point {
    let before = &text[..at];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), at - line_start)
}
