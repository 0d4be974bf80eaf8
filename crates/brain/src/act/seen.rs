//! Which hunks the model has been shown, wholly.

use std::collections::{BTreeMap, BTreeSet};

use domain::change::{Change, Hunk, LineKind, Side, Span};
use domain::review::{Coverage, SkipReason};

/// A hunk by the position of its file in the change and its own in the file.
pub(super) type HunkId = (usize, usize);

/// What was delivered to the model. A hunk counts only if all of it was.
#[derive(Debug, Clone)]
pub(super) struct Seen<'a> {
    change: &'a Change,
    wanted: BTreeSet<HunkId>,
    seen: BTreeSet<HunkId>,
    parts: BTreeMap<HunkId, BTreeSet<usize>>,
    /// Parts of hunks that have to be seen and were shown for the first time.
    news: usize,
    /// First and last lines, disjoint and in order, by file and side.
    lines: BTreeMap<(usize, bool), Vec<(u32, u32)>>,
}

impl<'a> Seen<'a> {
    pub(super) fn new(change: &'a Change) -> Self {
        let reviewed = change.files.iter().enumerate().filter(|(_, file)| SkipReason::of(file).is_none());
        let wanted =
            reviewed.flat_map(|(index, file)| (0..file.hunks().len()).map(move |hunk| (index, hunk)));
        Seen {
            change,
            wanted: wanted.collect(),
            seen: BTreeSet::new(),
            parts: BTreeMap::new(),
            news: 0,
            lines: BTreeMap::new(),
        }
    }

    pub(super) fn part(&mut self, id: HunkId, part: usize, of: usize) {
        let parts = self.parts.entry(id).or_default();
        let is_new = parts.insert(part);
        self.news += usize::from(is_new && self.wanted.contains(&id));
        if parts.len() >= of {
            self.seen.insert(id);
        }
    }

    /// Hunks of which only parts were shown count as not shown at all.
    pub(super) fn forget_parts(&mut self) {
        self.parts.retain(|id, _| self.seen.contains(id));
    }

    /// Whole lines of a file, first to last.
    pub(super) fn lines(&mut self, file: usize, side: Side, first: u32, last: u32) {
        join(self.lines.entry((file, side == Side::Old)).or_default(), first, last);
        let Some(changed) = self.change.files.get(file) else { return };
        for (index, hunk) in changed.hunks().iter().enumerate() {
            if self.covers(file, hunk) {
                self.seen.insert((file, index));
            }
        }
    }

    /// Removed lines are seen on the old side, added ones on the new.
    fn covers(&self, file: usize, hunk: &Hunk) -> bool {
        let has = |kind| hunk.lines().any(|line| line.kind == kind);
        let covered = |span: Span, is_old: bool| {
            let last = span.start.saturating_add(span.len.saturating_sub(1));
            self.lines
                .get(&(file, is_old))
                .is_some_and(|known| known.iter().any(|(from, to)| *from <= span.start && last <= *to))
        };
        (!has(LineKind::Removed) || covered(hunk.old, true))
            && (!has(LineKind::Added) || covered(hunk.new, false))
    }

    pub(super) fn holds(&self, id: HunkId) -> bool {
        self.seen.contains(&id)
    }

    /// Grows whenever something is shown that has to be seen and was not shown before.
    pub(super) fn progress(&self) -> usize {
        self.news + self.count()
    }

    /// How many hunks that have to be seen were.
    pub(super) fn count(&self) -> usize {
        self.wanted.intersection(&self.seen).count()
    }

    pub(super) fn missing(&self) -> impl Iterator<Item = HunkId> {
        self.wanted.difference(&self.seen).copied()
    }

    /// Those of one file.
    pub(super) fn missing_in(&self, file: usize) -> impl Iterator<Item = usize> {
        let wanted = self.wanted.range((file, 0)..(file.saturating_add(1), 0));
        wanted.filter(|id| !self.seen.contains(id)).map(|(_, hunk)| *hunk)
    }

    pub(super) fn wanted(&self) -> usize {
        self.wanted.len()
    }

    pub(super) fn coverage(&self, reviewer: &str) -> Coverage {
        let mut coverage = Coverage::plan(self.change);
        for (file, hunk) in self.wanted.intersection(&self.seen) {
            let hunk = coverage.files.get_mut(*file).and_then(|file| file.hunks.get_mut(*hunk));
            if let Some(hunk) = hunk {
                hunk.seen_by.push(reviewer.to_owned());
            }
        }
        coverage
    }
}

/// Adds a range, joined with those it touches.
fn join(ranges: &mut Vec<(u32, u32)>, mut first: u32, mut last: u32) {
    ranges.retain(|(from, to)| {
        let touches = *from <= last.saturating_add(1) && first <= to.saturating_add(1);
        if touches {
            first = first.min(*from);
            last = last.max(*to);
        }
        !touches
    });
    ranges.push((first, last));
    ranges.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted;

    #[test]
    fn a_hunk_is_seen_once_each_side_that_changed_was_read_to_its_end() {
        let change = scripted::change(&[("a", "@@ -3,2 +3,3 @@\n same\n-old\n+new\n+more\n")]);
        let mut seen = Seen::new(&change);
        seen.lines(0, Side::New, 1, 4);
        seen.lines(0, Side::Old, 1, 9);
        assert_eq!(seen.missing().count(), 1);
        seen.lines(0, Side::New, 5, 5);
        assert_eq!((seen.missing().count(), seen.count()), (0, 1));
    }

    #[test]
    fn a_hunk_in_parts_is_seen_when_all_were_shown() {
        let change =
            scripted::change(&[("a", "@@ -0,0 +1,1 @@\n+new\n"), ("Cargo.lock", "@@ -0,0 +1,1 @@\n+x\n")]);
        let mut seen = Seen::new(&change);
        seen.part((0, 0), 0, 2);
        seen.part((0, 0), 0, 2);
        assert_eq!((seen.count(), seen.wanted()), (0, 1));
        seen.part((0, 0), 1, 2);
        assert_eq!(seen.coverage("model").unseen().count(), 0);
    }
}
