//! The code around a hunk, where there is room for it: what a function does is hard to tell from its middle.

use std::collections::HashMap;
use std::ops::Range;

use domain::change::{Change, FileChange, Hunk, LineKind, Side, Status};
use domain::ports::Sources;

use super::Bundle;
use super::tokens::count;
use crate::prompt::Fence;

/// A block of more lines than this is not shown whole.
const LONGEST_BLOCK: usize = 80;
/// Files larger than this are rarely written by hand.
const LARGEST_FILE: usize = 1 << 20;
/// Not worth reading a file for less.
const LEAST_ROOM: usize = 60;

/// Adds the enclosing block to each hunk, from the new version of its file, as long as the bundle stays within
/// `capacity` tokens. A file that cannot be read is shown without.
pub fn add_surroundings(
    bundles: &mut [Bundle],
    change: &Change,
    sources: &dyn Sources,
    fence: &Fence<'_>,
    capacity: usize,
) {
    let mut heads: HashMap<usize, Vec<String>> = HashMap::new();
    for bundle in bundles {
        let Bundle { slices, tokens } = bundle;
        for slice in slices {
            let Some(file) = change.files.get(slice.file).filter(|file| can_have(file)) else { continue };
            let mut last = 0..0;
            for piece in slice.pieces.iter_mut().filter(|piece| piece.whole) {
                if *tokens + LEAST_ROOM > capacity {
                    break;
                }
                let Some(hunk) = piece.hunk.and_then(|hunk| file.hunks().get(hunk)) else { continue };
                let head = heads.entry(slice.file).or_insert_with(|| head(file, sources, fence));
                let Some((block, text)) = around(head, hunk) else { continue };
                let cost = count(&text);
                if block != last && *tokens + cost <= capacity {
                    last = block;
                    piece.text.push_str(&text);
                    piece.tokens += cost;
                    *tokens += cost;
                }
            }
        }
    }
}

/// Of an added file the diff shows everything, of a deleted one there is nothing left.
fn can_have(file: &FileChange) -> bool {
    match file.status {
        Status::Modified | Status::Renamed(_) | Status::Copied(_) => true,
        Status::Added | Status::Deleted | Status::TypeChanged | Status::Unmerged => false,
    }
}

fn head(file: &FileChange, sources: &dyn Sources, fence: &Fence<'_>) -> Vec<String> {
    let bytes = sources.read(file, Side::New).ok().flatten().filter(|bytes| bytes.len() <= LARGEST_FILE);
    let text = bytes.map(|bytes| fence.scrub(&String::from_utf8_lossy(&bytes))).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The block around a hunk, and its lines without those of the hunk itself, numbered like the new file.
fn around(lines: &[String], hunk: &Hunk) -> Option<(Range<usize>, String)> {
    let start = (hunk.new.start as usize).saturating_sub(1);
    let shown = start..start.saturating_add(hunk.new.len as usize).min(lines.len());
    let changed = hunk.lines().find(|line| line.kind != LineKind::Context)?;
    let inside = (changed.new.unwrap_or(hunk.new.start) as usize).saturating_sub(1);
    let block = enclosing(lines, inside.min(lines.len().checked_sub(1)?), &shown)?;
    let numbered = |from: usize, to: usize| -> String {
        let range = lines.get(from..to).unwrap_or_default();
        range.iter().zip(from + 1..).map(|(line, number)| format!("{number}|{line}\n")).collect()
    };
    let before = numbered(block.start, shown.start.max(block.start));
    let after = numbered(shown.end.min(block.end), block.end);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    Some((block, format!("Code around this hunk in the new version:\n{before}...\n{after}")))
}

/// The largest block around line `inside` that is not too long, by indentation: from a line that is indented
/// less to the next that is not indented more than it.
fn enclosing<S: AsRef<str>>(lines: &[S], inside: usize, shown: &Range<usize>) -> Option<Range<usize>> {
    let mut found = None;
    let mut depth = (inside..lines.len().min(inside + LONGEST_BLOCK))
        .find_map(|at| indentation(lines.get(at)?.as_ref()))?;
    let mut at = inside;
    while at > 0 && inside - at <= LONGEST_BLOCK {
        at -= 1;
        let Some(own) = lines.get(at).and_then(|line| indentation(line.as_ref())) else { continue };
        if own >= depth || closes(lines.get(at)?.as_ref()) {
            continue;
        }
        depth = own;
        match block_end(lines, shown.end.max(at + 1), own, at + LONGEST_BLOCK) {
            Some(end) => found = Some(at..end),
            None => break,
        }
    }
    found
}

/// One past the line that closes the block, or `None` if that is further away than `limit`.
fn block_end<S: AsRef<str>>(lines: &[S], from: usize, depth: usize, limit: usize) -> Option<usize> {
    for at in from..limit {
        let Some(line) = lines.get(at).map(AsRef::as_ref) else { return Some(lines.len()) };
        if indentation(line).is_some_and(|own| own <= depth) {
            return Some(if closes(line) { at + 1 } else { at });
        }
    }
    None
}

/// `}`, `end`, `else {`: a line that ends or goes on with a block rather than beginning one.
fn closes(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['}', ')', ']'])
        || ["end", "else", "elif", "except", "finally", "catch"].iter().any(|word| {
            line.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
}

/// How far a line is indented; `None` for a blank one.
fn indentation(line: &str) -> Option<usize> {
    let text = line.trim_start_matches([' ', '\t']);
    if text.trim().is_empty() {
        return None;
    }
    Some(line[..line.len() - text.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enclosing_of(text: &str, inside: usize) -> Option<Range<usize>> {
        let lines: Vec<_> = text.lines().collect();
        enclosing(&lines, inside, &(inside..inside + 1))
    }

    #[test]
    fn the_block_is_the_largest_that_is_not_too_long() {
        let text = "use x;\n\nfn a() {\n    if b {\n        c();\n    } else {\n        d();\n    }\n    e();\n}\n\nfn f() {}\n";
        assert_eq!(enclosing_of(text, 4), Some(2..10));
        assert_eq!(enclosing_of(text, 6), Some(2..10));
        assert_eq!(enclosing_of(text, 0), None);
    }

    #[test]
    fn a_python_method_ends_where_the_next_begins() {
        let body = "        y = 2\n".repeat(100);
        let text = format!(
            "class A:\n    def f(self):\n        x = 1\n\n        return x\n\n    def g(self):\n{body}"
        );
        assert_eq!(enclosing_of(&text, 4), Some(1..6));
    }

    #[test]
    fn hostile_files_are_read_in_bounds() {
        assert_eq!(enclosing_of("", 5), None);
        assert_eq!(enclosing_of(&"\n".repeat(10_000), 5_000), None);
        let stairs: String = (0..500).map(|n| format!("{}x\n", " ".repeat(n))).collect();
        enclosing_of(&stairs, 499);
    }
}
