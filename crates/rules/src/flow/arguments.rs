use std::ops::Range;

use tree_sitter::Node;

use super::{Flow, php};

/// A call, the making of an object, or a literal of a struct with named fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Invocation<'t> {
    pub(crate) callee: Node<'t>,
    pub(crate) receiver: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
}

impl<'t> Invocation<'t> {
    pub(crate) fn of(node: Node<'t>) -> Option<Self> {
        let field = |name| node.child_by_field_name(name);
        let (callee, arguments) = match node.kind() {
            "call" if field("method").is_some() => (node, field("arguments")),
            "function_call_expression" => (field("function")?, field("arguments")),
            kind if php::METHODS.contains(&kind) => (node, field("arguments")),
            // What PHP and Ruby write without brackets is called all the same.
            kind if php::SPOKEN.contains(&kind) || kind == "subshell" => (node, Some(node)),
            "invocation_expression" => (field("function")?, field("arguments")),
            "call" | "call_expression" => match field("function") {
                Some(function) => (function, field("arguments")),
                None => unnamed(node)?,
            },
            "new_expression" => (field("constructor")?, field("arguments")),
            "method_invocation" => (node, field("arguments")),
            "object_creation_expression" => (field("type")?, field("arguments")),
            "composite_literal" => (field("type")?, field("body")),
            _ => return None,
        };
        let receiver = receiver(callee);
        Some(Invocation { callee, receiver, arguments })
    }

    /// What the documents of rules take for a call as well: commands of a shell, and struct literals of Rust. How values move
    /// through those nobody follows.
    pub(crate) fn in_document(node: Node<'t>) -> Option<Self> {
        let (callee, arguments) = match node.kind() {
            "command" => (node.child_by_field_name("name")?, node),
            "struct_expression" => (node.child_by_field_name("name")?, node.child_by_field_name("body")?),
            _ => return Invocation::of(node),
        };
        Some(Invocation { callee, receiver: None, arguments: Some(arguments) })
    }

    /// Where the name of what is called stands, without the arguments, where the grammar has one node for both.
    pub(crate) fn name_range(&self) -> Range<usize> {
        let callee = self.callee;
        let name = match callee.kind() {
            kind if php::SPOKEN.contains(&kind) || kind == "subshell" => callee.child(0),
            "call" | "method_invocation" => {
                callee.child_by_field_name("method").or_else(|| callee.child_by_field_name("name"))
            }
            kind if php::METHODS.contains(&kind) => callee.child_by_field_name("name"),
            _ => None,
        };
        callee.start_byte()..name.unwrap_or(callee).end_byte()
    }

