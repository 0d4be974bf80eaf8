use std::collections::{HashMap, HashSet};

use super::super::rust::{Alteration, Beyond};
use super::{changed_types, demanded, export, is_comparable, kind, likely, unions};
use crate::language::Language;
use crate::rules::coordination::lost::Loss;
use crate::rules::coordination::mentions;
use crate::syntax::{Item, ItemKind, Node, Tree};

pub(super) fn altered(was: &Item<'_>, is: &Item<'_>) -> Option<Alteration> {
    let (old, new) = (was.node, is.node);
    let how = match was.kind {
        ItemKind::Function => changed_types(old, new, Language::TypeScript)
            .or_else(|| promised(old, new))
            .or_else(|| unions::of_function(old, new))
            .or_else(|| constrained(old, new)),
        ItemKind::Type => demanded(old, new)
            .or_else(|| generic(old, new))
            .or_else(|| constrained(old, new))
            .or_else(|| narrower(old, new))
            .or_else(|| unions::of_alias(old, new)),
        ItemKind::Field => {
            let (was, is) = (kind(old, "type"), kind(new, "type"));
            let known = |text: &str| is_comparable(text, Language::TypeScript);
            (was != is && known(&was) && known(&is)).then(|| format!("is {is} instead of {was}"))
        }
        ItemKind::Variant | ItemKind::Constant => None,
    };
    how.map(likely)
}

/// Whether the file lets out all that an object of its own holds, and names it: `module.exports = { ...operations }`.
pub(super) fn spreads(item: &Item<'_>, head: &Tree) -> bool {
    let text = head.text();
    if memchr::memmem::find(text, b"exports").is_none() || !mentions(text, &item.name) {
        return false;
    }
    let exports = memchr::memmem::find_iter(text, b"exports").take(MOST_MENTIONS);
    let mut given = exports.filter_map(|at| {
        let around = head.covering(at..at + "exports".len()).ancestors();
        let assignment = around.take(2).find(|around| around.kind() == "assignment_expression")?;
        let target = assignment.child("left")?;
        let whole = [&b"module.exports"[..], b"exports"].contains(&target.bytes());
        assignment.child("right").filter(|_| whole)
    });
    given.any(|object| object.child_of(&["spread_element"]).is_some())
}

/// More mentions of a word are not looked at.
const MOST_MENTIONS: usize = 50;

/// What was there at once has to be waited for.
fn promised(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (kind(old, "return_type"), kind(new, "return_type"));
    let later = is.starts_with("Promise<") && is_comparable(&was, Language::TypeScript);
    let is_async = |node: Node<'_>| {
        let function = node.child("value").unwrap_or(node);
        function.child_of(&["async"]).is_some()
    };
    let unsaid = was.is_empty() && is.is_empty() && is_async(new) && !is_async(old);
    let told = unsaid && !old.text().contains("Promise") && !old.text().contains(".then(");
    (later || told).then(|| "returns a promise now".to_owned())
}

/// Parameters of types that have to be given, or that it no longer takes.
fn generic(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (type_parameters(old), type_parameters(new));
    let needed = |all: &[Node<'_>]| all.iter().filter(|one| one.child("value").is_none()).count();
    match (needed(&was), needed(&is)) {
        (was, is) if is > was => Some(format!("requires {is} type parameters instead of {was}")),
        _ if is.len() < was.len() => {
            Some(format!("takes {} type parameters instead of {}", is.len(), was.len()))
        }
        _ => None,
    }
}

fn type_parameters(node: Node<'_>) -> Vec<Node<'_>> {
    let item = node.child("value").filter(|value| value.child("type_parameters").is_some()).unwrap_or(node);
    let list = item.child("type_parameters").into_iter().flat_map(|list| list.named_children());
    list.filter(|one| one.kind() == "type_parameter").collect()
}

/// Any type would do for a parameter, and now it has to be of some kind.
fn constrained(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (type_parameters(old), type_parameters(new));
    let asks = |one: Node<'_>| {
        let text = kind(one, "constraint");
        let bound = text.trim_start_matches("extends ").trim().to_owned();
        (!bound.is_empty() && !["any", "unknown"].contains(&bound.as_str())).then_some(bound)
    };
    let mut pairs = was.into_iter().zip(is);
    pairs.find_map(|(was, is)| match (asks(was), asks(is)) {
        (None, Some(bound)) => Some(format!("demands that {} extends {bound}", kind(is, "name"))),
        _ => None,
    })
}

/// One of the values that a type allowed by name.
fn narrower(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let values = |node: Node<'_>| -> Option<HashSet<String>> {
        let value = node.child("value").filter(|value| value.kind() == "union_type")?;
        let plain = value.descendants().filter(|part| part.kind() == "literal_type");
        let all: HashSet<String> = plain.map(|part| part.text().into_owned()).collect();
        let count = value.text().split('|').filter(|part| !part.trim().is_empty()).count();
        (all.len() == count).then_some(all)
    };
    let (was, is) = (values(old)?, values(new)?);
    let mut lost: Vec<&String> = was.difference(&is).collect();
    lost.sort();
    lost.first().map(|value| format!("no longer allows {value}"))
}

