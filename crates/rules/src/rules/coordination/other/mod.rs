//! Items of other languages that kept their name and place, but not what users of them rely on.

mod constructors;
mod go;
mod java;
mod lombok;
mod python;
mod ruby;
mod script;
mod unions;

use std::collections::HashSet;

use super::lost::{Line, Loss, Proof, Sort};
use super::made::ByPath;
use super::mentions;
use super::rust::{Alteration, Beyond};
use crate::language::Language;
use crate::syntax::{Arity, Item, ItemKind, Node, Tree};

pub(super) fn altered(was: &Item<'_>, is: &Item<'_>) -> Option<Alteration> {
    let (old, new) = (was.node, is.node);
    let language = old.tree().table().language();
    match language {
        Language::Python => python::altered(was, is),
        Language::Go => go::altered(was, is),
        Language::Java => java::altered(was, is),
        Language::TypeScript | Language::JavaScript => script::altered(was, is),
        Language::CSharp if old.bytes() != new.bytes() => match was.kind {
            ItemKind::Function => changed_types(old, new, language).map(likely),
            ItemKind::Type => demanded(old, new).map(likely),
            ItemKind::Field => unsettable(old, new).map(likely),
            ItemKind::Variant | ItemKind::Constant => None,
        },
        Language::Php | Language::Kotlin | Language::Cpp if was.kind == ItemKind::Type => {
            demanded(old, new).map(likely)
        }
        _ => None,
    }
}

/// A parameter that callers could name, and cannot any more.
pub(super) fn unnamed(was: &Item<'_>, is: &Item<'_>) -> Option<String> {
    match was.node.tree().table().language() {
        Language::Python => python::unnamed(was, is),
        _ => None,
    }
}

/// Whether something around a function may give it arguments besides those of its callers.
pub(super) fn may_be_given_more(function: Node<'_>) -> bool {
    function.tree().table().language() == Language::Python && !python::giving(function).is_empty()
}

/// Whether what callers have to give cannot be told from the parameters.
pub(super) fn is_wrapped(was: &Item<'_>, is: &Item<'_>) -> bool {
    was.kind == ItemKind::Function && (may_be_given_more(was.node) || may_be_given_more(is.node))
}

/// Whether whoever builds on a type may rely on it, though not everybody.
pub(super) fn is_for_heirs(item: &Item<'_>) -> bool {
    item.node.tree().table().language() == Language::Java && java::is_for_heirs(item.node)
}

/// The method that answers for names which nobody defined.
pub(super) fn answering(language: Language) -> Option<&'static str> {
    match language {
        Language::Python => Some("__getattr__"),
        Language::Ruby => Some("method_missing"),
        Language::Php => Some("__call"),
        _ => None,
    }
}

/// Whether something else in the file makes what has lost its definition: annotations, lists of names, conventions.
pub(super) fn is_made(item: &Item<'_>, head: &Tree, owners: &[&Item<'_>], now: &ByPath<'_, '_>) -> bool {
    match head.table().language() {
        Language::Java | Language::CSharp | Language::Php if is_of_record(item, owners) => true,
        Language::Java => lombok::makes(item, owners, now),
        Language::Python => python::binds(item, head),
        Language::JavaScript | Language::TypeScript => script::spreads(item, head),
        Language::Ruby => ruby::makes(item, head),
        Language::Php if item.kind == ItemKind::Type => is_aliased_in_php(item, head),
        // Laravel calls `scopeRecent` for `recent`.
        Language::Php => {
            let mut letters = item.name.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase()).unwrap_or_default();
            let scope = format!("scope{first}{}", letters.as_str());
            now.contains_key(&(item.container.as_ref(), scope.as_str()))
        }
        _ => false,
    }
}

/// `class_alias(Basket::class, 'App\Cart')`
fn is_aliased_in_php(item: &Item<'_>, head: &Tree) -> bool {
    let calls = memchr::memmem::find_iter(head.text(), b"class_alias(").take(MOST_ALIASES);
    let texts = calls.filter_map(|at| head.text().get(at..)?.split(|byte| *byte == b';').next());
    texts.into_iter().any(|text| mentions(text, &item.name))
}

/// More other names nobody gives in one file.
const MOST_ALIASES: usize = 50;

/// Names that a file lets out without defining them, and that are gone.
pub(super) fn beyond(base: &Tree, head: Option<&Tree>, file_name: &[u8]) -> Vec<Beyond> {
    match base.table().language() {
        Language::Python if file_name == b"__init__.py" => python::exports(base, head),
        Language::TypeScript | Language::JavaScript => script::exports(base, head),
        Language::Kotlin | Language::Java | Language::CSharp => constructors::lost(base, head),
        _ => Vec::new(),
    }
}

