//! What comes out of a map or a list that the same function has filled.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::scope::{Given, Scope};
use super::walk::{Step, walk};
use super::{Flow, Value};
use crate::language::Language;

/// Of a longer function nothing is known.
const MOST_NODES: u32 = 20_000;

impl<'t> Flow<'t> {
    /// `map.get("a")` after `map.put("a", value)`, `list.get(0)` after `list.add(value)`: the value. Nothing where what was
    /// put in cannot be told.
    pub(super) fn kept(&self, call: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        let name = call.child_by_field_name("name")?;
        let object = call.child_by_field_name("object").filter(|object| object.kind() == "identifier")?;
        if self.language != Language::Java || self.text_of(name) != "get" {
            return None;
        }
        let key = Invocation::of(call)?.at(0)?;
        let scope = self.scopes_around(call).into_iter().next()?;
        let found = match key.kind() {
            "string_literal" => self.put_last(object, self.text_of(key), &scope),
            "decimal_integer_literal" => self.listed(object, self.text_of(key).parse().ok()?, &scope),
            _ => None,
        };
        found.map(|value| self.evaluate(value, fuel))
    }

    /// The calls on a variable before it is used here, if nothing else was done with it since it was made.
    fn done_with(&self, object: Node<'t>, scope: &Scope<'t>) -> Option<Vec<(&'t str, Vec<Node<'t>>)>> {
        let (name, at) = (self.text_of(object), object.start_byte());
        let made = scope
            .assignments
            .iter()
            .rev()
            .find(|one| one.name == name && matches!(one.given, Given::Value(_)))?;
        let Given::Value(value) = made.given else { return None };
        let is_empty = Invocation::of(value).is_some_and(|made| made.values().is_empty());
        if value.kind() != "object_creation_expression" || !is_empty {
            return None;
        }
        let mut done = Vec::new();
        let mut is_known = true;
        let mut left = MOST_NODES;
        walk(scope.function?, |node| {
            left = left.saturating_sub(1);
            is_known &= left > 0;
            if node.start_byte() >= at || !is_known {
                return Step::Over;
            }
            if node.kind() == "identifier" && self.text_of(node) == name && node.start_byte() > made.after {
                match self.call_on(node, at) {
                    Some(call) => done.push(call),
                    None => is_known = false,
                }
            }
            Step::Into
        });
        Some(done).filter(|_| is_known)
    }

    /// Nothing for what changes it and may not have happened where it is used.
    fn call_on(&self, object: Node<'t>, used: usize) -> Option<(&'t str, Vec<Node<'t>>)> {
        let call = self.parent(object).filter(|call| call.kind() == "method_invocation")?;
        let name = self.text_of(call.child_by_field_name("name")?);
        (call.child_by_field_name("object") == Some(object)).then_some(())?;
        let block = || self.parent(self.parent(call)?).filter(|block| block.kind() == "block");
        let is_certain = || block().is_some_and(|block| block.byte_range().contains(&used));
        let is_asking = ["get", "contains", "containsKey", "size", "isEmpty"].contains(&name);
        (is_asking || is_certain()).then_some(())?;
        Some((name, Invocation::of(call)?.values()))
    }

    fn put_last(&self, map: Node<'t>, key: &str, scope: &Scope<'t>) -> Option<Node<'t>> {
        let mut kept = None;
        for (method, arguments) in self.done_with(map, scope)? {
            match (method, arguments.as_slice()) {
                ("put", [known, value]) if known.kind() == "string_literal" => {
                    if self.text_of(*known) == key {
                        kept = Some(*value);
                    }
                }
                ("get" | "containsKey" | "size" | "isEmpty", _) => {}
                _ => return None,
            }
        }
        kept
    }

    fn listed(&self, list: Node<'t>, index: usize, scope: &Scope<'t>) -> Option<Node<'t>> {
        let mut kept = Vec::new();
        for (method, arguments) in self.done_with(list, scope)? {
            match (method, arguments.as_slice()) {
                ("add", [value]) => kept.push(*value),
                ("remove", [at]) if at.kind() == "decimal_integer_literal" => {
                    let at: usize = self.text_of(*at).parse().ok()?;
                    (at < kept.len()).then(|| kept.remove(at))?;
                }
                ("get" | "contains" | "size" | "isEmpty", _) => {}
                _ => return None,
            }
        }
        kept.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    fn origin(body: &str) -> Origin {
        let read = "String p = request.getParameter(\"a\");";
        let text = format!("class A {{ void f(HttpServletRequest request) {{ {read} {body} }} }}");
        sunk(Language::Java, &text).origin
    }

    #[test]
    fn what_is_taken_out_is_what_was_put_in() {
        let map = "Map<String, String> m = new HashMap<>(); m.put(\"a\", \"b\"); m.put(\"c\", p);";
        assert_eq!(origin(&format!("{map} sink(m.get(\"a\"));")), Origin::Constant);
        assert_eq!(origin(&format!("{map} sink((String) m.get(\"c\"));")), Origin::Tainted);
        let list = "List<String> l = new ArrayList<>(); l.add(\"a\"); l.add(p); l.add(\"b\"); l.remove(0);";
        assert_eq!(origin(&format!("{list} sink(l.get(1));")), Origin::Constant);
        assert_eq!(origin(&format!("{list} sink(l.get(0));")), Origin::Tainted);
    }

    #[test]
    fn what_may_not_have_been_put_in_is_not_all_there_is() {
        let map = "Map<String, String> m = new HashMap<>(); m.put(\"a\", p); if (c) m.put(\"a\", \"b\");";
        assert_eq!(origin(&format!("{map} sink(m.get(\"a\"));")), Origin::Tainted);
    }

    #[test]
    fn a_collection_that_others_had_in_hand_is_not_known() {
        let map = "Map<String, String> m = new HashMap<>(); m.put(\"a\", \"b\"); m.put(\"c\", p); fill(m);";
        assert_eq!(origin(&format!("{map} sink(m.get(\"a\"));")), Origin::Tainted);
    }
}
