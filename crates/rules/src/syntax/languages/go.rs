use super::*;

pub(super) static GO: Table = Table::new(Spec {
    language: Language::Go,
    grammar: || grammars::go().into(),
    notions: &[
        (Notion::Function, &["function_declaration", "method_declaration", "method_elem"]),
        (Notion::Lambda, &["func_literal"]),
        (Notion::Type, &["type_spec", "type_alias"]),
        (Notion::Field, &["field_identifier"]),
        (Notion::Constant, &["identifier"]),
        (Notion::Loop, &["for_statement"]),
        (Notion::Branch, &["if_statement", "expression_case", "type_case", "communication_case"]),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["interpreted_string_literal", "raw_string_literal"]),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["import_spec"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Jump, &["break_statement", "continue_statement", "goto_statement", "fallthrough_statement"]),
        (Notion::Assignment, &["assignment_statement", "short_var_declaration", "var_spec"]),
        (Notion::Block, &["block"]),
    ],
    calls: &[call("call_expression", &["function"], &["arguments"])],
    name,
    takes,
    owner,
    visibility,
    is_test,
    asserts,
    ..COMMON
});

/// One declaration may give several names.
fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    match notion {
        Notion::Field => {
            let declaration = node.parent().filter(|parent| parent.kind() == "field_declaration")?;
            let of_type =
                declaration.parent()?.parent()?.parent().is_some_and(|around| around.kind() == "type_spec");
            (of_type && node.field() == "name").then_some(node)
        }
        Notion::Constant => {
            let declared = node.parent().is_some_and(|parent| parent.is_kind(&["const_spec", "var_spec"]));
            (declared && node.field() == "name").then_some(node)
        }
        _ => node.child("name"),
    }
}

fn takes(node: Node<'_>) -> Takes {
    match node.kind() {
        "parameter_declaration" => {
            let names = node.named_children().filter(|child| child.field() == "name").count();
            Takes::Several(u32::try_from(names).unwrap_or(u32::MAX).max(1))
        }
        "variadic_parameter_declaration" => Takes::AnyNumber,
        _ => Takes::Nothing,
    }
}

fn owner(node: Node<'_>) -> Option<Node<'_>> {
    node.child("receiver")?.descendants().find(|inner| inner.kind() == "type_identifier")
}

fn visibility(node: Node<'_>) -> Visibility {
    let name = node.child("name").unwrap_or(node).text();
    if name.chars().next().is_some_and(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Restricted
    }
}

fn is_test(node: Node<'_>) -> bool {
    let name = node.child("name").map(|name| name.text()).unwrap_or_default();
    ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|beginning| name.starts_with(beginning))
        && node.kind() == "function_declaration"
        && (name.starts_with("Example") || memchr::memmem::find(signature(node), b"testing.").is_some())
}

fn signature(node: Node<'_>) -> &[u8] {
    node.child("parameters").map(|list| list.bytes()).unwrap_or_default()
}

fn asserts(name: &str) -> bool {
    super::asserts(name)
        || [
            "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Equal", "NoError", "True", "False",
            "Nil",
        ]
        .contains(&name)
}
