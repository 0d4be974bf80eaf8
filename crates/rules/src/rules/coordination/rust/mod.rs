//! What breaks users of a Rust crate, as far as it can be seen in the text: the facts are those of the chapter on
//! semantic versioning in the book of Cargo.

mod auto;
mod exports;
mod function;
mod given;
mod impls;
mod made;
mod marks;
mod shape;
mod traits;
mod types;
mod variants;
mod within;

use std::collections::HashMap;

pub(super) use exports::is_inner;
pub(super) use given::is_given_by_a_trait;
pub(super) use made::{doubt_what_is_exported, may_be_made};
use marks::Marks;
use types::{Generics, differ, is_well_known, plain};

use super::lost::{Line, Loss, Proof, Sort};
use super::made::ByPath;
use crate::syntax::{Item, Node, Tree};

/// What happened to an item that is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alteration {
    /// As a sentence goes on behind its name.
    pub(super) how: String,
    pub(super) proof: Proof,
}

impl Alteration {
    fn certain(how: impl Into<String>) -> Self {
        Alteration { how: how.into(), proof: Proof::Certain }
    }

    /// What only some users write out, and many projects hold to be no break.
    fn likely(how: impl Into<String>) -> Self {
        Alteration { how: how.into(), proof: Proof::Likely }
    }
}

/// Whether others have to write a function themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    None,
    ToBeImplemented,
}

/// Something that is no item of its own: a module, an export, a macro, an implementation.
#[derive(Debug)]
pub(super) struct Beyond {
    pub(super) sort: Sort,
    pub(super) container: String,
    pub(super) name: String,
    pub(super) loss: Loss,
    pub(super) proof: Proof,
    pub(super) line: Line,
}

impl Beyond {
    fn new(sort: Sort, (container, name): &(String, String), loss: Loss, proof: Proof, line: Line) -> Self {
        Beyond { sort, container: container.clone(), name: name.clone(), loss, proof, line }
    }
}

/// Modules, macros, exports and implementations that are gone.
pub(super) fn beyond(base: &Tree, head: Option<&Tree>) -> Vec<Beyond> {
    let mut found = exports::compare(base, head);
    found.extend(impls::compare(base, head));
    found
}

/// Type and name of each trait that a file implements.
pub(super) fn implementations(tree: &Tree) -> impl Iterator<Item = (String, String)> {
    impls::names(tree)
}

/// The names that a file lets out by those of its `use` declarations that `wanted` picks.
pub(super) fn exported<'t>(tree: &'t Tree, wanted: impl Fn(Node<'t>) -> bool) -> Vec<String> {
    exports::names(tree, wanted)
}

/// The items that others find under a path that is not where they stand.
pub(super) fn exposed<'t>(tree: &'t Tree, items: &[Item<'t>]) -> Vec<Item<'t>> {
    within::exposed(tree, items)
}

/// Whether it is public by itself in a place that is not, and may yet be let out: no test, nothing that the
/// documentation hides, nothing in a module of which the whole is seen here.
pub(super) fn says_pub(item: &Item<'_>) -> bool {
    let shut = |node: Node<'_>| {
        let marks = marks::marks(node);
        marks.test_only || marks.hidden || (node.kind() == "mod_item" && !exports::is_pub(node))
    };
    exports::is_pub(item.node) && !shut(item.node) && !item.node.ancestors().any(shut)
}

/// Whether it says that the crate, or a part of it, may use it.
pub(super) fn is_for_the_crate(item: &Item<'_>) -> bool {
    let said = || item.node.child_of(&["visibility_modifier"]).is_some_and(|said| said.bytes() != b"pub");
    item.node.kind() == "function_item" && said() && !is_linked(item) && !is_shut_off(item.node)
}

/// Whether it, or something around it, is built for tests or for nobody, or is in a block that the documentation hides.
pub(super) fn is_shut_off(node: Node<'_>) -> bool {
    let own = marks::marks(node);
    let shut = |node: Node<'_>| {
        node.is_kind(&["mod_item", "impl_item", "trait_item", "enum_item", "struct_item", "union_item"]) && {
            let marks = marks::marks(node);
            marks.test_only || (marks.hidden && !own.deprecated && node.kind() == "impl_item")
        }
    };
    own.test_only || node.ancestors().any(shut)
}