/// What a module hands on from others, and what it gives without a name.
pub(super) fn exports(base: &Tree, head: Option<&Tree>) -> Vec<Beyond> {
    let was = Offer::of(base);
    let is = head.map(Offer::of).unwrap_or_default();
    let mut found = Vec::new();
    let new_star = is.stars.keys().any(|source| !was.stars.contains_key(source));
    let mut named: Vec<(&String, &u32)> = was.again.iter().collect();
    named.sort();
    for (name, line) in named.into_iter().filter(|(name, _)| !is.names.contains(*name) && !new_star) {
        found.push(export(name, Loss::Gone, *line));
    }
    let mut stars: Vec<(&String, &u32)> = was.stars.iter().collect();
    stars.sort();
    let replaced = is.again.keys().any(|name| !was.again.contains_key(name)) || new_star;
    for (source, line) in stars.into_iter().filter(|(source, _)| !is.stars.contains_key(*source) && !replaced)
    {
        found.push(export(&format!("* of {source}"), Loss::Gone, *line));
    }
    if let (Some(line), false) = (was.default, is.default.is_some() || head.is_none()) {
        found.push(export("default", Loss::Gone, line));
    }
    found
}

#[derive(Default)]
struct Offer {
    /// Names of lists, with the line.
    again: HashMap<String, u32>,
    /// Where everything is taken from.
    stars: HashMap<String, u32>,
    default: Option<u32>,
    /// All that is exported by name.
    names: HashSet<String>,
}

impl Offer {
    fn of(tree: &Tree) -> Self {
        let mut offer = Offer::default();
        let statements = tree.root().named_children().filter(|node| node.kind() == "export_statement");
        for statement in statements {
            offer.read(statement);
        }
        offer
    }

    fn read(&mut self, statement: Node<'_>) {
        let source = statement.child("source").map(|source| source.text().into_owned());
        if statement.child_of(&["default"]).is_some() {
            self.default = Some(statement.line());
        }
        if let Some(clause) = statement.child_of(&["export_clause"]) {
            for one in clause.named_children().filter(|one| one.kind() == "export_specifier") {
                let Some(name) = one.child("alias").or_else(|| one.child("name")) else { continue };
                let name = name.text().into_owned();
                if name == "default" {
                    self.default = Some(one.line());
                } else if source.is_some() {
                    self.again.insert(name.clone(), one.line());
                }
                self.names.insert(name);
            }
        } else if let Some(namespace) = statement.child_of(&["namespace_export"]) {
            let name = namespace.named_children().last().map(|name| name.text().into_owned());
            self.again.extend(name.clone().map(|name| (name, statement.line())));
            self.names.extend(name);
        } else if let Some(source) = source {
            self.stars.insert(source, statement.line());
        } else if let Some(declaration) = statement.child("declaration") {
            let declared = declaration
                .child("name")
                .into_iter()
                .chain(declaration.named_children().filter_map(|one| one.child("name")));
            self.names.extend(declared.map(|name| name.text().into_owned()));
        }
    }
}
