//! What a test calls.

use std::collections::HashSet;

use super::find::Unit;
use super::strength::strength_of;
use crate::syntax::{Node, Notion};

/// So many calls of a test are looked at.
const MOST_CALLS: usize = 50;

/// What a test calls, apart from what asserts and what makes it a test.
pub(crate) fn called(unit: &Unit<'_>) -> Vec<String> {
    /// What is called of anything.
    const COMMON: [&str; 12] =
        ["new", "to", "not", "not_to", "to_not", "Run", "clone", "unwrap", "iter", "len", "String", "from"];
    let begins = unit.node.range().start;
    let asserting: HashSet<usize> =
        unit.assertions.iter().map(|assertion| assertion.node.range().start).collect();
    // `a.b().should.equal(c)` begins where what it examines begins.
    let asserts = |node: &Node<'_>| {
        node.is_assertion()
            || (asserting.contains(&node.range().start)
                && unit.assertions.iter().any(|assertion| assertion.node == *node))
    };
    let inside = unit.node.descendants().filter(|node| node.range().start != begins);
    let calls = inside.filter(|node| node.is(Notion::Call) || node.kind() == "token_tree").take(MOST_CALLS);
    calls
        .filter(|node| !asserts(node))
        .filter_map(|node| node.call().map(|call| call.name()).or_else(|| in_tokens(node)))
        .filter(|name| !COMMON.contains(&name.as_str()) && strength_of(&name.to_ascii_lowercase()).is_none())
        .collect()
}

/// What a macro of Rust is given is not read by the grammar: a call in there is a name and a group.
fn in_tokens(group: Node<'_>) -> Option<String> {
    let name = group.previous_sibling().filter(|before| before.kind() == "identifier")?;
    group.bytes().starts_with(b"(").then(|| name.text().into_owned())
}
