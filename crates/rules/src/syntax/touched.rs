use domain::change::{FileChange, Hunk, LineKind};

use super::node::Node;

/// Which lines of a file the change touched.
#[derive(Debug, Clone, Default)]
pub struct Touched {
    /// Of the new file, in order.
    added: Vec<u32>,
    /// Of the old file, in order.
    removed: Vec<u32>,
    /// The lines of the new file that stand where lines were taken out before them, in order.
    cut_before: Vec<u32>,
}

impl Touched {
    pub fn of(file: &FileChange) -> Self {
        let mut touched = Touched::default();
        for hunk in file.hunks() {
            touched.read(hunk);
        }
        touched
    }

    fn read(&mut self, hunk: &Hunk) {
        // A hunk that only removes is headed by the line before.
        let mut next = if hunk.new.len == 0 { hunk.new.start.saturating_add(1) } else { hunk.new.start };
        for line in hunk.lines() {
            match line.kind {
                LineKind::Added => self.added.extend(line.new),
                LineKind::Removed => {
                    self.removed.extend(line.old);
                    if self.cut_before.last() != Some(&next) {
                        self.cut_before.push(next);
                    }
                }
                LineKind::Context => {}
            }
            next = next.saturating_add(u32::from(line.new.is_some()));
        }
    }

    /// Whether a node of the new file holds an added line, or had a line that is gone.
    pub fn head(&self, node: Node<'_>) -> bool {
        self.head_lines(node.line(), node.end_line())
    }

    /// The lines of the new file before which some are gone.
    pub(crate) fn cuts(&self) -> impl Iterator<Item = u32> {
        self.cut_before.iter().copied()
    }

    /// Whether lines are gone behind the first of these lines of the new file.
    pub(crate) fn cuts_in(&self, first: u32, last: u32) -> bool {
        any(&self.cut_before, first.saturating_add(1), last)
    }

    pub fn head_lines(&self, first: u32, last: u32) -> bool {
        any(&self.added, first, last) || self.cuts_in(first, last)
    }

    /// Whether all of these lines of the new file are added ones.
    pub(crate) fn has_added_all(&self, first: u32, last: u32) -> bool {
        let before = |line: u32| self.added.partition_point(|one| *one < line);
        let count = before(last.saturating_add(1)) - before(first);
        u32::try_from(count).is_ok_and(|count| count == last.saturating_sub(first).saturating_add(1))
    }

    /// Whether a node of the old file holds a removed line.
    pub fn base(&self, node: Node<'_>) -> bool {
        any(&self.removed, node.line(), node.end_line())
    }

    pub fn is_added(&self, line: u32) -> bool {
        self.adds(line, line)
    }

    /// Those of these lines of the new file that are added.
    pub(crate) fn added_in(&self, first: u32, last: u32) -> impl Iterator<Item = u32> {
        let from = self.added.partition_point(|line| *line < first);
        self.added[from..].iter().copied().take_while(move |line| *line <= last)
    }

    /// Whether one of these lines of the new file is added.
    pub(crate) fn adds(&self, first: u32, last: u32) -> bool {
        any(&self.added, first, last)
    }
}

fn any(lines: &[u32], first: u32, last: u32) -> bool {
    lines.get(lines.partition_point(|line| *line < first)).is_some_and(|line| *line <= last)
}
