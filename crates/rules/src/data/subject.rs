use std::cell::OnceCell;
use std::ops::Range;

use ast_grep_core::AstGrep;
use tree_sitter::Node;

use super::grammar::{Grammar, Parsed};
use crate::flow::{Flow, Step, walk};

/// The lines of a file that count, in order.
#[derive(Debug, Clone)]
pub(super) enum Touched {
    All,
    Lines(Vec<u32>),
    /// First and last lines, apart from each other.
    Spans(Vec<(u32, u32)>),
}

impl Touched {
    /// Whether one of them lies between `first` and `last`.
    pub(super) fn meets(&self, first: u32, last: u32) -> bool {
        match self {
            Touched::All => true,
            Touched::Lines(lines) => {
                let at = lines.partition_point(|line| *line < first);
                lines.get(at).is_some_and(|line| *line <= last)
            }
            Touched::Spans(spans) => {
                let at = spans.partition_point(|(_, end)| *end < first);
                spans.get(at).is_some_and(|(start, _)| *start <= last)
            }
        }
    }
}

/// A parsed file under the eyes of the rules.
pub(super) struct Subject<'f> {
    pub(super) grammar: Grammar,
    pub(super) code: &'f AstGrep<Parsed>,
    pub(super) touched: Touched,
    flow: OnceCell<Flow<'f>>,
    /// Where its comments stand, in order.
    comments: OnceCell<Vec<Range<usize>>>,
}

impl<'f> Subject<'f> {
    pub(super) fn new(grammar: Grammar, code: &'f AstGrep<Parsed>, touched: Touched) -> Self {
        Subject { grammar, code, touched, flow: OnceCell::new(), comments: OnceCell::new() }
    }

    pub(super) fn root(&self) -> Node<'f> {
        self.code.root().get_inner_node()
    }

    pub(super) fn text(&self) -> &'f str {
        self.code.root().get_doc().text()
    }

    /// Whether values were asked for that nobody followed any more.
    pub(super) fn is_spent(&self) -> bool {
        self.flow.get().is_some_and(Flow::is_spent)
    }

    /// Whether a place of the text lies in a comment.
    pub(super) fn is_comment(&self, at: usize) -> bool {
        let comments = self.comments.get_or_init(|| comments_below(self.root()));
        let next = comments.partition_point(|comment| comment.end <= at);
        comments.get(next).is_some_and(|comment| comment.start <= at)
    }

    pub(super) fn flow(&self) -> &Flow<'f> {
        self.flow.get_or_init(|| Flow::new(self.root(), self.text().as_bytes(), self.grammar.language))
    }
}

fn comments_below(root: Node<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    walk(root, |node| {
        if !node.kind().contains("comment") {
            return Step::Into;
        }
        found.push(node.byte_range());
        Step::Over
    });
    found
}

/// One-based first and last line of a node.
pub(super) fn lines_of(node: Node<'_>) -> (u32, u32) {
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1) + 1;
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (line(start.row), line(last))
}
