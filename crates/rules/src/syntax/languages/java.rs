use super::*;

pub(super) static JAVA: Table = Table::new(Spec {
    language: Language::Java,
    grammar: || grammars::java().into(),
    notions: &[
        (Notion::Function, &["method_declaration", "constructor_declaration"]),
        (Notion::Lambda, &["lambda_expression"]),
        (
            Notion::Type,
            &[
                "class_declaration",
                "interface_declaration",
                "enum_declaration",
                "record_declaration",
                "annotation_type_declaration",
            ],
        ),
        (Notion::Field, &["variable_declarator"]),
        (Notion::Variant, &["enum_constant"]),
        (Notion::Catch, &["catch_clause"]),
        (Notion::Loop, &["for_statement", "enhanced_for_statement", "while_statement", "do_statement"]),
        (Notion::Branch, &["if_statement", "switch_label", "ternary_expression"]),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["string_literal"]),
        (Notion::Comment, &["line_comment", "block_comment"]),
        (Notion::Import, &["import_declaration"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Throw, &["throw_statement"]),
        (Notion::Jump, &["break_statement", "continue_statement"]),
        (Notion::Assignment, &["assignment_expression", "variable_declarator"]),
        (Notion::Block, &["block", "constructor_body"]),
        (Notion::Assertion, &["assert_statement"]),
    ],
    calls: &[
        call("method_invocation", &["object", "name"], &["arguments"]),
        call("object_creation_expression", &["type"], &["arguments"]),
    ],
    name,
    takes,
    visibility,
    is_test,
    ..COMMON
});

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    let declared =
        || node.parent().is_some_and(|parent| parent.is_kind(&["field_declaration", "constant_declaration"]));
    if notion == Notion::Field && !declared() {
        return None;
    }
    node.child("name")
}

fn takes(node: Node<'_>) -> Takes {
    match node.kind() {
        "formal_parameter" => Takes::One,
        "spread_parameter" => Takes::AnyNumber,
        "receiver_parameter" => Takes::Receiver,
        // The only parameter of a lambda.
        "identifier" => Takes::One,
        _ => Takes::Nothing,
    }
}

fn visibility(node: Node<'_>) -> Visibility {
    let declaration = if node.kind() == "variable_declarator" { node.parent().unwrap_or(node) } else { node };
    let in_interface = declaration
        .parent()
        .is_some_and(|parent| parent.is_kind(&["interface_body", "annotation_type_body"]));
    if in_interface || node.kind() == "enum_constant" {
        return Visibility::Public;
    }
    by_words(words_of(declaration, &["modifiers"]), Visibility::Restricted)
}

fn is_test(node: Node<'_>) -> bool {
    const NAMES: [&[u8]; 4] = [b"Test", b"TestFactory", b"TestTemplate", b"Property"];
    const AROUND: [&[u8]; 2] = [b"BeforeTest", b"AfterTest"];
    words_of(node, &["modifiers"])
        .filter_map(|word| word.child("name"))
        .filter(|name| !AROUND.contains(&name.bytes()))
        .any(|name| NAMES.iter().any(|known| name.bytes().ends_with(known)))
}
