//! What macros may write for a crate: what they make of the words they are given, nobody sees here.

use std::collections::HashSet;

use super::exports::{brought, is_pub};
use super::marks::{attributes, last_word, listed};
use crate::context::ChangeContext;
use crate::language::Language;
use crate::rules::coordination::lost::{Loss, Lost, Proof};
use crate::syntax::{Item, Node, Tree};

/// Whether a macro may have taken the place of a definition: a new derive or attribute of the type it belongs to, or a
/// macro among the items that is given its name since.
pub(in super::super) fn may_be_made(item: &Item<'_>, base: &Tree, head: &Tree) -> bool {
    let owner = item.container.rsplit('.').next().unwrap_or_default();
    (!owner.is_empty() && has_new_writer(base, head, owner))
        || (is_given_to_a_macro(&item.name, head) && !is_given_to_a_macro(&item.name, base))
}

/// Whether a type has a derive or an attribute since the change that may write implementations for it.
pub(super) fn has_new_writer(base: &Tree, head: &Tree, owner: &str) -> bool {
    let before = writers(base, owner);
    writers(head, owner).iter().any(|one| !before.contains(one))
}

/// Derives of which everybody knows what they write, and attributes that write nothing.
const KNOWN: [&str; 35] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
    "Deserialize",
    "allow",
    "cfg",
    "cfg_attr",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "path",
    "repr",
    "rustfmt",
    "serde",
    "test",
    "warn",
    "clippy",
    "derive",
    "automatically_derived",
    "diagnostic",
    "cold",
    "track_caller",
];

fn writers(tree: &Tree, owner: &str) -> HashSet<String> {
    let found = memchr::memmem::find_iter(tree.text(), owner).take(MOST_MENTIONS);
    let names = found.map(|at| tree.covering(at..at + owner.len()));
    let types = names.filter_map(|name| {
        let whole = name.field() == "name" && name.bytes() == owner.as_bytes();
        name.parent().filter(|around| whole && around.is_kind(&["struct_item", "enum_item", "union_item"]))
    });
    let names = types.flat_map(|node| attributes(node).collect::<Vec<_>>()).flat_map(words);
    names.filter(|name| !KNOWN.contains(&name.as_str())).collect()
}

/// What is derived, or the name of the attribute.
fn words(attribute: Node<'_>) -> Vec<String> {
    let text: String = attribute.text().split_whitespace().collect();
    let inner = text.trim_start_matches("#[").trim_end_matches(']');
    let path = inner.split(['(', '=']).next().unwrap_or_default();
    let mut found = vec![last_word(path)];
    found.extend(listed(inner, "derive(").iter().map(|path| last_word(path)));
    found
}

/// More mentions of a name are not looked at.
const MOST_MENTIONS: usize = 100;

/// Whether a macro that stands where items do is given the name.
fn is_given_to_a_macro(name: &str, tree: &Tree) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let text = tree.text();
    let mentions = memchr::memmem::find_iter(text, name).take(MOST_MENTIONS);
    mentions.into_iter().any(|at| {
        let end = at + name.len();
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        if before.is_some_and(is_word) || text.get(end).is_some_and(is_word) {
            return false;
        }
        let node = tree.covering(at..end);
        let around = || std::iter::once(node).chain(node.ancestors());
        around().any(|one| one.kind() == "macro_invocation")
            && !around().any(|one| one.is_kind(&["block", "macro_definition"]))
    })
}

/// Doubts that something is gone that another file of the change still lets out: without it nothing would build.
pub(in super::super) fn doubt_what_is_exported(change: &ChangeContext<'_>, lost: &mut [Lost<'_>]) {
    let may_be = |one: &Lost<'_>| {
        let rust = one.file.language == Language::Rust && one.file.change.new.is_some();
        rust && one.loss == Loss::Gone && one.proof == Proof::Certain && one.container.is_empty()
    };
    if !lost.iter().any(may_be) {
        return;
    }
    let mut exported: HashSet<(String, String)> = HashSet::new();
    for file in change.files.iter().filter(|file| file.language == Language::Rust && file.skipped.is_none()) {
        let (_, Some(head)) = file.sides() else { continue };
        let uses = head.root().descendants().filter(|node| node.kind() == "use_declaration" && is_pub(*node));
        for one in uses.flat_map(brought) {
            let mut parts = one.path.rsplit("::");
            if let (Some(name), Some(module)) = (parts.next(), parts.next()) {
                exported.insert((module.to_owned(), name.to_owned()));
            }
        }
    }
    for one in lost.iter_mut().filter(|one| may_be(one)) {
        let path = one.file.change.path().to_string();
        let stem = path.trim_end_matches(".rs").trim_end_matches("/mod");
        let module = stem.rsplit('/').next().unwrap_or_default();
        if exported.contains(&(module.to_owned(), one.name.clone())) {
            one.proof = Proof::Slight;
        }
    }
}
