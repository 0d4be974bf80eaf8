//! Traits that a type has by itself, for what it is made of: one field decides about all.

use std::collections::BTreeSet;

use super::{Alteration, implementations};
use crate::rules::coordination::lost::Proof;
use crate::syntax::{Item, ItemKind, Node, Tree, items};

type Traits = BTreeSet<&'static str>;

/// Types of the standard library inside one another; nobody nests them deeper.
const DEEPEST: usize = 12;

/// What a struct, enum or union is no longer for its users, although nobody said so.
pub(super) fn compare(old: Node<'_>, new: Node<'_>) -> Vec<Alteration> {
    let (was, is) = (lacking_in(old), lacking_in(new));
    let name = new.child("name").map(|name| name.text().into_owned()).unwrap_or_default();
    let mut lost: Traits = is.difference(&was).copied().collect();
    if !lost.is_empty() {
        let said: BTreeSet<String> = implementations(new.tree())
            .filter(|(owner, _)| *owner == name)
            .map(|(_, given)| given.trim_start_matches("impl ").to_owned())
            .collect();
        lost.retain(|one| !said.contains(*one));
    }
    let mut found: Vec<Alteration> = Vec::new();
    if !lost.is_empty() {
        let threads = lost.contains("Send") || lost.contains("Sync");
        let told: Vec<&str> = lost.into_iter().collect();
        let how = format!("is no longer {}", told.join(" and "));
        found.push(Alteration { how, proof: if threads { Proof::Certain } else { Proof::Likely } });
    }
    if field_types(new).any(is_unsized) && !field_types(old).any(is_unsized) {
        found.push(Alteration::certain("is no longer Sized"));
    }
    found
}

/// Whether a type may have one of these traits without anybody saying so: nothing that it is made of is known to lack it.
pub(super) fn may_have_by_itself(tree: &Tree, owner: &str, name: &str) -> bool {
    const AUTO: [&str; 5] = ["Send", "Sync", "Unpin", "UnwindSafe", "RefUnwindSafe"];
    let is_owner = |item: &Item<'_>| item.kind == ItemKind::Type && item.name == owner;
    AUTO.contains(&name)
        && items(tree).iter().filter(|item| is_owner(item)).all(|item| !lacking_in(item.node).contains(name))
}

/// The types of all fields, those of variants as well.
fn field_types(item: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let inside = item.child("body").into_iter().flat_map(|body| body.descendants().collect::<Vec<_>>());
    inside.filter(|node| {
        node.field() == "type"
            && node
                .parent()
                .is_some_and(|list| list.is_kind(&["field_declaration", "ordered_field_declaration_list"]))
    })
}

fn is_unsized(kind: Node<'_>) -> bool {
    match kind.kind() {
        "array_type" => kind.child("length").is_none(),
        "primitive_type" => kind.bytes() == b"str",
        "dynamic_type" => true,
        "bounded_type" => kind.bytes().starts_with(b"dyn "),
        _ => false,
    }
}

fn lacking_in(item: Node<'_>) -> Traits {
    field_types(item).flat_map(|kind| lacking(kind, 0)).collect()
}

/// As far as everybody knows what the type stands for; what is not known lacks nothing.
fn lacking(kind: Node<'_>, depth: usize) -> Traits {
    if depth > DEEPEST {
        return Traits::new();
    }
    let inside = || -> Traits { kind.named_children().flat_map(|child| lacking(child, depth + 1)).collect() };
    match kind.kind() {
        "pointer_type" => Traits::from(["Send", "Sync"]),
        "reference_type" => {
            let mut lacks = inside();
            lacks.remove("Unpin");
            if kind.child_of(&["mutable_specifier"]).is_some() {
                lacks.insert("UnwindSafe");
            } else if lacks.contains("Sync") {
                lacks.insert("Send");
            }
            lacks
        }
        "tuple_type" | "array_type" => inside(),
        "dynamic_type" => of_trait_object(kind, &[]),
        "bounded_type" => {
            let parts: Vec<Node<'_>> = kind.named_children().collect();
            let bounds: Vec<String> = parts.iter().map(|part| last_name(*part)).collect();
            let object = parts.first().filter(|first| first.kind() == "dynamic_type");
            object.map(|object| of_trait_object(*object, &bounds)).unwrap_or_default()
        }
        "generic_type" => of_generic(kind, depth),
        "type_identifier" | "scoped_type_identifier" if last_name(kind) == "PhantomPinned" => {
            Traits::from(["Unpin"])
        }
        _ => Traits::new(),
    }
}

