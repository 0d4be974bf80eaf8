//! Methods that a call can only mean if the file has them: `self.order(a)`, `this.order(a)`, and in Go `o.order(a)` where
//! the type of `o` is written down.

use tree_sitter::Node;

use super::Flow;
use super::arguments::Invocation;
use super::calls::{MOST_OVERLOADS, scripts};
use crate::language::Language;

/// What a method calls the object that it belongs to, or its class.
const ITSELF: [&str; 3] = ["self", "this", "cls"];

impl<'t> Flow<'t> {
    /// The method of the file that a call means.
    pub(super) fn called_method(&self, call: Node<'t>) -> Option<Node<'t>> {
        let call = Invocation::of(call)?;
        let object = call.receiver?;
        let name = method_name(call.callee).map(|name| self.text_of(name))?;
        let known = self.calls().methods.get(name).filter(|all| all.len() <= MOST_OVERLOADS)?;
        let mut fitting = known.iter().filter(|method| match self.language {
            Language::Go => self.is_of_type(**method, object),
            _ => self.is_of_class(**method, object),
        });
        fitting.next().copied().filter(|_| fitting.next().is_none())
    }

    fn is_of_class(&self, method: Node<'t>, object: Node<'t>) -> bool {
        let class = self.class_around(method);
        let text = self.text_of(object);
        let named = class.child_by_field_name("name").map(|name| self.text_of(name));
        ITSELF.contains(&text) && self.class_around(object).id() == class.id() || named == Some(text)
    }

    fn is_of_type(&self, method: Node<'t>, object: Node<'t>) -> bool {
        let declared = self.type_of(object);
        let declared = match declared.strip_suffix("()").unwrap_or(&declared) {
            "" => self.receiver_named(object),
            written => Some(written),
        };
        let own = self.receiver_of(method).map(|(_, own)| own);
        own.is_some() && declared.map(bare) == own
    }

    /// The type of the receiver of the method around, where it is called so.
    fn receiver_named(&self, object: Node<'t>) -> Option<&'t str> {
        let mut around = self.parent(object);
        while let Some(node) = around.filter(|node| node.kind() != "method_declaration") {
            around = self.parent(node);
        }
        let (name, own) = self.receiver_of(around?)?;
        (name == self.text_of(object)).then_some(own)
    }

    /// Name and type of the receiver of a method of Go.
    fn receiver_of(&self, method: Node<'t>) -> Option<(&'t str, &'t str)> {
        let receiver = method.child_by_field_name("receiver")?.named_child(0)?;
        let name = receiver.child_by_field_name("name").map_or("", |name| self.text_of(name));
        Some((name, bare(self.text_of(receiver.child_by_field_name("type")?))))
    }

    /// Whether a function of Python is given what it belongs to in front of all that a call passes.
    pub(super) fn is_bound(&self, function: Node<'t>) -> bool {
        let first = function.child_by_field_name("parameters").and_then(|list| list.named_child(0));
        let is_itself = first.is_some_and(|first| matches!(self.text_of(first), "self" | "cls"));
        self.language == Language::Python && is_itself
    }

    /// The name of a method as its callers write it behind a dot.
    pub(super) fn name_of_method(&self, function: Node<'t>) -> Option<&'t str> {
        let around = self.parent(function)?;
        let is_method = match function.kind() {
            "method_definition" => scripts(self.language),
            "method_declaration" => self.language == Language::Go,
            "function_definition" => self.is_in_class_of_python(around),
            "arrow_function" | "function_expression" => {
                let named = matches!(around.kind(), "public_field_definition" | "field_definition");
                let name = ["name", "property"].iter().find_map(|field| around.child_by_field_name(field));
                return name.filter(|_| named).map(|name| self.text_of(name));
            }
            _ => false,
        };
        function.child_by_field_name("name").filter(|_| is_method).map(|name| self.text_of(name))
    }

    /// What a decorator makes of a method is not known, but for those that only say what it belongs to.
    fn is_in_class_of_python(&self, around: Node<'t>) -> bool {
        let around = match around.kind() {
            "decorated_definition" => {
                let mut cursor = around.walk();
                let mut decorators =
                    around.named_children(&mut cursor).filter(|one| one.kind() == "decorator");
                let is_plain = |one: Node<'t>| matches!(self.text_of(one), "@staticmethod" | "@classmethod");
                let body = self.parent(around).filter(|_| decorators.all(is_plain));
                let Some(body) = body else { return false };
                body
            }
            _ => around,
        };
        self.parent(around).is_some_and(|class| class.kind() == "class_definition")
    }
}

fn method_name(callee: Node<'_>) -> Option<Node<'_>> {
    match callee.kind() {
        "attribute" => callee.child_by_field_name("attribute"),
        "member_expression" => callee.child_by_field_name("property"),
        "selector_expression" => callee.child_by_field_name("field"),
        _ => None,
    }
}

/// `*Store[T]` is `Store`.
fn bare(declared: &str) -> &str {
    let declared = declared.trim_start_matches(['*', '&', ' ']);
    declared.split('[').next().unwrap_or(declared).trim()
}
