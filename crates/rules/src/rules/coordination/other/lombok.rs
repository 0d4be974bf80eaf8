//! Methods that Lombok writes for a class of Java.

use crate::rules::coordination::made::ByPath;
use crate::syntax::{Item, ItemKind, Node};

/// What gives a class its getters, setters, copies and builders.
const READING: [&str; 3] = ["Getter", "Data", "Value"];
const WRITING: [&str; 2] = ["Setter", "Data"];
const COPYING: [&str; 3] = ["With", "Wither", "Withers"];
const BUILDING: [&str; 3] = ["Builder", "SuperBuilder", "Jacksonized"];

pub(super) fn makes(item: &Item<'_>, owners: &[&Item<'_>], now: &ByPath<'_, '_>) -> bool {
    if item.kind != ItemKind::Function {
        return false;
    }
    let name = item.name.as_str();
    let on_class = |words: &[&str]| owners.iter().any(|owner| is_marked(owner.node, words));
    if matches!(name, "builder" | "toBuilder") {
        return on_class(&BUILDING);
    }
    if matches!(name, "equals" | "hashCode" | "toString") {
        return on_class(&["Data", "Value", "EqualsAndHashCode", "ToString"]);
    }
    let ways: [(&str, &[&str]); 4] =
        [("get", &READING), ("is", &READING), ("set", &WRITING), ("with", &COPYING)];
    let of_field = |field: &str, words: &[&str]| {
        let fields = now.get(&(item.container.as_ref(), field)).map(Vec::as_slice).unwrap_or_default();
        let declared = |one: &&Item<'_>| one.kind == ItemKind::Field;
        let marked = |one: &Item<'_>| one.node.parent().is_some_and(|around| is_marked(around, words));
        fields
            .iter()
            .filter(|one| declared(one))
            .any(|one| on_class(words) || marked(one) || is_marked(one.node, words))
    };
    let fluent = || on_class(&["Accessors"]) && (of_field(name, &READING) || of_field(name, &WRITING));
    ways.iter().any(|(beginning, words)| {
        let rest = name.strip_prefix(beginning).unwrap_or_default();
        let field = decapitalised(rest);
        // A flag may be called like its getter.
        !rest.is_empty() && (of_field(&field, words) || (*beginning == "is" && of_field(name, words)))
            || (*beginning == "set" && of_field(&format!("is{rest}"), words))
    }) || fluent()
}

fn decapitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn is_marked(node: Node<'_>, words: &[&str]) -> bool {
    let modifiers = node.child_of(&["modifiers"]).into_iter().flat_map(|list| list.named_children());
    let marks = modifiers.filter(|one| one.is_kind(&["marker_annotation", "annotation"]));
    marks.filter_map(|one| one.child("name")).any(|name| {
        let text = name.text();
        words.contains(&text.rsplit('.').next().unwrap_or_default())
    })
}
