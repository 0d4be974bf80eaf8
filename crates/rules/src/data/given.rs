//! What gives a name a value, as the grammars have it: assignments and declarations, and the keys of literals and calls.

use tree_sitter::Node;

use crate::language::Language;

/// Declarators stand in each other as often as somebody writes `*`.
const DEEPEST_DECLARATOR: usize = 8;

/// What is assigned to or declared, and its value.
pub(super) fn assigned(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        // Swift calls the two sides otherwise.
        "assignment" => {
            Some((field("left").or_else(|| field("target"))?, field("right").or_else(|| field("result"))?))
        }
        "assignment_expression" | "augmented_assignment_expression" => {
            Some((field("left")?, field("right")?))
        }
        "assignment_statement" | "short_var_declaration" => {
            let (left, right) = (field("left")?, field("right")?);
            (left.named_child_count() == 1 && right.named_child_count() == 1)
                .then(|| Some((left.named_child(0)?, right.named_child(0)?)))?
        }
        // C# has no name for the value.
        "variable_declarator" => Some((field("name")?, field("value").or_else(|| behind_sign(node))?)),
        "let_declaration" | "val_definition" | "var_definition" => Some((field("pattern")?, field("value")?)),
        "const_item" | "static_item" | "variable_assignment" => Some((field("name")?, field("value")?)),
        "init_declarator" => Some((declared(field("declarator")?), field("value")?)),
        "field_declaration" => Some((declared(field("declarator")?), field("default_value")?)),
        "property_element" => Some((field("name")?, field("default_value")?)),
        "const_element" => Some((node.named_child(0)?, behind_sign(node)?)),
        "property_declaration" => property(node),
        _ => None,
    }
}

/// What stands behind the `=` of a node, where the grammar has no name for it.
fn behind_sign(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "=")?.next_named_sibling()
}

/// The name inside of `*name`, `&name` and `name[]`.
fn declared(declarator: Node<'_>) -> Node<'_> {
    let all = std::iter::successors(Some(declarator), |node| match node.kind() {
        "reference_declarator" => node.named_child(0),
        _ => node.child_by_field_name("declarator"),
    });
    all.take(DEEPEST_DECLARATOR).last().unwrap_or(declarator)
}

/// Of Kotlin, Swift and C#. What is computed whenever somebody asks is given no value.
fn property(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let in_kotlin = || {
        let mut cursor = node.walk();
        let declared =
            node.named_children(&mut cursor).find(|child| child.kind() == "variable_declaration")?;
        let mut cursor = declared.walk();
        declared.named_children(&mut cursor).find(|child| child.kind() == "identifier")
    };
    let name = node.child_by_field_name("name").or_else(in_kotlin)?;
    let value = node.child_by_field_name("value").or_else(|| behind_sign(node))?;
    (value.kind() != "arrow_expression_clause").then_some((name, value))
}

/// A key with its value, and the node that holds both, or stands for them.
pub(super) struct Keyed<'t> {
    pub(super) node: Node<'t>,
    pub(super) key: Node<'t>,
    pub(super) value: Node<'t>,
}

/// The keys that a node of an object literal, a dictionary, a struct literal or a list of arguments gives a value.
pub(super) fn keyed(node: Node<'_>, language: Language) -> Vec<Keyed<'_>> {
    match node.kind() {
        "dictionary_literal" => in_swift(node),
        "arguments" if language == Language::Scala => in_scala(node),
        _ => one_keyed(node).map(|(key, value)| Keyed { node, key, value }).into_iter().collect(),
    }
}

fn one_keyed(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        "pair" => Some((field("key")?, field("value")?)),
        "keyed_element" => {
            let (key, value) = (node.named_child(0)?, node.named_child(1)?);
            let inner = |node: Node<'_>| node.kind() == "literal_element";
            let value = if inner(value) { value.named_child(0)? } else { value };
            Some((if inner(key) { key.named_child(0)? } else { key }, value))
        }
        "keyword_argument" => Some((field("name")?, field("value")?)),
        "field_initializer" => Some((field("field")?, field("value")?)),
        "initializer_pair" => Some((field("designator")?, field("value")?)),
        "argument" => {
            let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
            Some((field("name")?, node.named_child(last)?))
        }
        "value_argument" | "array_element_initializer" => Some((node.named_child(0)?, node.named_child(1)?)),
        _ => None,
    }
}

/// Keys and values follow each other there, with nothing around a pair of them.
fn in_swift(literal: Node<'_>) -> Vec<Keyed<'_>> {
    let all = |name| {
        let mut cursor = literal.walk();
        literal.children_by_field_name(name, &mut cursor).collect::<Vec<_>>()
    };
    all("key").into_iter().zip(all("value")).map(|(key, value)| Keyed { node: key, key, value }).collect()
}

/// `f(verify = false)` is an assignment to the grammar.
fn in_scala(arguments: Node<'_>) -> Vec<Keyed<'_>> {
    let mut cursor = arguments.walk();
    let named = arguments.named_children(&mut cursor).filter(|one| one.kind() == "assignment_expression");
    named
        .filter_map(|node| {
            let (key, value) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
            Some(Keyed { node, key, value })
        })
        .collect()
}

/// A key as people call it: without quotes, and without what marks it as a key.
pub(super) fn key_text(written: &str) -> &str {
    written.trim_start_matches([':', '.']).trim_matches(['"', '\''])
}