/// Whether programs of other languages find it by its name, whoever may see it here.
pub(super) fn is_linked(item: &Item<'_>) -> bool {
    let marks = || marks::marks(item.node);
    item.node.kind() == "function_item" && {
        let marks = marks();
        marks.no_mangle || !marks.export_name.is_empty()
    }
}

/// Of the items of that name those in an `impl` of exactly the same type and trait, if there are any: `S<A>` and `S<B>` may
/// each have a method of one name, and so may `S` itself and a trait that it implements. Else those in blocks that had none
/// of that name `before`.
pub(super) fn of_the_same_block<'i, 't>(
    was: &Item<'_>,
    same: &[&'i Item<'t>],
    before: &[&Item<'_>],
) -> Vec<&'i Item<'t>> {
    let block = |item: &Item<'_>| {
        let around = item.node.parent()?.parent()?;
        let part = |field| around.child(field).map(plain);
        (around.kind() == "impl_item").then(|| Some((part("type")?, part("trait"))))?
    };
    let (Some(wanted), true) = (block(was), same.len() > 1 || before.len() > 1) else { return same.to_vec() };
    let exact: Vec<&Item<'_>> =
        same.iter().copied().filter(|item| block(item).as_ref() == Some(&wanted)).collect();
    if !exact.is_empty() {
        return exact;
    }
    let taken: Vec<Option<(String, Option<String>)>> = before.iter().map(|item| block(item)).collect();
    same.iter().copied().filter(|item| !taken.contains(&block(item))).collect()
}

/// Nobody writes more definitions into one file, and for each that is gone all are gone through.
const MOST_DEFINED: usize = 5_000;

/// Whether a block of another name for the type has it: `type Time = Local;`, then `impl Time { .. }`.
pub(super) fn is_under_another_name(item: &Item<'_>, now: &ByPath<'_, '_>) -> bool {
    let owner = item.container.rsplit('.').next().unwrap_or_default();
    let stands_for = |alias: &Item<'_>| {
        let meant = alias.node.child("type").filter(|_| alias.node.kind() == "type_item").map(plain);
        meant.is_some_and(|meant| meant.split('<').next() == Some(owner))
    };
    let mut others =
        now.iter().filter(|((_, name), _)| *name == item.name).map(|((container, _), _)| *container);
    !owner.is_empty()
        && now.len() <= MOST_DEFINED
        && others.any(|container| {
            let path = container.rsplit_once('.').unwrap_or(("", container));
            now.get(&path).is_some_and(|same| same.iter().any(|alias| stands_for(alias)))
        })
}

/// A member of a trait that the documentation hides: nobody is meant to call it, or to implement the trait.
pub(super) fn is_hidden_member(item: &Item<'_>) -> bool {
    let around = item.node.parent().and_then(|list| list.parent());
    around.is_some_and(|around| around.kind() == "trait_item") && marks::marks(item.node).hidden
}

/// A type of a trait with a default, which the grammar takes for an alias: what becomes of it is told of the trait.
pub(super) fn is_type_of_trait(item: &Item<'_>) -> bool {
    let around = item.node.parent().and_then(|list| list.parent());
    item.node.kind() == "type_item" && around.is_some_and(|around| around.kind() == "trait_item")
}

/// A variant that the documentation hides, mostly to keep others from matching all of them.
pub(super) fn is_hidden_variant(item: &Item<'_>) -> bool {
    item.node.kind() == "enum_variant" && marks::marks(item.node).hidden
}

/// Which traits others cannot implement, by the text they are in and where they begin: asked once for each.
#[derive(Debug, Default)]
pub(super) struct Sealed {
    known: HashMap<(*const Tree, usize), bool>,
}

impl Sealed {
    fn has(&mut self, node: Node<'_>) -> bool {
        let key = (std::ptr::from_ref(node.tree()), node.range().start);
        *self.known.entry(key).or_insert_with(|| traits::is_sealed(node))
    }
}

/// More that happened to one item is not told.
const MOST_SAID: usize = 8;

/// All that others will notice about an item that kept its name and place.
pub(super) fn altered(was: &Item<'_>, is: &Item<'_>, sealed: &mut Sealed) -> Option<Alteration> {
    if text(was.node) == text(is.node) {
        return None;
    }
    let found = compare(was.node, is.node, sealed);
    let proof = found.iter().map(|one| one.proof).max()?;
    let conditional = marks::marks(was.node).conditional || marks::marks(is.node).conditional;
    let mut said: Vec<String> =
        found.into_iter().filter(|one| one.proof == proof).map(|one| one.how).collect();
    said.truncate(MOST_SAID);
    Some(Alteration {
        how: said.join(" and "),
        proof: if conditional { proof.min(Proof::Likely) } else { proof },
    })
}

