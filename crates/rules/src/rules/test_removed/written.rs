//! What a change writes instead of a test that is gone.

use std::collections::{HashMap, HashSet};

use domain::change::RepoPath;

use super::super::assertion::{Pairing, Strength, Unit, strength_of};
use crate::syntax::{Node, Notion};

/// How much the strictest assertion of a test asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asks {
    Nothing,
    /// That something is there, or on one side of a value.
    Little,
    Much,
}

impl Asks {
    pub(super) fn of(unit: &Unit<'_>) -> Self {
        let asks = unit.assertions.iter().map(|assertion| match assertion.strength {
            Strength::Presence | Strength::Order => Asks::Little,
            _ => Asks::Much,
        });
        asks.max().unwrap_or(Asks::Nothing)
    }
}

/// What stands for a test that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// A new test calls the same, and asks for no less of it.
    Equal,
    /// New tests that call the same ask for less.
    Weaker,
    /// New tests of the same file call something else, and ask for no less: it may be the same from further away.
    Other,
    Nothing,
}

/// The tests that the change brings, by what they call and by where they are.
#[derive(Debug, Default)]
pub(super) struct Written<'p> {
    by_call: HashMap<String, Asks>,
    by_file: HashMap<&'p RepoPath, Asks>,
}

impl<'p> Written<'p> {
    pub(super) fn of(pairing: &'p Pairing<'_>) -> Self {
        let mut written = Written::default();
        for (file, unit) in pairing.new.iter().filter(|(_, unit)| unit.is_test) {
            let asks = Asks::of(unit);
            let most = |known: &mut Asks| *known = asks.max(*known);
            for name in called(unit) {
                written.by_call.entry(name).and_modify(most).or_insert(asks);
            }
            written.by_file.entry(file.change.path()).and_modify(most).or_insert(asks);
        }
        written
    }

    pub(super) fn instead_of(&self, path: &RepoPath, unit: &Unit<'_>) -> Instead {
        let wanted = Asks::of(unit);
        let called = called(unit);
        let of_the_same = called.iter().filter_map(|name| self.by_call.get(name)).max();
        let beside = self.by_file.get(path).is_some_and(|asks| *asks >= wanted);
        match of_the_same {
            Some(asks) if *asks >= wanted => Instead::Equal,
            // Nothing is known of what it was about.
            None if called.is_empty() && !self.by_file.is_empty() => Instead::Equal,
            Some(_) => Instead::Weaker,
            None if beside => Instead::Other,
            None => Instead::Nothing,
        }
    }
}

/// So many calls of a test are looked at.
const MOST_CALLS: usize = 50;

/// What a test calls, apart from what asserts and what makes it a test.
pub(super) fn called(unit: &Unit<'_>) -> Vec<String> {
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
