use crate::pattern::Pattern;
use crate::source::Source;
use crate::syntax::{Node, Notion, Tree};

/// How people say that a function may fail unheard.
static MAY_FAIL: Pattern = Pattern::new(
    r"(?i)\bbest[ -]effort|\b(?:ignor|swallow|suppress|silenc)\w* (?:\w+ ){0,2}(?:error|failure|exception)|\bnever (?:raise|fail|throw|reach|propagate|break)|\bmust(?: not|n't) (?:raise|fail|throw|reach|propagate|break)|\b(?:errors?|failures?) (?:is|are) (?:ignored|swallowed|suppressed|dropped|harmless|fine|expected)",
);

/// So much of a text about a function is read.
const LONGEST: usize = 2_000;

/// The line of a docstring, or of a comment right above the function around, that says its errors do not matter.
fn said_of_function(node: Node<'_>) -> Option<u32> {
    let function = node.enclosing(Notion::Function)?;
    let outer = function.parent().filter(|parent| parent.kind() == "decorated_definition");
    let above = outer.unwrap_or(function).previous_sibling().filter(|above| above.is(Notion::Comment));
    let first = function.child("body").and_then(|body| body.named_children().next());
    let docstring = first.filter(|first| first.kind() == "expression_statement");
    let docstring =
        docstring.and_then(|first| first.named_children().next()).filter(|text| text.is(Notion::String));
    let says_so = |text: &Node<'_>| {
        let bytes = text.bytes();
        MAY_FAIL.regex().is_match(&bytes[..bytes.len().min(LONGEST)])
    };
    docstring.into_iter().chain(above).find(says_so).map(|text| text.line())
}

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
            .or_else(|| said_of_function(node))
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
