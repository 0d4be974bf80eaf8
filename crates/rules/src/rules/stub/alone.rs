//! Functions that do nothing but say that they are not written, in a way that says so only by its message.

use domain::review::Confidence;
use domain::words::Severity;

use super::reading::{Reader, Reading, is_built};
use super::refusal::{refusal, said};
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Node, Notion, functions};

/// Fails with such a message.
static FAILS: Pattern = Pattern::new(
    r#"(?i)^(?:return\s+)?(?:throw\s+(?:new\s+\\?[\w.:]*\s*\(\s*)?|(?:raise|fail|abort)[\s(]+(?:[\w:.]+(?:\.new)?\s*[,(]\s*)?|promise\.reject\(\s*(?:new\s+\w+\(\s*)?|assert(?:\.fail|ionfailure)?\s*\(\s*(?:(?:false|0)\s*(?:,|&&)\s*)?|assert\s+false\s*[:,]\s*\(?|(?:sys\.)?(?:exit|error|die|panic|errx?)\s*\(\s*(?:\d+\s*,\s*)?|log\.(?:fatal|panic)(?:f|ln)?\(\s*|(?:llvm_)?unreachable\s*\(\s*|trigger_error\(\s*|debug\.fail\(\s*|environment\.failfast\(\s*)["'`](?:[\w.:]+(?:\(\))?:? (?:is )?)?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]|implement me)"#,
);

/// Shows such a message, and goes on. A list of things to do may be called a TODO, too.
static SHOWS: Pattern = Pattern::new(
    r#"(?i)^(?:console\.\w+|e?print(?:ln|f)?!?|log(?:ger|ging)?\.\w+|(?:log|tracing)::\w+!|(?:warn|error|info|debug)!|system\.(?:out|err)\.print(?:ln|f)?|console\.error\.writeline|fmt\.print(?:ln|f)?|fmt\.fprint(?:ln|f)?\(\s*os\.\w+\s*,|fprintf\s*\(\s*stderr\s*,|(?:std::)?(?:cerr|cout)\s*<<|puts|warn|echo|alert|nslog)[\s(]*["'`](?:[\w.:]+(?:\(\))?:? (?:is )?)?(?:not (?:yet )?implemented|unimplemented|todo:? implement|implement me)"#,
);

/// A message of Rust or C# that names what the function was given.
static FILLED_IN: Pattern = Pattern::new(r#""[^"\n]*\{[\w:?.]*\}"#);

/// What may stand behind it, and makes of it that the program ends.
static ENDS: Pattern = Pattern::new(
    r"(?i)^(?:(?:std::)?(?:abort|exit|_exit)\(\s*\w*\s*\)|(?:process|os|sys|system|std::process|environment)(?:\.|::)exit\(\s*\w*\s*\));?$",
);
/// The same, and it only leaves the function.
static LEAVES: Pattern = Pattern::new(r"^return\b[^(]{0,30};?$");

pub(super) fn check(file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
    if !hits.iter().any(|hit| super::WORTH.regex().is_match(hit.text)) {
        return;
    }
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    let mut reader: Option<Reader> = None;
    for function in functions(tree).into_iter().filter(|function| !function.is_test) {
        let Some(saying) = function.body.and_then(|body| saying(&statements(body))) else { continue };
        let line = saying.node.line();
        let is_known = || {
            let within = std::iter::once(saying.node).chain(saying.node.descendants().take(MOST_WITHIN));
            within.into_iter().any(|node| refusal(node, file.language).is_some())
        };
        if !file.touched_lines().is_added(line) || file.in_test(line) || is_known() {
            continue;
        }
        let message = format!("All that `{}` does is say that it is not written", function.name);
        let severity = if saying.fails { Severity::Major } else { Severity::Medium };
        let draft = Draft::lines(head, line, line, message).confidence(Confidence::Medium);
        match reader.get_or_insert_with(|| Reader::of(tree)).read(saying.node, file.language) {
            Reading::Guard => {}
            Reading::Known => report.add(draft.severity(Severity::Medium)),
            Reading::Abstract => report.add(draft.severity(severity).confidence(Confidence::Low)),
            Reading::Stub => report.add(draft.severity(severity)),
        }
    }
}

/// So much of a statement is searched for what other ways of saying it there are.
const MOST_WITHIN: usize = 40;

/// The statement of a body that says it is not written.
pub(super) struct Saying<'t> {
    pub(super) node: Node<'t>,
    /// Whoever calls it notices.
    pub(super) fails: bool,
}

/// Where a body has only these statements.
pub(super) fn saying<'t>(statements: &[Node<'t>]) -> Option<Saying<'t>> {
    let first = *statements.first()?;
    let text = said(first);
    let fails = FAILS.regex().is_match(text);
    let is = |pattern: &Pattern, node: &Node<'_>| pattern.regex().is_match(said(*node).trim_ascii());
    let ends = match statements.get(1..).unwrap_or_default() {
        [] => false,
        [next] if is(&ENDS, next) => true,
        [next] if is(&LEAVES, next) => false,
        _ => return None,
    };
    let says = fails || SHOWS.regex().is_match(text);
    (says && !is_built(text) && !FILLED_IN.regex().is_match(text))
        .then_some(Saying { node: first, fails: fails || ends })
}

/// The statements of a body, as many as matter.
fn statements(body: Node<'_>) -> Vec<Node<'_>> {
    const HOLDERS: [&str; 5] = ["statement_list", "statements", "block", "body_statement", "function_body"];
    let holds = |node: Node<'_>| node.is(Notion::Block) || node.is_kind(&HOLDERS);
    let mut at = body;
    for _ in 0..MOST_HOLDERS {
        if !holds(at) {
            return vec![at];
        }
        let inside: Vec<Node<'_>> =
            at.named_children().filter(|inner| !inner.is(Notion::Comment)).take(3).collect();
        match inside.as_slice() {
            [only] => at = *only,
            _ => return inside,
        }
    }
    Vec::new()
}

/// The grammars put no more blocks around each other.
const MOST_HOLDERS: usize = 5;
