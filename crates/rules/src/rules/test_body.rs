//! What runs when a test runs.

use crate::language::Language;
use crate::syntax::{Node, Notion};

/// Calls that run the function they are given as part of a test.
const RUNNERS: [&str; 15] = [
    "scenario",
    "should",
    "it",
    "test",
    "specify",
    "Run",
    "beforeEach",
    "afterEach",
    "beforeAll",
    "afterAll",
    "before",
    "after",
    "describe",
    "each",
    "only",
];

/// Whether a node runs with the test itself, not in a function that the test hands to somebody.
pub(super) fn runs_in_test(node: Node<'_>, language: Language) -> bool {
    let script = matches!(language, Language::JavaScript | Language::TypeScript);
    for around in node.ancestors() {
        if around.is_kind(&["async_block", "go_statement", "defer_statement"]) {
            return false;
        }
        if script && around.is(Notion::Lambda) && is_of_promise(around) {
            continue;
        }
        if around.is(Notion::Lambda) {
            let call = around.ancestors().take(3).find_map(|outer| outer.call());
            return call.is_some_and(|call| {
                let callee = String::from_utf8_lossy(call.callee()).into_owned();
                let first = callee.split(['.', '(']).next().unwrap_or_default();
                RUNNERS.contains(&call.name().as_str()) || RUNNERS.contains(&first)
            });
        }
        if around.is_kind(&[
            "function_item",
            "function_definition",
            "function_declaration",
            "method_declaration",
            "method",
        ]) {
            return true;
        }
    }
    true
}

fn is_of_promise(lambda: Node<'_>) -> bool {
    let around = lambda.parent().and_then(|list| list.parent());
    around
        .is_some_and(|around| around.kind() == "new_expression" && around.bytes().starts_with(b"new Promise"))
}