/// An item with its attributes; a function without its body.
fn text<'t>(node: Node<'t>) -> &'t [u8] {
    let end = match node.kind() {
        "function_item" => node.child("body").map_or(node.range().end, |body| body.range().start),
        _ => node.range().end,
    };
    node.tree().text().get(marks::beginning(node)..end).unwrap_or_default()
}

fn compare(old: Node<'_>, new: Node<'_>, sealed: &mut Sealed) -> Vec<Alteration> {
    let mut found = match (old.kind(), new.kind()) {
        ("function_item" | "function_signature_item", "function_item" | "function_signature_item") => {
            function::compare(old, new, demand(old, new, sealed))
        }
        ("struct_item", "struct_item") | ("union_item", "union_item") => shape::compare(old, new),
        ("enum_item", "enum_item") => variants::compare(old, new),
        ("trait_item", "trait_item") => traits::compare(old, new),
        ("field_declaration", "field_declaration") => changed_type(old, new),
        ("const_item", "const_item") => changed_type(old, new),
        ("static_item", "static_item") => {
            let mut found = changed_type(old, new);
            found.extend(mutability(old, new));
            found
        }
        ("const_item", "static_item") => vec![Alteration::certain("became a static")],
        ("static_item", "const_item") => {
            vec![Alteration { how: "became a constant".to_owned(), proof: Proof::Likely }]
        }
        ("union_item", "struct_item") if shape::is_the_same_to_use(old, new) => return Vec::new(),
        // An alias may stand for the same.
        ("type_item", "type_item") => changed_type(old, new),
        ("struct_item" | "enum_item" | "union_item", "type_item") => return replaced(old, new),
        ("type_item", _) | (_, "type_item") => return Vec::new(),
        ("struct_item" | "enum_item" | "union_item" | "trait_item", kind) => {
            return vec![Alteration::certain(format!("became {}", called(kind)))];
        }
        _ => return Vec::new(),
    };
    if old.kind() == new.kind()
        && old.is_kind(&["struct_item", "enum_item", "union_item", "trait_item", "type_item"])
    {
        found.extend(Generics::of(old).broken_for_a_type(&Generics::of(new)).map(Alteration::certain));
    }
    if old.is_kind(&["struct_item", "enum_item", "union_item"]) {
        found.extend(auto::compare(old, new));
    }
    found
}

/// A type that is now another name for one: mostly of its own that moved, with the same parameters.
fn replaced(old: Node<'_>, new: Node<'_>) -> Vec<Alteration> {
    let target = new.child("type").map(plain).unwrap_or_default();
    if is_well_known(&target) {
        return vec![Alteration::certain(format!("became another name for {target}"))];
    }
    Generics::of(old).broken_for_a_type(&Generics::of(new)).map(Alteration::certain).into_iter().collect()
}

fn called(kind: &str) -> &'static str {
    match kind {
        "struct_item" => "a struct",
        "enum_item" => "an enum",
        "union_item" => "a union",
        "trait_item" => "a trait",
        _ => "something else",
    }
}

fn demand(old: Node<'_>, new: Node<'_>, sealed: &mut Sealed) -> Demand {
    let mut of_trait = |node: Node<'_>| {
        let around = node.parent().and_then(|list| list.parent());
        around.filter(|around| around.kind() == "trait_item").is_some_and(|around| !sealed.has(around))
    };
    if of_trait(old) && of_trait(new) { Demand::ToBeImplemented } else { Demand::None }
}

fn changed_type(old: Node<'_>, new: Node<'_>) -> Vec<Alteration> {
    let kind = |node: Node<'_>| node.child("type").map(plain).unwrap_or_default();
    let (was, is) = (kind(old), kind(new));
    differ(&was, &is).then(|| Alteration::certain(format!("is {is} instead of {was}"))).into_iter().collect()
}

fn mutability(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    let is_mut = |node: Node<'_>| node.child_of(&["mutable_specifier"]).is_some();
    match (is_mut(old), is_mut(new)) {
        (true, false) => Some(Alteration::certain("is no longer mutable")),
        (false, true) => Some(Alteration::certain("became mutable, and unsafe to use")),
        _ => None,
    }
}
