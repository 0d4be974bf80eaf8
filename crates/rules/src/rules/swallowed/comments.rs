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

/// What a comment can say of a dropped error without giving a reason: that it is dropped, and to whom else to say nothing.
const NO_REASON: [&str; 62] = [
    "a",
    "all",
    "an",
    "and",
    "any",
    "anything",
    "at",
    "be",
    "block",
    "body",
    "can",
    "catch",
    "continue",
    "cover",
    "do",
    "does",
    "drop",
    "dropped",
    "empty",
    "err",
    "error",
    "errors",
    "except",
    "exception",
    "exceptions",
    "fail",
    "fails",
    "failure",
    "failures",
    "fixme",
    "for",
    "handle",
    "handled",
    "here",
    "hidden",
    "hide",
    "if",
    "is",
    "it",
    "just",
    "later",
    "moment",
    "no",
    "noop",
    "nop",
    "noqa",
    "nosec",
    "nothing",
    "now",
    "on",
    "op",
    "or",
    "pass",
    "pragma",
    "quietly",
    "simply",
    "so",
    "the",
    "these",
    "this",
    "to",
    "todo",
];

/// The same, however the word ends.
const NO_REASON_STEMS: [&str; 5] = ["ignor", "silen", "suppress", "swallow", "skip"];

/// So much of a comment is read.
const LONGEST_COMMENT: usize = 400;

/// Whether a comment says more of an error than that it is dropped: `// ignore` only repeats what the code does.
fn gives_a_reason(comment: Node<'_>) -> bool {
    let bytes = comment.bytes();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_COMMENT)]).to_lowercase();
    let mut words =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().any(char::is_alphabetic));
    words.any(|word| {
        let is_code_of_linter = word.is_ascii() && word.bytes().any(|byte| byte.is_ascii_digit());
        !is_code_of_linter
            && !NO_REASON.contains(&word)
            && !NO_REASON_STEMS.iter().any(|stem| word.starts_with(stem))
    })
}

/// Where a file has comments that give a reason: a dropped error with one beside it is nobody's oversight.
pub(super) struct Comments<'s> {
    head: &'s Source,
    /// First and last line of each, in order.
    lines: Vec<(u32, u32)>,
}

impl<'s> Comments<'s> {
    pub(super) fn of(tree: &Tree, head: &'s Source) -> Self {
        let is_alone = |line: u32| head.code_line(line).trim_ascii().is_empty();
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for comment in tree.all(Notion::Comment) {
            let (first, last) = (comment.line(), comment.end_line());
            // What follows a reason line by line belongs to it.
            let goes_on = || lines.last().is_some_and(|(_, end)| end + 1 == first && is_alone(*end));
            if gives_a_reason(comment) || (is_alone(first) && goes_on()) {
                lines.push((first, last));
            }
        }
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