/// What may be given to make a value of a class that has no constructor of its own, where that can be told.
pub(super) fn unwritten_constructor(class: Node<'_>) -> Option<Arity> {
    constructors::unwritten(class)
}

/// Whether a type is only another name for one that is defined elsewhere: what is in it is not lost.
pub(super) fn is_alias(item: &Item<'_>) -> bool {
    match item.node.kind() {
        "type_alias" | "type_item" | "assignment" | "alias_declaration" => true,
        "type_definition" => item.node.child("type").is_some_and(|kind| kind.child("body").is_none()),
        "type_alias_declaration" => {
            item.node.child("value").is_some_and(|value| !value.is_kind(&["object_type"]))
        }
        _ => false,
    }
}

fn likely(how: String) -> Alteration {
    Alteration { how, proof: Proof::Likely }
}

fn slight(how: String) -> Alteration {
    Alteration { how, proof: Proof::Slight }
}

fn export(name: &str, loss: Loss, line: u32) -> Beyond {
    Beyond {
        sort: Sort::Export,
        container: String::new(),
        name: name.to_owned(),
        loss,
        proof: Proof::Likely,
        line: Line::Old(line),
    }
}

/// The text of a part without spaces.
fn kind(node: Node<'_>, field: &str) -> String {
    node.child(field).map(squeezed).unwrap_or_default()
}

fn squeezed(node: Node<'_>) -> String {
    let text = node.text().split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_start_matches(':').trim().replace("interface{}", "any").replace("interface {}", "any")
}

fn changed_types(old: Node<'_>, new: Node<'_>, language: Language) -> Option<String> {
    let (was, is) = (parameter_types(old), parameter_types(new));
    let doubtless = |was: &str, is: &str| {
        let (was, is) = (was.trim_start_matches("java.lang."), is.trim_start_matches("java.lang."));
        was != is && is_comparable(was, language) && is_comparable(is, language)
    };
    let mut pairs = was.iter().zip(&is).filter(|_| was.len() == is.len());
    if let Some((was, is)) = pairs.find(|(was, is)| doubtless(was, is)) {
        return Some(format!("takes {is} instead of {was}"));
    }
    let result =
        ["result", "type", "returns", "return_type"].into_iter().find(|field| old.child(field).is_some());
    let field = result.or_else(|| (language == Language::Go).then_some("result"))?;
    let (was, is) = (results(old, field), results(new, field));
    match language {
        Language::Go if was.len() != is.len() => {
            Some(format!("returns {} values instead of {}", is.len(), was.len()))
        }
        _ => {
            let (was, is) = was.iter().zip(&is).find(|(was, is)| doubtless(was, is))?;
            Some(format!("returns {is} instead of {was}"))
        }
    }
}

/// Go knows no conversion by itself; elsewhere only what everybody knows is told apart.
fn is_comparable(text: &str, language: Language) -> bool {
    const KNOWN: [&str; 20] = [
        "string", "number", "boolean", "bigint", "void", "int", "long", "short", "byte", "char", "float",
        "double", "String", "Integer", "Long", "Boolean", "bool", "decimal", "object", "symbol",
    ];
    match language {
        Language::Go => !text.is_empty() && text != "any",
        _ => KNOWN.contains(&text.trim_end_matches("[]")),
    }
}

fn parameter_types(function: Node<'_>) -> Vec<String> {
    let list = function.child("parameters").into_iter();
    let parameters = list.flat_map(|list| list.named_children().collect::<Vec<_>>());
    parameters.filter(|one| one.child("type").is_some()).flat_map(named_types).collect()
}

/// `a, b int` are two.
fn named_types(parameter: Node<'_>) -> Vec<String> {
    let names = parameter.children().filter(|child| child.field() == "name").count().max(1);
    vec![kind(parameter, "type"); names]
}

fn results(function: Node<'_>, field: &str) -> Vec<String> {
    match function.child(field) {
        None => Vec::new(),
        Some(list) if list.kind() == "parameter_list" => {
            list.named_children().flat_map(named_types).collect()
        }
        Some(one) => vec![squeezed(one)],
    }
}

/// Whoever implements an interface, or writes a value of it, needs what it newly asks for.
fn demanded(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (members(old)?, members(new)?);
    let private = |name: &str| name.starts_with(|c: char| c.is_lowercase());
    let go = old.kind() == "type_spec";
    if go && was.iter().any(|(name, _)| private(name)) {
        // Nobody else can implement it.
        return None;
    }
    let asked: HashSet<&String> =
        was.iter().filter(|(_, required)| *required).map(|(name, _)| name).collect();
    let added = is.iter().find(|(name, required)| *required && !asked.contains(name))?;
    let known = was.iter().any(|(name, _)| *name == added.0);
    Some(if known {
        format!("demands its member {}, which was optional", added.0)
    } else {
        format!("demands the new member {} of its implementations", added.0)
    })
}

