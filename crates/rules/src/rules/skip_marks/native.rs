//! Go, C and C++.

use super::{Skip, Tests, by_reason, has_text, is_unconditional};
use crate::syntax::{Node, Notion};

/// In a block of its own it is skipped under some condition only.
pub(super) fn in_go(node: Node<'_>) -> Option<(String, Skip)> {
    let call = node.call()?;
    let callee = std::str::from_utf8(call.callee()).ok()?;
    let (receiver, method) = callee.split_once('.')?;
    let skips = ["t", "b", "tb"].contains(&receiver) && ["Skip", "Skipf", "SkipNow"].contains(&method);
    let function = node.ancestors().find(|around| {
        around.is(Notion::Lambda) || around.is_kind(&["function_declaration", "method_declaration"])
    })?;
    (skips && is_unconditional(node, function)).then(|| (callee.to_owned(), Skip::Bare))
}

/// `TEST(Cart, DISABLED_Adds)`, `GTEST_SKIP()`, `TEST_CASE("adds", "[.]")`, `TEST_IGNORE()`, `skip()`.
pub(super) fn in_c<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    const LEAVING: [&str; 6] =
        ["GTEST_SKIP", "SKIP", "TEST_IGNORE", "TEST_IGNORE_MESSAGE", "skip", "TEST_PASS"];
    if node.kind() == "function_declarator" {
        let opens = node.child("declarator").is_some_and(|name| name.bytes().starts_with(b"TEST"));
        let mut words = node.child("parameters").filter(|_| opens)?.named_children();
        let off = words.any(|word| word.bytes().starts_with(b"DISABLED_"));
        return off.then(|| ("DISABLED_".to_owned(), Skip::Bare));
    }
    let call = node.call()?;
    let name = call.name();
    if name == "TEST_CASE" || name == "SCENARIO" {
        let tags = call.arguments().nth(1)?;
        let hidden = memchr::memmem::find(tags.bytes(), b"[.").is_some();
        return hidden.then(|| (tags.text().into_owned(), Skip::Bare));
    }
    let statement = node.ancestors().find(|around| around.kind() == "expression_statement")?;
    let bare = call.callee().len() == name.len();
    (bare && LEAVING.contains(&name.as_str()) && tests.left_by(statement)).then_some(())?;
    by_reason(name, has_text(statement))
}
