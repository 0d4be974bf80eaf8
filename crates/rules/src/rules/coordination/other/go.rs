use super::super::rust::Alteration;
use super::{changed_types, demanded, kind, likely};
use crate::language::Language;
use crate::syntax::{Item, ItemKind, Node};

pub(super) fn altered(was: &Item<'_>, is: &Item<'_>) -> Option<Alteration> {
    match was.kind {
        // A variable may hold a function as well.
        ItemKind::Function if is.kind != ItemKind::Function => None,
        ItemKind::Function => function(was.node, is.node),
        ItemKind::Type => defined(was.node, is.node),
        ItemKind::Field | ItemKind::Variant | ItemKind::Constant => declared(was.node, is.node),
    }
}

fn function(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    let receiver = |node: Node<'_>| {
        let list = node.child("receiver")?;
        Some(list.descendants().any(|part| part.kind() == "pointer_type"))
    };
    if let (Some(false), Some(true)) = (receiver(old), receiver(new)) {
        return Some(likely("belongs to the pointer now, and values lack it".to_owned()));
    }
    changed_types(old, new, Language::Go).map(likely)
}

fn defined(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    if old.kind() != "type_spec" || new.kind() != "type_spec" {
        return None;
    }
    if let Some(how) = demanded(old, new) {
        return Some(likely(how));
    }
    let parameters = |node: Node<'_>| {
        let list = node.child("type_parameters");
        list.map_or(0, |list| list.named_children().count())
    };
    if parameters(old) != parameters(new) {
        return Some(likely("takes other type parameters".to_owned()));
    }
    let (was, is) = (old.child("type")?, new.child("type")?);
    let composed =
        |node: Node<'_>| node.is_kind(&["struct_type", "interface_type", "map_type", "slice_type"]);
    match (was.kind() == is.kind(), composed(was), composed(is)) {
        (false, true, true) => Some(likely(format!("became {} instead of {}", called(is), called(was)))),
        (true, false, false) if was.bytes() != is.bytes() && is_basic(was) && is_basic(is) => {
            Some(likely(format!("is {} instead of {}", is.text(), was.text())))
        }
        _ => None,
    }
}

fn called(node: Node<'_>) -> &'static str {
    match node.kind() {
        "struct_type" => "a struct",
        "interface_type" => "an interface",
        "map_type" => "a map",
        _ => "a slice",
    }
}

fn is_basic(node: Node<'_>) -> bool {
    const BASIC: [&[u8]; 16] = [
        b"bool", b"string", b"int", b"int8", b"int16", b"int32", b"int64", b"uint", b"uint8", b"uint16",
        b"uint32", b"uint64", b"byte", b"rune", b"float32", b"float64",
    ];
    BASIC.contains(&node.bytes())
}

/// A field, variable or constant: the type stands behind all names of one declaration.
fn declared(old: Node<'_>, new: Node<'_>) -> Option<Alteration> {
    let said =
        |name: Node<'_>| name.parent().map(|declaration| kind(declaration, "type")).unwrap_or_default();
    let (was, is) = (said(old), said(new));
    let known = !was.is_empty() && !is.is_empty();
    (known && was != is).then(|| likely(format!("is {is} instead of {was}")))
}
