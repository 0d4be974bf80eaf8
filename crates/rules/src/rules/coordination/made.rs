//! What a file still offers although no definition of it is to be seen: something else makes it.

use std::collections::HashMap;
use std::ops::Range;

use super::{mentions, other, rust};
use crate::language::Language;
use crate::syntax::{Item, ItemKind, Node, Tree};

/// Items by their container and name.
pub(super) type ByPath<'i, 't> = HashMap<(&'i str, &'i str), Vec<&'i Item<'t>>>;

/// Whether something is still there that has no definition of its own any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Yes,
    No,
    /// Something may make it that nobody can look into.
    Perhaps,
}

pub(super) fn stands(item: &Item<'_>, base: &Tree, head: Option<&Tree>, now: &ByPath<'_, '_>) -> Stands {
    let owners = now.get(&split(&item.container)).map(Vec::as_slice).unwrap_or_default();
    let elsewhere = owners.iter().any(|owner| other::is_alias(owner));
    let answers = |name: &str| now.contains_key(&(item.container.as_ref(), name));
    let made_up = other::answering(base.table().language()).is_some_and(answers);
    let Some(head) = head else { return Stands::No };
    match () {
        () if made_up && item.container.is_empty() && answered_before(base) => Stands::Perhaps,
        () if elsewhere || made_up || !is_gone(item, base, head) => Stands::Yes,
        () if other::is_made(item, head, owners, now) => Stands::Yes,
        () if head.table().language() == Language::Python && gives_names_newly(base, head) => {
            if item.container.is_empty() { Stands::Perhaps } else { Stands::No }
        }
        () if base.table().language() != Language::Rust => Stands::No,
        () if rust::is_under_another_name(item, now) => Stands::Yes,
        () if rust::may_be_made(item, base, head) => Stands::Perhaps,
        () if owners.is_empty() && is_in_a_macro(&item.container, head) => Stands::Perhaps,
        () => Stands::No,
    }
}

/// Whether a module made up names before the change as well: then it need not make up this one.
fn answered_before(base: &Tree) -> bool {
    memchr::memmem::find(base.text(), b"\ndef __getattr__(").is_some()
}

/// `globals()["red"] = ..`, since the change.
fn gives_names_newly(base: &Tree, head: &Tree) -> bool {
    let gives = |tree: &Tree| memchr::memmem::find(tree.text(), b"globals()").is_some();
    gives(head) && !gives(base)
}

/// Whether the type that something belongs to is defined inside a macro now.
fn is_in_a_macro(container: &str, head: &Tree) -> bool {
    let (_, owner) = split(container);
    !owner.is_empty() && defined(owner, head, |around| around.kind() == "token_tree").next().is_some()
}

/// The path of a container and its own name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

/// Not if the text still defines it somewhere the tree does not show: behind an error, or inside a macro that did not do so
/// before.
fn is_gone(item: &Item<'_>, base: &Tree, head: &Tree) -> bool {
    let rust = head.table().language() == Language::Rust;
    let by_keyword = rust && !matches!(item.kind, ItemKind::Field | ItemKind::Variant);
    match (head.root().has_error(), by_keyword) {
        (true, true) => defined(&item.name, head, |_| true).next().is_none(),
        (true, false) => !mentions(head.text(), &item.name),
        (false, _) if !rust => !is_macro_now(&item.name, head),
        (false, _) => {
            let in_macros = defined(&item.name, head, |around| around.kind() == "token_tree");
            in_macros.take(MOST_IN_MACROS).all(|at| was_there(head, at..at + item.name.len(), base))
        }
    }
}

/// More definitions of one name in macros are not looked at.
const MOST_IN_MACROS: usize = 20;

/// Whether a macro, with what it is given around a place, stood in the file before, word for word.
fn was_there(head: &Tree, place: Range<usize>, base: &Tree) -> bool {
    let around = head.covering(place).ancestors().filter(|around| around.kind() == "token_tree").last();
    let called = around.and_then(|given| given.parent());
    called.is_none_or(|call| memchr::memmem::find(base.text(), call.bytes()).is_some())
}

/// What a macro of C does now, callers need not know.
fn is_macro_now(name: &str, head: &Tree) -> bool {
    let of_c = matches!(head.table().language(), Language::C | Language::Cpp);
    of_c && memchr::memmem::find(head.text(), format!("define {name}").as_bytes()).is_some()
}

/// More mentions of a name are not looked at.
const MOST_MENTIONS: usize = 200;

/// Where the name stands behind a word that defines it, in a place that is wanted or inside one.
fn defined<'t>(
    name: &'t str,
    tree: &'t Tree,
    wanted: impl Fn(Node<'_>) -> bool + 't,
) -> impl Iterator<Item = usize> + 't {
    const KEYWORDS: [&[u8]; 7] = [b"fn", b"struct", b"enum", b"trait", b"type", b"const", b"static"];
    let text = tree.text();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let found = memchr::memmem::find_iter(text, name).take(MOST_MENTIONS);
    found.filter(move |at| {
        let before = text[..*at].trim_ascii_end();
        let word = before.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |space| space + 1);
        let whole = before.len() < *at && !text.get(at + name.len()).is_some_and(is_word);
        whole
            && KEYWORDS.contains(&&before[word..])
            && tree.covering(*at..at + name.len()).ancestors().any(&wanted)
    })
}
