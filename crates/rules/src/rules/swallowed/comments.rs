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

    /// Whether a comment stands in it, on one of its lines, or alone above it or above the `try` it belongs to.
    pub(super) fn explain(&self, node: Node<'_>) -> bool {
        let first = node.line();
        let of_try = node
            .parent()
            .filter(|parent| parent.kind().starts_with("try_") || parent.kind() == "begin")
            .map(|parent| parent.line());
        self.between(first, node.end_line())
            || self.above(first)
            || of_try.is_some_and(|line| self.above(line))
    }

    fn between(&self, first: u32, last: u32) -> bool {
        let at = self.lines.partition_point(|(_, end)| *end < first);
        self.lines.get(at).is_some_and(|(start, _)| *start <= last)
    }

    fn above(&self, line: u32) -> bool {
        line > 1 && self.between(line - 1, line - 1) && self.head.code_line(line - 1).trim_ascii().is_empty()
    }
}
