//! Failures that a test asks for, in the forms that frameworks and languages have for that.

use std::collections::HashSet;

use super::read::Assertion;
use super::strength::{Strength, strength_of};
use crate::syntax::{Node, Notion};

/// Which failure `#expect(throws: E.self) { ... }` of Swift asks for.
pub(super) fn thrown(given: &[&[u8]]) -> Option<Strength> {
    let kind = given.first()?.strip_prefix(b"throws:")?.trim_ascii();
    Some(match kind {
        b"Never.self" => Strength::Presence,
        b"(any Error).self" | b"Error.self" | b"(Error).self" => Strength::AnyFailure,
        _ => Strength::Failure,
    })
}

/// Whether this is `assertFailsWith<E> { ... }` of Kotlin, which its grammar takes for two comparisons.
pub(super) fn is_typed_failure(node: Node<'_>) -> bool {
    const NAMES: [&[u8]; 4] =
        [b"assertFailsWith<", b"assertThrows<", b"shouldThrow<", b"shouldThrowExactly<"];
    let text = node.bytes();
    node.kind() == "binary_expression"
        && text.ends_with(b"}")
        && NAMES.iter().any(|name| text.starts_with(name))
}

/// What a `try` is in the grammars, and what is not the part of it that is tried.
const TRIES: [&str; 4] = ["try_statement", "try_expression", "try_with_resources_statement", "do_statement"];
const HANDLERS: [&str; 5] =
    ["catch_clause", "catch_block", "except_clause", "finally_clause", "finally_block"];

impl<'t> Assertion<'t> {
    /// `fail()` behind what has to fail, inside of a `try`, asks for that failure.
    pub(crate) fn announced_by_fail(self) -> Self {
        const FAILING: [&str; 2] = ["fail", "xctfail"];
        let name = self.node.call().map(|call| call.name().to_ascii_lowercase()).unwrap_or_default();
        let around = || {
            let kinds = [TRIES.as_slice(), HANDLERS.as_slice()].concat();
            self.node.ancestors().take(6).find(|around| around.is_kind(&kinds))
        };
        match FAILING.contains(&name.as_str()) && around().is_some_and(|around| around.is_kind(&TRIES)) {
            true => Assertion { strength: Strength::AnyFailure, operands: Vec::new(), ..self },
            false => self,
        }
    }
}

/// So many nodes are looked at for the calls that have to fail.
const MOST_NODES: usize = 400;

/// What is called where an assertion asks for a failure: in the `try` or the `with` around it, or in what it is given.
pub(super) fn failing_calls(assertion: &Assertion<'_>) -> HashSet<String> {
    const AROUND: [&str; 1] = ["with_statement"];
    let kinds = [TRIES.as_slice(), AROUND.as_slice()].concat();
    let around = assertion.node.ancestors().take(6).take_while(|around| !around.is(Notion::Function));
    let whole = around.into_iter().find(|around| around.is_kind(&kinds)).unwrap_or(assertion.node);
    let calls = whole.descendants().take(MOST_NODES).filter_map(|node: Node<'_>| node.call());
    let asks = |name: &String| strength_of(&name.to_ascii_lowercase()).is_some();
    calls
        .map(|call| call.name())
        .filter(|name| !asks(name) && !name.to_ascii_lowercase().contains("fail"))
        .collect()
}
