//! Methods of Ruby that a call makes of a symbol.

use crate::syntax::{Item, ItemKind, Tree};

/// `delegate :size, to: :items`, `alias_method :b, :a`, `%i[a b].each { |name| define_method(name) { .. } }`.
pub(super) fn makes(item: &Item<'_>, head: &Tree) -> bool {
    const MAKING: [&[u8]; 22] = [
        b"delegate",
        b"def_delegator",
        b"def_delegators",
        b"def_instance_delegator",
        b"def_instance_delegators",
        b"instance_delegate",
        b"delegate_missing_to",
        b"alias_method",
        b"alias_attribute",
        b"define_method",
        b"define_singleton_method",
        b"attribute",
        b"attributes",
        b"class_attribute",
        b"mattr_accessor",
        b"cattr_accessor",
        b"store_accessor",
        b"scope",
        b"has_many",
        b"has_one",
        b"belongs_to",
        b"helper_method",
    ];
    if !matches!(item.kind, ItemKind::Function | ItemKind::Field) {
        return false;
    }
    let found = memchr::memmem::find_iter(head.text(), &item.name).take(MOST);
    let nodes = found.map(|at| head.covering(at..at + item.name.len())).map(|node| match node.kind() {
        "string_content" => node.parent().unwrap_or(node),
        _ => node,
    });
    let mut symbols = nodes.filter(|node| {
        node.is_kind(&["simple_symbol", "bare_symbol", "identifier"])
            && node.bytes().strip_prefix(b":").unwrap_or(node.bytes()) == item.name.as_bytes()
    });
    symbols.any(|symbol| {
        let around = || symbol.ancestors();
        let inside = around().any(|one| one.is_kind(&["method", "singleton_method"]));
        let renamed = symbol.parent().is_some_and(|one| one.kind() == "alias") && symbol.field() == "name";
        let made = symbol.kind() != "identifier"
            && around().filter(|one| one.kind() == "call").any(|call| {
                let method = call.child("method");
                let listed = call.child("receiver").is_some_and(|list| list.kind() == "symbol_array");
                method.is_some_and(|name| MAKING.contains(&name.bytes()))
                    || (listed && memchr::memmem::find(call.bytes(), b"define_method").is_some())
            });
        !inside && (renamed || made)
    })
}

/// More mentions of a name are not looked at.
const MOST: usize = 50;
