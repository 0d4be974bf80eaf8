//! Types of TypeScript that allow one of several: fewer for what is given to a function, more for what comes out of it.

use super::squeezed;
use crate::syntax::Node;

/// A name for a union that lost one of its members. What else may have come instead is not told apart.
pub(super) fn of_alias(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (was, is) = (members(old.child("value")?), members(new.child("value")?));
    missing(&was, &is).map(|lost| format!("no longer allows {lost}"))
}

pub(super) fn of_function(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let (old, new) = (function(old), function(new));
    narrower_parameter(old, new).or_else(|| wider_result(old, new))
}

fn narrower_parameter(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let types = |function: Node<'_>| -> Vec<Option<Vec<String>>> {
        let list = function.child("parameters").into_iter().flat_map(|list| list.named_children());
        list.map(|one| annotated(one, "type")).collect()
    };
    let (was, is) = (types(old), types(new));
    let mut pairs = was.iter().zip(&is).filter(|_| was.len() == is.len());
    pairs.find_map(|(was, is)| {
        let lost = missing(was.as_ref()?, is.as_ref()?)?;
        Some(format!("no longer takes {lost}"))
    })
}

/// Only by nothing at all: whoever used what came out did not look whether something did.
fn wider_result(old: Node<'_>, new: Node<'_>) -> Option<String> {
    let inner = |all: Vec<String>| match all.as_slice() {
        [one] => one
            .strip_prefix("Promise<")
            .and_then(|rest| rest.strip_suffix('>'))
            .map_or(vec![one.clone()], |inside| {
                inside.split('|').map(|part| part.trim().to_owned()).collect()
            }),
        _ => all,
    };
    let (was, is) = (inner(annotated(old, "return_type")?), inner(annotated(new, "return_type")?));
    let open = |part: &String| ["any", "unknown", "void", "undefined"].contains(&part.as_str());
    let added = missing(&is, &was).filter(|added| ["undefined", "null"].contains(added))?;
    (!was.iter().any(open)).then(|| format!("may return {added} now"))
}

/// `const f = (a) => ..` is as good as a function.
fn function(node: Node<'_>) -> Node<'_> {
    node.child("value").filter(|value| value.child("parameters").is_some()).unwrap_or(node)
}

fn annotated(node: Node<'_>, field: &str) -> Option<Vec<String>> {
    node.child(field)?.named_children().next().map(members)
}

/// The members of a union, or the type alone.
fn members(kind: Node<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![kind];
    while let Some(part) = open.pop() {
        match part.kind() {
            "union_type" | "parenthesized_type" => open.extend(part.named_children()),
            _ => found.push(squeezed(part)),
        }
    }
    found.reverse();
    found
}

/// The first that is not there any more, where nothing came instead that could stand for it.
fn missing<'m>(was: &'m [String], is: &[String]) -> Option<&'m str> {
    let fewer = is.iter().all(|part| was.contains(part)) && is.len() < was.len() && !is.is_empty();
    let lost = was.iter().find(|part| !is.contains(part)).filter(|_| fewer)?;
    let general = match lost.chars().next() {
        Some('"' | '\'' | '`') => "string",
        Some(c) if c.is_ascii_digit() || c == '-' => "number",
        _ if lost == "true" || lost == "false" => "boolean",
        _ => "unknown",
    };
    (!is.iter().any(|part| part == general || part == "any" || part == "unknown")).then_some(lost)
}