/// The names in an interface, and whether each has to be there.
fn members(node: Node<'_>) -> Option<Vec<(String, bool)>> {
    let body = match node.kind() {
        "type_spec" => node.child("type").filter(|kind| kind.kind() == "interface_type")?,
        "interface_declaration" => node.child("body")?,
        "type_alias_declaration" => node.child("value").filter(|kind| kind.kind() == "object_type")?,
        "class_declaration" if node.child_of(&["interface"]).is_some() => return of_kotlin(node),
        "class_specifier" | "struct_specifier" => return Some(of_cpp(node)),
        _ => return None,
    };
    let named = body.named_children().filter_map(|member| {
        let optional = member.child_of(&["?"]).is_some() || member.child("body").is_some();
        Some((member.child("name")?.text().into_owned(), !optional))
    });
    Some(named.collect())
}

/// The functions of an interface of Kotlin. Nobody else writes one of a sealed one.
fn of_kotlin(interface: Node<'_>) -> Option<Vec<(String, bool)>> {
    let modifiers = interface.child_of(&["modifiers"]);
    if modifiers.is_some_and(|list| mentions(list.bytes(), "sealed")) {
        return None;
    }
    let body = interface.child_of(&["class_body"]).into_iter().flat_map(|body| body.named_children());
    let functions = body.filter(|member| member.kind() == "function_declaration");
    let named = functions.filter_map(|member| {
        let name = member.child("name").or_else(|| member.child_of(&["identifier"]))?;
        Some((name.text().into_owned(), member.child_of(&["function_body"]).is_none()))
    });
    Some(named.collect())
}

/// Functions that whoever inherits has to write: `virtual int open() = 0;`.
fn of_cpp(class: Node<'_>) -> Vec<(String, bool)> {
    let members = class.child("body").into_iter().flat_map(|body| body.named_children());
    let pure = members.filter(|member| {
        let text: Vec<u8> =
            member.bytes().iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        member.kind() == "field_declaration" && text.starts_with(b"virtual") && text.ends_with(b"=0;")
    });
    let named = pure.filter_map(|member| {
        let declarator = member.descendants().find(|inner| inner.kind() == "function_declarator")?;
        Some((declarator.child("declarator")?.text().into_owned(), true))
    });
    named.collect()
}

/// A property of C# that everybody could set.
fn unsettable(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let settable = |node: Node<'_>| {
        let list = node.child_of(&["accessor_list"]).into_iter().flat_map(|list| list.named_children());
        list.into_iter().any(|one| one.bytes().starts_with(b"set") || one.bytes().starts_with(b"init"))
    };
    let are_properties = old.kind() == "property_declaration" && new.kind() == "property_declaration";
    (are_properties && settable(old) && !settable(new)).then(|| "can no longer be set".to_owned())
}

/// Whether a record has, by what stands behind its name, what was written in its body before: a function of Java, a property
/// of C#. What the constructor of PHP promotes is a property, too.
fn is_of_record(item: &Item<'_>, owners: &[&Item<'_>]) -> bool {
    const LISTS: [&str; 2] = ["parameter_list", "formal_parameters"];
    let named = |one: &Node<'_>| {
        let name = one.child("name");
        name.is_some_and(|name| name.text().trim_start_matches('$') == item.name.trim_start_matches('$'))
    };
    let is_field = item.kind == ItemKind::Field;
    let is_getter = !is_field && item.arity == Some(Arity::exactly(0));
    let listed = |owner: Node<'_>, lists: &[&str]| -> bool {
        let list = owner.child_of(lists).into_iter().flat_map(|list| list.named_children());
        list.into_iter().any(|one| named(&one))
    };
    owners.iter().any(|owner| match (item.node.tree().table().language(), owner.node.kind()) {
        (Language::Java, "record_declaration") => is_getter && listed(owner.node, &LISTS),
        (Language::CSharp, "record_declaration") => is_field && listed(owner.node, &LISTS),
        (Language::Php, "class_declaration") if is_field => {
            let body = owner.node.child("body").into_iter().flat_map(|body| body.named_children());
            let mut constructors = body
                .take(MOST_MEMBERS)
                .filter(|one| one.child("name").is_some_and(|name| name.bytes() == b"__construct"));
            let parameters = constructors.next().and_then(|one| one.child("parameters"));
            let promoted = |one: Node<'_>| one.kind() == "property_promotion_parameter" && named(&one);
            parameters.is_some_and(|list| list.named_children().any(promoted))
        }
        _ => false,
    })
}

/// A constructor that stands behind more than so many others is not looked for: a class may have lost as many fields.
const MOST_MEMBERS: usize = 200;
