//! Items of other languages that kept their name and place, but not what users of them rely on.

use super::lost::Proof;
use super::rust::Alteration;
use crate::language::Language;
use crate::syntax::{Item, ItemKind, Node};

pub(super) fn altered(was: &Item<'_>, is: &Item<'_>) -> Option<Alteration> {
    let (old, new) = (was.node, is.node);
    if old.bytes() == new.bytes() {
        return None;
    }
    let language = old.tree().table().language();
    let how = match (language, was.kind) {
        (Language::Python, ItemKind::Function) => renamed_parameter(old, new),
        (Language::Go | Language::Java | Language::CSharp | Language::TypeScript, ItemKind::Function) => {
            changed_types(old, new, language)
        }
        (Language::Go | Language::Java | Language::CSharp | Language::TypeScript, ItemKind::Type) => {
            demanded(old, new)
        }
        (Language::Go, ItemKind::Field) => {
            let (was, is) = (kind(old, "type"), kind(new, "type"));
            (was != is).then(|| format!("is {is} instead of {was}"))
        }
        _ => None,
    };
    how.map(|how| Alteration { how, proof: Proof::Likely })
}

/// Callers may give an argument by its name; but not one that is for positions only, or says that it is private.
fn renamed_parameter(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (python_names(old), python_names(new));
    let kept: std::collections::HashSet<&String> = is.iter().collect();
    let open =
        new.child("parameters").is_some_and(|list| list.child_of(&["dictionary_splat_pattern"]).is_some());
    let lost = was.iter().find(|name| !kept.contains(name) && !name.starts_with('_'))?;
    (!open).then(|| format!("no longer takes {lost} by name"))
}

fn python_names(function: Node<'_>) -> Vec<String> {
    let list = function.child("parameters");
    let mut names: Vec<String> = Vec::new();
    for parameter in list.into_iter().flat_map(|list| list.named_children().collect::<Vec<_>>()) {
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            "default_parameter" | "typed_default_parameter" => parameter.child("name"),
            "typed_parameter" => parameter.child_of(&["identifier"]),
            "positional_separator" => {
                names.clear();
                None
            }
            _ => None,
        };
        names.extend(name.map(|name| name.text().into_owned()));
    }
    names.retain(|name| !["self", "cls"].contains(&name.as_str()));
    names
}

/// The text of a part without spaces.
fn kind(node: Node<'_>, field: &str) -> String {
    node.child(field).map(|part| squeezed(part)).unwrap_or_default()
}

fn squeezed(node: Node<'_>) -> String {
    let text = node.text().split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_start_matches(':').trim().replace("interface{}", "any").replace("interface {}", "any")
}

fn changed_types(old: Node<'_>, new: Node<'_>, language: Language) -> Option<String> {
    let (was, is) = (parameter_types(old), parameter_types(new));
    let doubtless =
        |was: &str, is: &str| was != is && is_comparable(was, language) && is_comparable(is, language);
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
    let known: std::collections::HashSet<&String> = was.iter().map(|(name, _)| name).collect();
    let added = is.iter().find(|(name, required)| *required && !known.contains(name))?;
    Some(format!("demands the new member {} of its implementations", added.0))
}

/// The names in an interface, and whether each has to be there.
fn members(node: Node<'_>) -> Option<Vec<(String, bool)>> {
    let body = match node.kind() {
        "type_spec" => node.child("type").filter(|kind| kind.kind() == "interface_type")?,
        "interface_declaration" => node.child("body")?,
        _ => return None,
    };
    let named = body.named_children().filter_map(|member| {
        let optional = member.child_of(&["?"]).is_some() || member.child("body").is_some();
        Some((member.child("name")?.text().into_owned(), !optional))
    });
    Some(named.collect())
}
