//! A `switch` of C# or Java that no case gets out of at its end.

use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Node, Notion};

/// Whether a hunk shows part of a `switch`, or what may be the end of one. Most code has none, and need not be parsed.
pub(super) fn may_be_shown(file: &FileContext<'_>) -> bool {
    let shows = |text: &[u8]| {
        let code = text.trim_ascii_start();
        [&b"switch"[..], b"default", b"case "].iter().any(|word| code.starts_with(word))
    };
    matches!(file.language, Language::CSharp | Language::Java)
        && file.change.hunks().iter().any(|hunk| hunk.lines().any(|line| shows(line.text)))
}

/// Whether every value there is meets a case, and every case returns or throws. A `break` anywhere inside leads behind it.
pub(super) fn leaves(node: Node<'_>) -> bool {
    let is_switch = match node.tree().table().language() {
        Language::CSharp => node.kind() == "switch_statement",
        Language::Java => node.kind() == "switch_expression" && is_statement(node),
        _ => false,
    };
    if !is_switch || node.has_error() {
        return false;
    }
    let Some(body) = node.child("body").or_else(|| node.child_of(&["switch_body", "switch_block"])) else {
        return false;
    };
    let cases: Vec<Node<'_>> = body.named_children().filter(|child| !child.is(Notion::Comment)).collect();
    let Some((last, others)) = cases.split_last() else { return false };
    cases.iter().any(|case| is_default(*case))
        && ends(*last)
        && others.iter().all(|case| ends(*case) || is_empty(*case))
        && !body.descendants().any(|inner| inner.is_kind(&OUT))
}

/// What leads out of the switch, or to another case.
const OUT: [&str; 5] =
    ["break_statement", "yield_statement", "goto_statement", "preproc_if", "preproc_if_in_section"];

/// Java writes both in one way, and an expression gives a value to what is around it.
fn is_statement(node: Node<'_>) -> bool {
    node.parent()
        .is_some_and(|around| around.is(Notion::Block) || around.kind() == "switch_block_statement_group")
}

fn is_default(case: Node<'_>) -> bool {
    case.children().any(|child| {
        let is_label = child.kind() == "switch_label" || child.kind() == "default_switch_label";
        let text = child.bytes();
        child.kind() == "default"
            || (is_label && (text.starts_with(b"default") || text.ends_with(b"default")))
    })
}

/// Whether the last statement of a case returns or throws.
fn ends(case: Node<'_>) -> bool {
    let mut at = last(case);
    for _ in 0..3 {
        match at {
            Some(block) if block.is(Notion::Block) => at = last(block),
            Some(statement) => return statement.is(Notion::Return) || statement.is(Notion::Throw),
            None => return false,
        }
    }
    false
}

/// The last child that is no comment.
fn last(node: Node<'_>) -> Option<Node<'_>> {
    node.named_children().filter(|child| !child.is(Notion::Comment)).last()
}

/// One label that shares the statements of the next.
fn is_empty(case: Node<'_>) -> bool {
    let is_statement = |node: Node<'_>| node.is(Notion::Block) || node.kind().ends_with("_statement");
    case.is_kind(&["switch_section", "switch_block_statement_group"])
        && !case.named_children().any(is_statement)
        && case.named_children().all(|child| !child.is(Notion::Call))
}
