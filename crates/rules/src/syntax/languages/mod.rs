//! One table per language, and what several of them share.

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod typescript;

use super::arity::Takes;
use super::functions::{Test, unquoted};
use super::node::Node;
use super::notion::Notion;
use super::shapes::{Exports, Visibility, call};
use super::table::{Spec, Table};
use super::tree::Tree;
use crate::language::Language;

pub(super) use cpp::CPP;
pub(super) use typescript::TSX;

/// Every table that is chosen by language alone.
pub(super) static ALL: [&Table; 15] = [
    &rust::RUST,
    &python::PYTHON,
    &javascript::JAVASCRIPT,
    &typescript::TYPESCRIPT,
    &go::GO,
    &java::JAVA,
    &kotlin::KOTLIN,
    &c::C,
    &cpp::CPP,
    &csharp::CSHARP,
    &ruby::RUBY,
    &php::PHP,
    &swift::SWIFT,
    &scala::SCALA,
    &bash::BASH,
];

/// What most grammars have in common, to begin a table with.
const COMMON: Spec = Spec {
    language: Language::Unknown,
    grammar: || grammars::rust().into(),
    notions: &[],
    calls: &[],
    logical: &["&&", "||"],
    test_calls: &[],
    name: |node, _| node.child("name"),
    parameters: |node| node.child("parameters"),
    takes: |_| Takes::One,
    body: |node| node.child("body"),
    owner: |_| None,
    visibility: |_| Visibility::Public,
    exports: |_| Exports::Unsaid,
    written_test: |_| None,
    is_test: |_| false,
    asserts,
};

/// The words that assertions begin with in nearly every framework.
fn asserts(name: &str) -> bool {
    const BEGINNINGS: [&str; 8] =
        ["assert", "expect", "should", "verify", "ensure", "xctassert", "xctfail", "check"];
    let name = name.to_ascii_lowercase();
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Whether a token, or a modifier that is exactly this, stands directly in the node.
fn has_word(node: Node<'_>, word: &str) -> bool {
    node.children()
        .any(|child| child.kind() == word || (child.is_named() && child.bytes() == word.as_bytes()))
}

/// The words of all children of a kind, as of lists of modifiers.
fn words_of<'t>(node: Node<'t>, kinds: &'static [&'static str]) -> impl Iterator<Item = Node<'t>> {
    node.children().filter(|child| child.is_kind(kinds)).flat_map(|list| {
        let alone = list.children().next().is_none().then_some(list);
        list.children().chain(alone)
    })
}

/// By the first of `public`, `private` and their like among the words; `unsaid` where there is none.
fn by_words<'t>(mut words: impl Iterator<Item = Node<'t>>, unsaid: Visibility) -> Visibility {
    let said = words.find_map(|word| match word.bytes() {
        b"public" | b"open" => Some(Visibility::Public),
        b"private" | b"fileprivate" => Some(Visibility::Private),
        b"protected" | b"internal" | b"package" => Some(Visibility::Restricted),
        _ => None,
    });
    said.unwrap_or(unsaid)
}

/// Whether the parent of the parent is one of these.
fn is_member_of(node: Node<'_>, kinds: &[&str]) -> bool {
    node.parent().and_then(|list| list.parent()).is_some_and(|around| around.is_kind(kinds))
}

/// For languages without a node around the parameters.
fn itself(function: Node<'_>) -> Option<Node<'_>> {
    Some(function)
}

/// Whether something behind the node and before the next comma gives it a default.
fn has_default_behind(node: Node<'_>) -> bool {
    node.next_sibling().is_some_and(|next| next.kind() == "=" || next.field() == "default_value")
}
