use crate::source::Source;
use crate::syntax::{Node, Notion, Tree};

/// Where a file has comments: a dropped error with a reason beside it is nobody's oversight.
pub(super) struct Comments<'s> {
    head: &'s Source,
    /// First and last line of each, in order.
    lines: Vec<(u32, u32)>,
}

impl<'s> Comments<'s> {
    pub(super) fn of(tree: &Tree, head: &'s Source) -> Self {
        let lines = tree.all(Notion::Comment).map(|node| (node.line(), node.end_line())).collect();
        Comments { head, lines }
    }

    /// The line of a comment that stands in it, on one of its lines, or alone above it or above the `try` it belongs to.
    pub(super) fn explaining(&self, node: Node<'_>) -> Option<u32> {
        let first = node.line();
        let of_try = node
            .parent()
            .filter(|parent| parent.kind().starts_with("try_") || parent.kind() == "begin")
            .map(|parent| parent.line());
        self.between(first, node.end_line())
            .or_else(|| self.above(first))
            .or_else(|| of_try.and_then(|line| self.above(line)))
    }

    fn between(&self, first: u32, last: u32) -> Option<u32> {
        let at = self.lines.partition_point(|(_, end)| *end < first);
        self.lines.get(at).filter(|(start, _)| *start <= last).map(|(_, end)| *end)
    }

    fn above(&self, line: u32) -> Option<u32> {
        let above = line.checked_sub(1).filter(|above| *above > 0)?;
        self.between(above, above).filter(|_| self.head.code_line(above).trim_ascii().is_empty())
    }
}
