use std::collections::HashMap;

use crate::change::{FileChange, Hunk, LineKind, RepoPath, Side, Span};
use crate::forge::{InlinePlace, LineSpot};
use crate::review::Anchor;

/// Where in a forge's diff a comment can stand. Built once; every question after that is a look-up.
#[derive(Debug)]
pub struct Places<'a> {
    files: HashMap<&'a RepoPath, &'a FileChange>,
    /// Of the files that anyone asked about so far, by side and number.
    lines: HashMap<&'a RepoPath, HashMap<(Side, u32), Shown<'a>>>,
}

/// A line that the diff shows.
#[derive(Debug, Clone, Copy)]
struct Shown<'a> {
    hunk: &'a Hunk,
    spot: LineSpot,
    text: &'a [u8],
}

impl<'a> Places<'a> {
    pub fn new(files: &'a [FileChange]) -> Self {
        Places { files: files.iter().map(|file| (file.path(), file)).collect(), lines: HashMap::new() }
    }

    /// The place of an anchor, if the diff shows its first line. What lies beyond the hunk, or on another side than
    /// the first line, is left off. Forges name files in UTF-8, so others have no place.
    pub fn find(&mut self, anchor: &Anchor) -> Option<InlinePlace> {
        let file = *self.files.get(&anchor.path)?;
        let path = file.path();
        path.to_str()?;
        let old_path = file.old.as_ref().map_or(path, |side| &side.path);
        old_path.to_str()?;
        let lines = self.lines.entry(path).or_insert_with(|| shown_lines(file));
        let start = lines.get(&(anchor.side, anchor.start))?;
        let last = last_line(start.hunk, anchor.side)?.min(anchor.end).max(anchor.start);
        let end = lines.get(&(anchor.side, last)).filter(|end| side_of(end.spot) == side_of(start.spot));
        let end = end.unwrap_or(start);
        Some(InlinePlace { path: path.clone(), old_path: old_path.clone(), start: start.spot, end: end.spot })
    }

    /// The lines of the new file that a place covers, as the diff shows them.
    pub(super) fn text(&self, place: &InlinePlace) -> Option<Vec<&'a [u8]>> {
        let lines = self.lines.get(&place.path)?;
        (place.start.new..=place.end.new).map(|number| Some(lines.get(&(Side::New, number))?.text)).collect()
    }
}

/// The side a forge files a line under: what is there after the change, if it is there at all.
pub(super) fn side_of(spot: LineSpot) -> Side {
    match spot.kind {
        LineKind::Added | LineKind::Context => Side::New,
        LineKind::Removed => Side::Old,
    }
}

fn shown_lines(file: &FileChange) -> HashMap<(Side, u32), Shown<'_>> {
    let mut lines = HashMap::new();
    for hunk in file.hunks() {
        let (mut old, mut new) = (hunk.old.start, hunk.new.start);
        for line in hunk.lines() {
            let shown = Shown { hunk, spot: LineSpot { kind: line.kind, old, new }, text: line.text };
            for (side, number) in [(Side::Old, line.old), (Side::New, line.new)] {
                if let Some(number) = number {
                    lines.entry((side, number)).or_insert(shown);
                }
            }
            old += u32::from(line.old.is_some());
            new += u32::from(line.new.is_some());
        }
    }
    lines
}

fn last_line(hunk: &Hunk, side: Side) -> Option<u32> {
    let Span { start, len } = match side {
        Side::Old => hunk.old,
        Side::New => hunk.new,
    };
    start.checked_add(len)?.checked_sub(1)
}
