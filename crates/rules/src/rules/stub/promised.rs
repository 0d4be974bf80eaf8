//! New functions of which all that there is promises the rest: a comment, and perhaps a value that says nothing.

use domain::review::Confidence;
use domain::words::Severity;

use super::super::stub_replaced::says_nothing;
use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Function, Node, Notion, functions};

/// As people and editors announce what they have not written.
static PROMISE: Pattern = Pattern::new(
    r"(?i)^\W*(?:todo|fixme)\b[^\n]{0,3}(?:$|[^\n]*\b(?:implement|write|add|complete|finish|fill|actual|real|stub|logic|later|here)|\s*\W*$)|not yet implemented|not implemented(?: yet\b|\W*$)|(?:^\W*|[.:;!]\s+|\bto )implement (?:me|this)\b|\bplaceholder (?:implementation|for)\b|\bstub(?:bed)? (?:implementation|for now)\b|auto-generated method stub",
);

/// As they announce that what stands there is made up.
static MADE_UP: Pattern = Pattern::new(
    r"(?i)\bin (?:a |an |the )?(?:real|actual|production|full|complete)\b[^\n]{0,40}\b(?:would|should|will|we'd|you'd|this'd)\b|\b(?:mock|dummy|fake|placeholder|made-up)(?:ed)? (?:data|values?|responses?|results?|answers?|implementation|return)\b|\bsimulat(?:e|es|ed|ing) (?:the|a|an|this|that)\b",
);
/// The same of what may also be a switch that is not built yet.
static FOR_NOW: Pattern = Pattern::new(
    r"(?i)\bfor now\b[^\n]{0,20}\b(?:return|just|we|hard-?cod|simply|pretend)|\bhard-?coded for now\b",
);

/// How sure a comment makes it that a body is not written.
fn told_by(comment: &[u8]) -> Option<Severity> {
    let comment = comment.trim_ascii();
    let is_complete = || COMPLETE.regex().is_match(comment);
    match () {
        () if is_promise(comment) => Some(Severity::Major),
        () if MADE_UP.regex().is_match(comment) && !is_complete() => Some(Severity::Major),
        () if FOR_NOW.regex().is_match(comment) && !is_complete() => Some(Severity::Medium),
        () => None,
    }
}

pub(super) fn check(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    if !file.added().any(|line| told_by(comment_in(line.text)).is_some()) {
        return;
    }
    let (Some(tree), Some(head)) = (file.tree(), file.head()) else { return };
    for function in functions(tree) {
        let line = function.name_line();
        let is_new = file.touched_lines().is_added(line) && !file.in_test(line) && !function.is_test;
        if !is_new || is_declared_elsewhere(&function) {
            continue;
        }
        let body = function.body.or_else(|| without_body(&function));
        let Some(body) = body.filter(|body| is_bare(*body) || says_nothing(*body, file.language)) else {
            continue;
        };
        let told = |comment: Node<'_>| Some((comment.line(), told_by(without_marks(comment.bytes()))?));
        let Some((at, severity)) = comments(body).filter_map(told).max_by_key(|(_, severity)| *severity)
        else {
            continue;
        };
        let message = format!("All there is of `{}` is a promise to write it", function.name);
        report.add(Draft::lines(head, at, at, message).severity(severity).confidence(Confidence::Medium));
    }
}

/// Says that nothing is missing, or who else is to write it.
static COMPLETE: Pattern = Pattern::new(
    r"(?i)\bnothing\b|\bintentional|\bon purpose\b|\bby design\b|\bno(?:t)? need|\bsubclass|\boverrid|\bimplementers?\b|\bderived class",
);

/// Whether a comment announces what is not there yet.
pub(super) fn is_promise(comment: &[u8]) -> bool {
    let comment = comment.trim_ascii();
    PROMISE.regex().is_match(comment) && !COMPLETE.regex().is_match(comment)
}

/// A method of Ruby in which nothing but a comment stands has no body for the grammar.
fn without_body<'t>(function: &Function<'t>) -> Option<Node<'t>> {
    const PARTS: [&str; 4] = ["identifier", "constant", "method_parameters", "self"];
    let node = function.node;
    let is_part = |inner: Node<'_>| inner.is(Notion::Comment) || inner.is_kind(&PARTS);
    (node.is_kind(&["method", "singleton_method"]) && node.named_children().all(is_part)).then_some(node)
}

/// Whether nothing but comments stands between the braces, or where a method of Ruby would have its body.
fn is_bare(body: Node<'_>) -> bool {
    body.is_kind(&["method", "singleton_method"])
        || (body.bytes().starts_with(b"{") && body.named_children().all(|inner| inner.is(Notion::Comment)))
}

fn comments(body: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    // A comment at the end of a body of Python stands behind it for the grammar, or in front of its first statement.
    let around = [body.previous_sibling(), body.next_sibling()].into_iter().flatten();
    body.descendants().chain(around).filter(|node| node.is(Notion::Comment)).take(MOST_COMMENTS)
}

const MOST_COMMENTS: usize = 20;

/// What a base class leaves to others is meant to be empty.
fn is_declared_elsewhere(function: &Function<'_>) -> bool {
    let outer = function.node.enclosing(Notion::Type);
    let name = outer.and_then(|outer| outer.child("name"));
    name.is_some_and(|name| super::BASE_NAME.regex().is_match(name.bytes()))
}

/// What stands behind the first mark of a comment, if there is one.
fn comment_in(line: &[u8]) -> &[u8] {
    let mark = [&b"//"[..], b"#", b"/*"].iter().filter_map(|mark| memchr::memmem::find(line, mark)).min();
    mark.map_or(&[][..], |at| without_marks(&line[at..]))
}

pub(super) fn without_marks(comment: &[u8]) -> &[u8] {
    let start = comment.iter().take_while(|byte| b"/*# \t!".contains(byte)).count();
    let rest = &comment[start..];
    rest.strip_suffix(b"*/").unwrap_or(rest)
}
