//! Promises of JavaScript whose failure nobody hears of.

use super::catches::{CLEANS_UP, statements};
use super::{Swallow, Weight};
use crate::syntax::Node;

pub(super) fn swallow(node: Node<'_>) -> Option<Swallow<'_>> {
    let function = node.child("function").filter(|function| function.kind() == "member_expression")?;
    empty_handler(node, function).or_else(|| deaf_process(node, function))
}

/// `.catch(() => {})`, and `.then(use, () => {})`.
fn empty_handler<'t>(node: Node<'t>, function: Node<'t>) -> Option<Swallow<'t>> {
    let object = function.child("object")?;
    let mut given = node.call()?.arguments();
    let handler = match function.child("property")?.bytes() {
        b"catch" => given.next()?,
        b"then" => given.nth(1)?,
        _ => return None,
    };
    let is_empty = given.next().is_none() && does_nothing(handler);
    let tidies = object.call().is_some_and(|call| CLEANS_UP.contains(&call.name().as_str()));
    // Where somebody takes the value, nothing is a value too.
    let around = node.ancestors().find(|around| !around.is_kind(&["await_expression", "unary_expression"]));
    let weight = match around.map(|around| around.kind()) {
        Some("expression_statement" | "return_statement") if tidies => Weight::Deliberate,
        Some("expression_statement") => Weight::Likely,
        // `return f().then(…).catch(() => {})`: who waits for it hears that all went well.
        Some("return_statement") if gives_nothing(handler) && follows_then(object) => Weight::Perhaps,
        _ => return None,
    };
    is_empty.then(|| Swallow {
        at: node,
        tried: Some(object),
        message: "The failure of this promise is dropped".to_owned(),
        weight,
    })
}

/// `process.on("uncaughtException", () => {})`
fn deaf_process<'t>(node: Node<'t>, function: Node<'t>) -> Option<Swallow<'t>> {
    let mut given = node.call().filter(|_| function.bytes() == b"process.on")?.arguments();
    let (event, handler) = (given.next()?, given.next()?);
    let name = event.text();
    let name = name.trim_matches(['"', '\'', '`']);
    let is_last_resort = ["uncaughtException", "unhandledRejection"].contains(&name);
    (is_last_resort && does_nothing(handler)).then(|| Swallow {
        at: node,
        tried: None,
        message: format!("Nobody hears of what ends up in `{name}`"),
        weight: Weight::Certain,
    })
}

/// Whether a function does nothing, and gives nothing.
fn does_nothing(handler: Node<'_>) -> bool {
    match handler.kind() {
        "arrow_function" | "function_expression" => handler.child("body").is_some_and(|body| {
            (body.kind() == "statement_block" && statements(body).next().is_none())
                || [&b"undefined"[..], b"null", b"void 0"].contains(&body.bytes())
        }),
        "identifier" => [&b"noop"[..], b"_noop", b"noOp"].contains(&handler.bytes()),
        _ => false,
    }
}

fn gives_nothing(handler: Node<'_>) -> bool {
    handler.child("body").is_none_or(|body| body.kind() == "statement_block")
}

fn follows_then(object: Node<'_>) -> bool {
    object.call().is_some_and(|call| call.name() == "then")
}
