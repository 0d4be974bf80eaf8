//! What a file still defines, and nobody reaches: behind a condition that never holds for those who use it.

use super::rust;
use crate::language::Language;
use crate::syntax::{Item, Node, Tree, Visibility};

/// Takes from such items what made them public.
pub(super) fn without_what_is_shut_off(tree: &Tree, items: &mut [Item<'_>]) {
    let language = tree.table().language();
    let signs: &[&[u8]] = match language {
        Language::Rust => &[
            b"cfg(test)",
            b"doc(hidden)",
            b"cfg(any())",
            b"cfg(all(",
            b"cfg(false)",
            b"cfg(FALSE)",
            b"cfg(not(all()))",
        ],
        Language::Python => &[b"False", b"TYPE_CHECKING", b"if 0"],
        Language::C | Language::Cpp => &[b"if 0", b"if false", b"if FALSE"],
        _ => return,
    };
    if !signs.iter().any(|sign| memchr::memmem::find(tree.text(), sign).is_some()) {
        return;
    }
    let is_shut_off = match language {
        Language::Rust => rust::is_shut_off,
        Language::Python => is_skipped,
        _ => is_cut_out,
    };
    for item in items.iter_mut().filter(|item| is_shut_off(item.node)) {
        item.visibility = Visibility::Private;
    }
}

/// `if False:` and what is only there for those who check types.
fn is_skipped(node: Node<'_>) -> bool {
    stands_in(node, "if_statement", &[b"False", b"0", b"TYPE_CHECKING", b"typing.TYPE_CHECKING"])
}

fn is_cut_out(node: Node<'_>) -> bool {
    stands_in(node, "preproc_if", &[b"0", b"false", b"FALSE"])
}

/// Whether it is in a statement with one of these conditions, and not in the `else` of it.
fn stands_in(node: Node<'_>, kind: &str, never: &[&[u8]]) -> bool {
    let mut inner = node;
    for around in node.ancestors() {
        let is_never =
            || around.child("condition").is_some_and(|condition| never.contains(&condition.bytes()));
        if around.kind() == kind && inner.field() != "alternative" && is_never() {
            return true;
        }
        inner = around;
    }
    false
}
