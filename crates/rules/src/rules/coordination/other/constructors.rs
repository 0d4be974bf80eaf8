//! Constructors that are no functions: those that stand behind the name of a class or record, and those that a class has
//! when nobody writes one.

use std::collections::HashMap;

use super::super::lost::{Line, Loss, Proof, Sort};
use super::super::rust::Beyond;
use crate::language::Language;
use crate::syntax::{Arity, Item, ItemKind, Node, Tree, Visibility, arity_of, items};

/// Ways to make a value of a class that were there and are not now.
pub(super) fn lost(base: &Tree, head: Option<&Tree>) -> Vec<Beyond> {
    let Some(head) = head else { return Vec::new() };
    let now = items(head);
    let mut by_path: HashMap<String, Vec<&Item<'_>>> = HashMap::new();
    for item in now.iter().filter(|item| item.kind == ItemKind::Type) {
        by_path.entry(item.path()).or_default().push(item);
    }
    let before = items(base);
    let types =
        before.iter().filter(|item| item.kind == ItemKind::Type && item.visibility == Visibility::Public);
    let changed = types.filter_map(|item| {
        let [is] = by_path.get(&item.path())?.as_slice() else { return None };
        let (was, now) = (constructors(item.node)?, constructors(is.node)?);
        let lost = was.iter().find(|one| !now.iter().any(|other| other.covers(**one)))?;
        Some(Beyond {
            sort: Sort::Item(ItemKind::Function),
            container: item.path(),
            name: item.name.clone(),
            loss: Loss::Narrowed { was: *lost, is: now.clone() },
            proof: Proof::Certain,
            line: Line::New(is.name_node.line()),
        })
    });
    changed.collect()
}

/// What may be given to make one. Absent where that is not to be seen, or said by functions.
fn constructors(class: Node<'_>) -> Option<Vec<Arity>> {
    match class.tree().table().language() {
        Language::Kotlin => of_kotlin(class),
        Language::Java => {
            Some(class).filter(|class| class.kind() == "record_declaration").and_then(of_record)
        }
        Language::CSharp => of_record(class),
        _ => None,
    }
}

fn of_kotlin(class: Node<'_>) -> Option<Vec<Arity>> {
    const OTHERS: [&[u8]; 2] = [b"enum", b"annotation"];
    let modifiers = class.child_of(&["modifiers"]).into_iter().flat_map(|list| list.descendants());
    let is_other = modifiers.into_iter().any(|word| OTHERS.contains(&word.bytes()));
    if class.kind() != "class_declaration" || class.child_of(&["interface"]).is_some() || is_other {
        return None;
    }
    let primary = class.child_of(&["primary_constructor"]);
    let body = class.child_of(&["class_body"]).into_iter().flat_map(|body| body.named_children());
    let secondary: Vec<Node<'_>> = body.filter(|member| member.kind() == "secondary_constructor").collect();
    // One that is not for everybody, others cannot use.
    let is_open = |one: &Node<'_>| {
        let modifiers = one.child_of(&["modifiers"]);
        modifiers.is_none_or(|list| list.child_of(&["visibility_modifier"]).is_none())
    };
    if primary.is_none() && secondary.is_empty() {
        return Some(vec![Arity::exactly(0)]);
    }
    let lists = ["class_parameters", "function_value_parameters"];
    let arity = |one: Node<'_>| one.child_of(&lists).map_or(Some(Arity::exactly(0)), arity_of);
    primary.into_iter().chain(secondary).filter(is_open).map(arity).collect()
}

/// By the list behind the name, and by the constructors that the body adds.
fn of_record(class: Node<'_>) -> Option<Vec<Arity>> {
    let list = class.child_of(&["parameter_list", "formal_parameters"])?;
    let members = class.child("body").into_iter().flat_map(|body| body.named_children());
    let written = members.filter(|member| member.kind() == "constructor_declaration");
    let lists = written.filter_map(|member| member.child("parameters"));
    std::iter::once(list).chain(lists).map(arity_of).collect()
}

/// What a class takes that has lost all the constructors it wrote: nothing, if none comes from elsewhere.
pub(super) fn unwritten(class: Node<'_>) -> Option<Arity> {
    const ABOVE: [&str; 8] = [
        "superclass",
        "base_list",
        "class_heritage",
        "argument_list",
        "parameter_list",
        "attribute_list",
        "decorator",
        "type_parameters",
    ];
    const MARKED: [&str; 3] = ["annotation", "marker_annotation", "decorator"];
    let told = matches!(class.kind(), "class_declaration" | "class_definition");
    let language = class.tree().table().language();
    let known =
        matches!(language, Language::Java | Language::CSharp | Language::TypeScript | Language::Python);
    let is_marked = class.child_of(&["modifiers"]).is_some_and(|list| list.child_of(&MARKED).is_some())
        || class.parent().is_some_and(|around| around.child_of(&["decorator"]).is_some());
    // Another part of it may stand in another file.
    let is_partial = class.children().any(|child| child.kind() == "modifier" && child.bytes() == b"partial");
    // Python may make one before anybody prepares it.
    let makes = |member: Node<'_>| member.child("name").is_some_and(|name| name.bytes() == b"__new__");
    let is_made_before = language == Language::Python
        && class.child("body").is_some_and(|body| body.named_children().any(makes));
    (told && known && class.child_of(&ABOVE).is_none() && !is_marked && !is_partial && !is_made_before)
        .then(|| Arity::exactly(0))
}
