//! What is taken out of a result that has several parts: `where, args = build(name)`, `const { clause } = build(name)`.

use tree_sitter::Node;

use super::arguments::property;
use super::evaluate::Fuel;
use super::scope::{Assignment, Given};
use super::{Flow, Value};

/// Which part of a result it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken<'t> {
    At(usize),
    Under(&'t str),
}

/// A choice among results has so many others in it.
const DEEPEST: u32 = 6;

impl<'t> Flow<'t> {
    /// Notes of assignments that were just found which part of the value each name gets.
    pub(super) fn note_taken(&self, target: Node<'t>, value: Node<'t>, found: &mut [Assignment<'t>]) {
        let is_call = matches!(called(value).kind(), "call" | "call_expression" | "method_invocation");
        let is_list = matches!(
            target.kind(),
            "expression_list" | "pattern_list" | "tuple_pattern" | "array_pattern" | "object_pattern"
        );
        if !is_call || !is_list || found.is_empty() {
            return;
        }
        let mut cursor = target.walk();
        for (at, child) in target.named_children(&mut cursor).enumerate() {
            let Some((name, taken)) = self.name_and_part(at, child, target) else { continue };
            for one in found.iter_mut().filter(|one| one.name == name) {
                let is_whole = matches!(one.given, Given::Value(given) if given.id() == value.id());
                one.taken = is_whole.then_some(taken);
            }
        }
    }

    fn name_and_part(&self, at: usize, child: Node<'t>, target: Node<'t>) -> Option<(&'t str, Taken<'t>)> {
        let text = |node: Node<'t>| self.text_of(node);
        match (target.kind(), child.kind()) {
            ("object_pattern", "shorthand_property_identifier_pattern") => {
                Some((text(child), Taken::Under(text(child))))
            }
            ("object_pattern", "pair_pattern") => {
                let (key, name) = (child.child_by_field_name("key")?, child.child_by_field_name("value")?);
                (name.kind() == "identifier").then(|| (text(name), Taken::Under(text(key))))
            }
            ("object_pattern", _) => None,
            (_, "identifier") => Some((text(child), Taken::At(at))),
            _ => None,
        }
    }

    /// What a part of a call's result is; where that is not seen, as much as is known of the whole of it.
    pub(super) fn part_of_result(&self, given: Node<'t>, taken: Taken<'t>, fuel: &mut Fuel) -> Value {
        let part = self.returned(called(given), Some(taken), fuel);
        part.unwrap_or_else(|| self.evaluate(given, fuel))
    }

    /// The expressions that one part of a returned value may be. `false`: there are others that are not seen.
    pub(super) fn parts_of(
        &self,
        whole: Node<'t>,
        taken: Taken<'t>,
        depth: u32,
        parts: &mut Vec<Node<'t>>,
    ) -> bool {
        if depth > DEEPEST {
            return false;
        }
        let mut inside =
            |node: Option<Node<'t>>| node.is_some_and(|node| self.parts_of(node, taken, depth + 1, parts));
        let field = |name| whole.child_by_field_name(name);
        let part = match (whole.kind(), taken) {
            ("parenthesized_expression", _) => return inside(whole.named_child(0)),
            ("ternary_expression", _) => return inside(field("consequence")) && inside(field("alternative")),
            ("conditional_expression", _) => {
                return inside(whole.named_child(0)) && inside(whole.named_child(2));
            }
            ("expression_list" | "tuple" | "array" | "list", Taken::At(at)) => {
                let has_rest = |one: Node<'_>| matches!(one.kind(), "list_splat" | "spread_element");
                let mut cursor = whole.walk();
                let is_open = whole.named_children(&mut cursor).any(has_rest);
                let is_forwarded = whole.kind() == "expression_list" && whole.named_child_count() < 2;
                let at = u32::try_from(at).ok().filter(|_| !is_open && !is_forwarded);
                at.and_then(|at| whole.named_child(at))
            }
            ("object" | "dictionary", Taken::Under(key)) => property(whole, key, self),
            _ => None,
        };
        parts.extend(part);
        part.is_some()
    }
}

/// The call itself: `await build(name)`, and a list of one.
fn called(value: Node<'_>) -> Node<'_> {
    let mut value = value;
    while matches!(
        value.kind(),
        "expression_list" | "await" | "await_expression" | "parenthesized_expression"
    ) && value.named_child_count() == 1
        && let Some(inner) = value.named_child(0)
    {
        value = inner;
    }
    value
}