    /// The values that are passed, without the names of those that have one.
    pub(crate) fn values(&self) -> Vec<Node<'t>> {
        self.listed().into_iter().map(|(_, value)| value).collect()
    }

    /// By its place among those without a name.
    pub(crate) fn at(&self, index: usize) -> Option<Node<'t>> {
        self.listed().into_iter().filter(|(name, _)| name.is_none()).nth(index).map(|(_, value)| value)
    }

    /// Whether something like `*args` or `...rest` may bring more than can be seen.
    pub(crate) fn is_open(&self) -> bool {
        self.listed().iter().any(|(_, value)| {
            matches!(
                value.kind(),
                "list_splat"
                    | "dictionary_splat"
                    | "spread_element"
                    | "variadic_argument"
                    | "base_field_initializer"
            )
        })
    }

    /// By name: a keyword, a property of an object among the arguments, or a field of a literal.
    pub(crate) fn named(&self, wanted: &str, flow: &Flow<'t>) -> Option<Node<'t>> {
        for (name, value) in self.listed() {
            match name {
                Some(name) if key_text(flow, name) == wanted => return Some(value),
                Some(_) => {}
                None => {
                    // Python's `**{"shell": True}` passes by name as well.
                    let value = match value.kind() {
                        "dictionary_splat" => value.named_child(0).unwrap_or(value),
                        _ => value,
                    };
                    if let Some(found) = property(value, wanted, flow) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    fn listed(&self) -> Vec<(Option<Node<'t>>, Node<'t>)> {
        let Some(arguments) = self.arguments else { return Vec::new() };
        // A tagged template and a lone generator are passed as they are.
        if matches!(
            arguments.kind(),
            "template_string" | "generator_expression" | "subshell" | "shell_command_expression"
        ) {
            return vec![(None, arguments)];
        }
        let mut cursor = arguments.walk();
        if arguments.kind() == "command" {
            return arguments
                .children_by_field_name("argument", &mut cursor)
                .map(|one| (None, one))
                .collect();
        }
        arguments
            .named_children(&mut cursor)
            .filter(|child| !child.is_extra())
            .filter_map(|child| match child.kind() {
                "keyword_argument" => {
                    Some((child.child_by_field_name("name"), child.child_by_field_name("value")?))
                }
                "field_initializer" => {
                    Some((child.child_by_field_name("field"), child.child_by_field_name("value")?))
                }
                "shorthand_field_initializer" => Some((child.named_child(0), child.named_child(0)?)),
                // Ruby's `render html: text`.
                "pair" => Some((child.child_by_field_name("key"), child.child_by_field_name("value")?)),
                "keyed_element" => {
                    let value = child.named_child(1)?;
                    Some((child.named_child(0), unwrapped(value)))
                }
                "argument" => {
                    let last = u32::try_from(child.named_child_count()).ok()?.checked_sub(1)?;
                    Some((child.child_by_field_name("name"), child.named_child(last)?))
                }
                "value_argument" => {
                    let (first, second) = (child.named_child(0)?, child.named_child(1));
                    Some((second.map(|_| first), second.unwrap_or(first)))
                }
                _ => Some((None, child)),
            })
            .collect()
    }
}

/// What is called and what it is given, where the grammar names neither: Kotlin's and Swift's.
fn unnamed(call: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let in_suffix = || child_of(child_of(call, "call_suffix")?, "value_arguments");
    Some((call.named_child(0)?, child_of(call, "value_arguments").or_else(in_suffix)))
}

fn child_of<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

/// What stands before the dot of a method.
pub(super) fn receiver(callee: Node<'_>) -> Option<Node<'_>> {
    let fields: &[&str] = match callee.kind() {
        "navigation_expression" => return callee.named_child(0),
        "field_expression" => &["value", "argument"],
        "generic_function" => return receiver(callee.child_by_field_name("function")?),
        "member_access_expression" => &["expression"],
        kind if php::METHODS.contains(&kind) => &["object", "scope"],
        "call" => &["receiver"],
        _ => &["object", "operand"],
    };
    fields.iter().find_map(|name| callee.child_by_field_name(name))
}

fn unwrapped(node: Node<'_>) -> Node<'_> {
    if node.kind() == "literal_element" { node.named_child(0).unwrap_or(node) } else { node }
}

fn key_text<'t>(flow: &Flow<'t>, key: Node<'t>) -> &'t str {
    super::names::unquoted(flow.text_of(key).trim_start_matches(':'))
}

/// A property of an object literal or a dictionary, one level deep.
pub(crate) fn property<'t>(object: Node<'t>, wanted: &str, flow: &Flow<'t>) -> Option<Node<'t>> {
    if !matches!(object.kind(), "object" | "dictionary") {
        return None;
    }
    let mut cursor = object.walk();
    let pairs: Vec<Node<'t>> = object.named_children(&mut cursor).collect();
    pairs.into_iter().find_map(|pair| match pair.kind() {
        "pair" => {
            let key = pair.child_by_field_name("key")?;
            (key_text(flow, key) == wanted).then(|| pair.child_by_field_name("value")).flatten()
        }
        "shorthand_property_identifier" => (flow.text_of(pair) == wanted).then_some(pair),
        _ => None,
    })
}