fn last_name(node: Node<'_>) -> String {
    let text = node.text();
    let path = text.split('<').next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default().trim().to_owned()
}

/// Of a trait that does not bring them along itself.
fn of_trait_object(object: Node<'_>, bounds: &[String]) -> Traits {
    const PLAIN: [&str; 12] = [
        "Fn", "FnMut", "FnOnce", "Error", "Any", "Read", "Write", "Iterator", "Future", "Display", "Debug",
        "Drop",
    ];
    let name = object.child("trait").map(|name| {
        let text = name.text();
        let path = text.split(['<', '(']).next().unwrap_or_default();
        path.rsplit("::").next().unwrap_or_default().trim().to_owned()
    });
    if !name.is_some_and(|name| PLAIN.contains(&name.as_str())) {
        return Traits::new();
    }
    let all = ["Send", "Sync", "UnwindSafe", "RefUnwindSafe"];
    all.into_iter().filter(|one| !bounds.iter().any(|bound| bound == one)).collect()
}

fn of_generic(kind: Node<'_>, depth: usize) -> Traits {
    let arguments = kind.child("type_arguments");
    let mut lacks: Traits = arguments
        .into_iter()
        .flat_map(|list| list.named_children().collect::<Vec<_>>())
        .flat_map(|one| lacking(one, depth + 1))
        .collect();
    let name = kind.child("type").map(last_name).unwrap_or_default();
    let text = kind.text();
    match name.as_str() {
        "Rc" if is_of_std(kind, &text, "rc") => {
            lacks.remove("Unpin");
            if lacks.contains("RefUnwindSafe") {
                lacks.insert("UnwindSafe");
            }
            lacks.extend(["Send", "Sync"]);
        }
        "Arc" => {
            lacks.remove("Unpin");
            if lacks.contains("Send") || lacks.contains("Sync") {
                lacks.extend(["Send", "Sync"]);
            }
            if lacks.contains("RefUnwindSafe") {
                lacks.insert("UnwindSafe");
            }
        }
        "Cell" | "RefCell" | "UnsafeCell" if is_of_std(kind, &text, "cell") => {
            lacks.extend(["Sync", "RefUnwindSafe"]);
        }
        "Mutex" => {
            let whole = !lacks.contains("Send");
            lacks = if whole { Traits::new() } else { Traits::from(["Send", "Sync"]) };
        }
        "NonNull" => lacks.extend(["Send", "Sync"]),
        "AssertUnwindSafe" => {
            lacks.remove("UnwindSafe");
            lacks.remove("RefUnwindSafe");
        }
        "Box" => {
            lacks.remove("Unpin");
        }
        "Vec" | "VecDeque" | "Option" | "Result" | "HashMap" | "HashSet" | "BTreeMap" | "BTreeSet"
        | "PhantomData" | "ManuallyDrop" | "MaybeUninit" => {}
        _ => return Traits::new(),
    }
    lacks
}

/// Others have a `Cell` as well; the path or an import of the file has to say which one it is.
fn is_of_std(kind: Node<'_>, text: &str, module: &str) -> bool {
    let source = kind.tree().text();
    let said = |path: &str| memchr::memmem::find(source, path.as_bytes()).is_some();
    let within = format!("{module}::");
    text.starts_with("std::")
        || text.starts_with("core::")
        || ["std", "core", "alloc"].into_iter().any(|root| {
            let listed = || {
                said(&format!("{root}::{{"))
                    && memchr::memmem::find_iter(source, within.as_bytes()).any(|at| {
                        at.checked_sub(1).is_some_and(|before| b" {,\n\t".contains(&source[before]))
                    })
            };
            said(&format!("{root}::{module}")) || listed()
        })
}
