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

    pub fn head_lines(&self, first: u32, last: u32) -> bool {
        any(&self.added, first, last) || any(&self.cut_before, first.saturating_add(1), last)
    }

    /// Whether everything that came or went is inside one of these ranges of lines of the new file, which are in order of
    /// their first lines; their first line, where something else may end, is not inside.
    pub(crate) fn stay_inside(&self, ranges: &[(u32, u32)]) -> bool {
        let inside = |line: u32| {
            let begun = ranges.partition_point(|(first, _)| *first < line);
            ranges[..begun].last().is_some_and(|(_, last)| line <= *last)
        };
        self.added.iter().all(|line| inside(*line)) && self.cut_before.iter().all(|line| inside(*line))
    }

    /// Whether a node of the old file holds a removed line.
    pub fn base(&self, node: Node<'_>) -> bool {
        any(&self.removed, node.line(), node.end_line())
    }

    pub fn is_added(&self, line: u32) -> bool {
        any(&self.added, line, line)
    }
}

fn any(lines: &[u32], first: u32, last: u32) -> bool {
    lines.get(lines.partition_point(|line| *line < first)).is_some_and(|line| *line <= last)
}
