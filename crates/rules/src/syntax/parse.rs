use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point};

use super::table::Table;
use super::tree::{DEEPEST, Tree};

/// Bigger files were not written by hand.
const LARGEST: usize = 1024 * 1024;

/// The parser reports its progress every hundred steps. So many reports a small file may take.
const STEPS: usize = 2_000;

/// And for each report more, so many bytes: several times what the slowest grammar needs for ordinary code. Counted
/// in steps, not in time, so that the same file is judged alike on every machine.
const BYTES_PER_STEP: usize = 6;

/// The last resort, which no text that people wrote comes near: some errors make every step take longer than the last.
const LONGEST: Duration = Duration::from_secs(10);

/// More arrows in a row, with nothing that ends an expression between them, cost the parser of a grammar with lambdas
/// time by their square at the first error, in one step that cannot be stopped.
const MOST_ARROWS: usize = 100;

/// `None` for a text that is too large, nested too deep, or takes the parser too long.
pub(crate) fn parse(text: &Bytes, table: &'static Table) -> Option<Tree> {
    let raw = run(text, table, None)?;
    Tree::new(text.clone(), table, raw)
}

/// As [`parse`], but takes over from the base what did not change.
///
/// Where either side has errors it starts anew: how an error is recovered from depends on where the parser came from.
pub(crate) fn reparse(text: &Bytes, table: &'static Table, base: &Tree) -> Option<Tree> {
    if base.root().has_error() || !std::ptr::eq(base.table, table) {
        return parse(text, table);
    }
    let mut old = base.raw().clone();
    old.edit(&edit(base.text(), text));
    match run(text, table, Some(&old)) {
        Some(raw) if !raw.root_node().has_error() => Tree::new(text.clone(), table, raw),
        _ => parse(text, table),
    }
}

fn run(text: &[u8], table: &'static Table, old: Option<&tree_sitter::Tree>) -> Option<tree_sitter::Tree> {
    if text.len() > LARGEST || nests_too_deep(text) || chains_too_long(text) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&table.compiled().grammar).ok()?;
    let started = Instant::now();
    let mut left = STEPS + text.len() / BYTES_PER_STEP;
    let mut progress = |_: &ParseState| {
        left = left.saturating_sub(1);
        let is_over = left == 0 || (left.is_multiple_of(64) && started.elapsed() > LONGEST);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _: Point| text.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, old, Some(options))
}

/// By brackets alone, wherever they stand: a parser need not be started on ten thousand of them.
fn nests_too_deep(text: &[u8]) -> bool {
    let mut depth = [0usize; 3];
    for byte in text {
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

fn chains_too_long(text: &[u8]) -> bool {
    let mut arrows = 0;
    for pair in text.windows(2) {
        match pair {
            [_, b';' | b',' | b'{' | b'}' | b')'] => arrows = 0,
            [b'=' | b'-', b'>'] => arrows += 1,
            _ => {}
        }
        if arrows > MOST_ARROWS {
            return true;
        }
    }
    false
}

/// One edit: everything between what is equal in front and what is equal behind.
fn edit(old: &[u8], new: &[u8]) -> InputEdit {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let back = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - back, new.len() - back);
    InputEdit {
        start_byte: front,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, front),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    }
}

fn point(text: &[u8], at: usize) -> Point {
    let before = &text[..at];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), at - line_start)
}
