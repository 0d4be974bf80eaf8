//! Methods and constants of a type that a trait gives it instead.

use super::function;
use super::marks::marks;
use super::types::plain;
use super::{Demand, exports::is_pub};
use crate::syntax::{Item, Node, Tree};

/// No type has more.
const MOST_TRAITS: usize = 100;

/// Whether the type still has it, by a trait that others can name: they go on calling it in the same way.
pub(in super::super) fn is_given_by_a_trait(item: &Item<'_>, head: &Tree) -> bool {
    if memchr::memmem::find(head.text(), item.name.as_bytes()).is_none() {
        return false;
    }
    let around = item.node.parent().and_then(|list| list.parent());
    let Some(block) = around.filter(|block| block.kind() == "impl_item" && block.child("trait").is_none())
    else {
        return false;
    };
    let owner = block.child("type").map(base_name).unwrap_or_default();
    let blocks = head.root().descendants().filter(|node| node.kind() == "impl_item");
    let of_traits = blocks.filter_map(|node| Some((node, node.child("trait")?)));
    let its = of_traits.filter(|(node, _)| node.child("type").map(base_name).unwrap_or_default() == owner);
    its.take(MOST_TRAITS).any(|(node, given)| {
        let marks = marks(node);
        !marks.hidden && !marks.test_only && gives(node, &base_name(given), item)
    })
}

/// By the block itself, or by what the trait does for all.
fn gives(block: Node<'_>, name: &str, item: &Item<'_>) -> bool {
    let defined =
        block.tree().root().descendants().find(|node| {
            node.kind() == "trait_item" && node.child("name").is_some_and(|own| own.text() == name)
        });
    if defined.is_some_and(|node| !is_pub(node)) {
        return false;
    }
    let promised = defined.and_then(|node| member(node, &item.name));
    let hidden = promised.is_some_and(|own| marks(own).hidden);
    let found = member(block, &item.name).or(promised);
    found.is_some_and(|now| !hidden && is_alike(item.node, now))
}

fn member<'t>(block: Node<'t>, name: &str) -> Option<Node<'t>> {
    block.child("body")?.named_children().find(|one| one.child("name").is_some_and(|own| own.text() == name))
}

fn is_alike(old: Node<'_>, new: Node<'_>) -> bool {
    let count = |node: Node<'_>| node.child("parameters").map_or(0, |list| list.named_children().count());
    match old.kind() {
        "function_item" => count(old) == count(new) && function::compare(old, new, Demand::None).is_empty(),
        kind => kind == new.kind(),
    }
}

/// `Vec` of `std::vec::Vec<T>`.
fn base_name(kind: Node<'_>) -> String {
    plain(kind).split('<').next().unwrap_or_default().to_owned()
}
