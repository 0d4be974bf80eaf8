//! What the user of a program asks for by a setting of their own: certificates that are not checked where `verify` is false.

use tree_sitter::Node;

use super::subject::Subject;
use crate::context::FileContext;
use crate::flow::{Origin, Step, walk};
use crate::pattern::Pattern;

/// The rule whose danger a program may leave to its user.
const RULE: &str = "tls-verification-off";

/// Settings that switch the check on, and those that switch it off.
static ON: Pattern =
    Pattern::new(r"(?i)verif|validat|check_?cert|check_?host|reject_?unauthori[sz]ed|ssl_?required");
static OFF: Pattern = Pattern::new(
    r"(?i)insecure|no_?(?:ssl_?|tls_?)?(?:verif|check)|(?:skip|disable|ignore)_?\w*(?:verif|check|cert|ssl|tls|valid)|self_?signed|untrusted",
);

/// So far up a condition is looked for.
const MOST_AROUND: usize = 12;

/// Whether a rule speaks of what stands behind a condition by which the user switches the check off. A condition that the
/// program itself decides asks for nothing.
pub(super) fn is_asked_for<'t>(rule: &str, node: Node<'t>, subject: &Subject<'t>) -> bool {
    if rule != RULE {
        return false;
    }
    let mut inner = node;
    for around in std::iter::successors(node.parent(), Node::parent).take(MOST_AROUND) {
        if is_function(around.kind()) {
            return false;
        }
        if let Some(condition) = around.child_by_field_name("condition") {
            let is_in = |field| around.child_by_field_name(field).is_some_and(|part| part.id() == inner.id());
            let is_else = is_in("alternative");
            let is_then = !is_else && condition.id() != inner.id();
            if (is_then || is_else) && is_switch(condition, is_else, subject) {
                return true;
            }
        }
        inner = around;
    }
    false
}

fn is_function(kind: &str) -> bool {
    kind.contains("function") || kind.contains("method_d") || kind == "lambda" || kind.contains("closure")
}

/// Whether a condition holds, or in its `else` does not, where a setting says that nothing is to be checked.
fn is_switch<'t>(condition: Node<'t>, is_else: bool, subject: &Subject<'t>) -> bool {
    let flow = subject.flow();
    let text = flow.text_of(condition);
    let is_joined = [" and ", " or ", "&&", "||"].iter().any(|sign| text.contains(sign));
    let (off, on) = (OFF.regex().is_match(text.as_bytes()), ON.regex().is_match(text.as_bytes()));
    if is_joined || !(on || off) || text.contains('(') && text.contains('=') {
        return false;
    }
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let bare = squeezed.trim_matches(['(', ')']);
    let denied = bare.starts_with('!')
        || bare.starts_with("not") && text.trim_start_matches('(').starts_with("not ")
        || ["isFalse", "==False", "==false", "===false", "==0"].iter().any(|end| bare.ends_with(end));
    // `if insecure:`, `if not verify:`, and the other way round in the `else` of it.
    let switches_off = off != denied;
    switches_off != is_else && !is_decided_here(condition, subject)
}

/// Whether a name in it is given a constant by the program.
fn is_decided_here<'t>(condition: Node<'t>, subject: &Subject<'t>) -> bool {
    let mut is_constant = false;
    let mut has_name = false;
    walk(condition, |node| {
        let is_name = matches!(
            node.kind(),
            "identifier" | "attribute" | "member_expression" | "selector_expression" | "field_access"
        );
        if !is_name {
            return Step::Into;
        }
        has_name = true;
        is_constant |= subject.flow().value(node).origin == Origin::Constant;
        Step::Over
    });
    is_constant || !has_name
}

/// Whether the same stood in the file before the change, in a line that is gone: under another name, or in another place.
pub(super) fn stood_before(rule: &str, file: &FileContext<'_>, first: u32) -> bool {
    let squeezed =
        |line: &[u8]| line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>();
    let Some(head) = file.head().filter(|_| rule == RULE) else { return false };
    let wanted = squeezed(head.line(first));
    file.change.removed().any(|(_, line)| squeezed(line) == wanted)
}
