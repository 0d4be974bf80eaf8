use std::collections::HashSet;

use super::*;

pub(super) static PYTHON: Table = Table::new(Spec {
    language: Language::Python,
    grammar: || grammars::python().into(),
    notions: &[
        (Notion::Function, &["function_definition"]),
        (Notion::Lambda, &["lambda"]),
        (Notion::Type, &["class_definition"]),
        (Notion::Field, &["assignment"]),
        (Notion::Constant, &["assignment"]),
        (Notion::Catch, &["except_clause"]),
        (Notion::Loop, &["for_statement", "while_statement"]),
        (
            Notion::Branch,
            &["if_statement", "elif_clause", "case_clause", "conditional_expression", "if_clause"],
        ),
        (Notion::Logical, &["boolean_operator"]),
        (Notion::String, &["string"]),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["import_statement", "import_from_statement", "future_import_statement"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Throw, &["raise_statement"]),
        (Notion::Jump, &["break_statement", "continue_statement"]),
        (Notion::Assignment, &["assignment", "augmented_assignment", "named_expression"]),
        (Notion::Block, &["block"]),
        (Notion::Assertion, &["assert_statement"]),
    ],
    calls: &[call("call", &["function"], &["arguments"])],
    logical: &["and", "or"],
    name,
    takes,
    visibility,
    exports,
    is_test,
    ..COMMON
});

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    let around = || node.parent().and_then(|statement| statement.parent());
    let assigned = || node.child("left").filter(|left| left.kind() == "identifier");
    match notion {
        Notion::Field => {
            let class = around()?.parent()?;
            (class.kind() == "class_definition").then(assigned).flatten()
        }
        Notion::Constant => (around()?.kind() == "module").then(assigned).flatten(),
        _ => node.child("name"),
    }
}

fn takes(node: Node<'_>) -> Takes {
    match node.kind() {
        "default_parameter" | "typed_default_parameter" => Takes::Optional,
        "list_splat_pattern" | "dictionary_splat_pattern" => Takes::AnyNumber,
        "typed_parameter" => match node.named_children().next() {
            Some(inner) if inner.is_kind(&["list_splat_pattern", "dictionary_splat_pattern"]) => {
                Takes::AnyNumber
            }
            _ if is_receiver(node) => Takes::Receiver,
            _ => Takes::One,
        },
        "keyword_separator" | "positional_separator" | "comment" => Takes::Nothing,
        _ if is_receiver(node) => Takes::Receiver,
        _ => Takes::One,
    }
}

/// The first parameter of a method, whatever it is called, and of any function where it is called as usual.
fn is_receiver(node: Node<'_>) -> bool {
    let Some(list) = node.parent().filter(|list| list.named_children().next() == Some(node)) else {
        return false;
    };
    let name = node.text();
    let named = ["self", "cls"].contains(&name.split(':').next().unwrap_or_default().trim());
    let Some(function) = list.parent().filter(|function| function.kind() == "function_definition") else {
        return false;
    };
    let is_static = decorators(function).any(|decorator| decorator.bytes().ends_with(b"staticmethod"));
    named || (in_class(function) && !is_static)
}

fn in_class(function: Node<'_>) -> bool {
    let definition =
        function.parent().filter(|parent| parent.kind() == "decorated_definition").unwrap_or(function);
    is_member_of(definition, &["class_definition"])
}

fn decorators(definition: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let decorated = definition.parent().filter(|parent| parent.kind() == "decorated_definition");
    decorated.into_iter().flat_map(|parent| parent.children()).filter(|child| child.kind() == "decorator")
}

fn visibility(node: Node<'_>) -> Visibility {
    let name = node.child("name").or_else(|| node.child("left")).map(|name| name.text()).unwrap_or_default();
    match name.as_ref() {
        "__init__" | "__call__" => Visibility::Public,
        name if name.starts_with("__") && name.ends_with("__") => Visibility::Restricted,
        name if name.starts_with('_') => Visibility::Private,
        // A variable of a module, which others may read but hardly build on.
        name if is_global(node) && name.chars().all(|c| !c.is_uppercase()) => Visibility::Restricted,
        _ => Visibility::Public,
    }
}

fn is_global(node: Node<'_>) -> bool {
    node.kind() == "assignment" && is_member_of(node, &["module"])
}

/// `__all__`, where it is a plain list of names.
fn exports(tree: &Tree) -> Exports {
    let statements = tree.root().named_children().filter_map(|statement| statement.named_children().next());
    let list = statements
        .filter(|node| node.kind() == "assignment")
        .find(|node| node.child("left").is_some_and(|left| left.bytes() == b"__all__"))
        .and_then(|node| node.child("right"));
    let Some(list) = list.filter(|list| list.is_kind(&["list", "tuple"])) else { return Exports::Unsaid };
    let names: HashSet<String> = list
        .descendants()
        .filter(|node| node.kind() == "string_content")
        .map(|name| name.text().into_owned())
        .collect();
    Exports::Only(names)
}

fn is_test(node: Node<'_>) -> bool {
    node.child("name").is_some_and(|name| name.bytes().starts_with(b"test"))
}
