use super::*;

pub(super) static CSHARP: Table = Table::new(Spec {
    language: Language::CSharp,
    grammar: || grammars::c_sharp().into(),
    notions: &[
        (
            Notion::Function,
            &[
                "method_declaration",
                "constructor_declaration",
                "local_function_statement",
                "delegate_declaration",
            ],
        ),
        (Notion::Lambda, &["lambda_expression", "anonymous_method_expression"]),
        (
            Notion::Type,
            &[
                "class_declaration",
                "interface_declaration",
                "enum_declaration",
                "struct_declaration",
                "record_declaration",
            ],
        ),
        (Notion::Module, &["namespace_declaration"]),
        (Notion::Field, &["variable_declarator", "property_declaration"]),
        (Notion::Variant, &["enum_member_declaration"]),
        (Notion::Catch, &["catch_clause"]),
        (Notion::Loop, &["for_statement", "foreach_statement", "while_statement", "do_statement"]),
        (
            Notion::Branch,
            &["if_statement", "switch_section", "switch_expression_arm", "conditional_expression"],
        ),
        (Notion::Logical, &["binary_expression"]),
        (
            Notion::String,
            &[
                "string_literal",
                "verbatim_string_literal",
                "raw_string_literal",
                "interpolated_string_expression",
            ],
        ),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["using_directive"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Throw, &["throw_statement", "throw_expression"]),
        (Notion::Jump, &["break_statement", "continue_statement", "goto_statement"]),
        (Notion::Assignment, &["assignment_expression", "variable_declarator"]),
        (Notion::Block, &["block"]),
    ],
    calls: &[
        call("invocation_expression", &["function"], &["arguments"]),
        call("object_creation_expression", &["type"], &["arguments"]),
    ],
    logical: &["&&", "||", "??"],
    name,
    takes,
    visibility,
    is_test,
    ..COMMON
});

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    if notion == Notion::Field && node.kind() == "variable_declarator" {
        let field = is_member_of(node, &["field_declaration", "event_field_declaration"]);
        return node.child("name").filter(|_| field);
    }
    node.child("name")
}

/// `params` has no node of its own: its type and its name stand in the list.
fn takes(node: Node<'_>) -> Takes {
    match (node.kind(), node.field()) {
        ("parameter", _) if has_word(node, "this") => Takes::Receiver,
        ("parameter", _) if has_word(node, "params") => Takes::AnyNumber,
        ("parameter", _) if has_word(node, "=") => Takes::Optional,
        ("parameter", _) => Takes::One,
        (_, "name") => Takes::AnyNumber,
        _ => Takes::Nothing,
    }
}

fn visibility(node: Node<'_>) -> Visibility {
    let declaration = match node.kind() {
        "variable_declarator" => node.parent().and_then(|inner| inner.parent()).unwrap_or(node),
        _ => node,
    };
    let is_public = is_member_of(declaration, &["interface_declaration"])
        || declaration.is_kind(&["enum_member_declaration", "namespace_declaration"]);
    if is_public {
        return Visibility::Public;
    }
    let in_type =
        is_member_of(declaration, &["class_declaration", "struct_declaration", "record_declaration"]);
    let unsaid = if in_type { Visibility::Private } else { Visibility::Restricted };
    by_words(words_of(declaration, &["modifier"]), unsaid)
}

fn is_test(node: Node<'_>) -> bool {
    const NAMES: [&[u8]; 6] = [b"Test", b"Fact", b"Theory", b"TestMethod", b"TestCase", b"TestCaseSource"];
    words_of(node, &["attribute_list"])
        .filter_map(|attribute| attribute.child("name"))
        .any(|name| NAMES.iter().any(|mark| name.bytes().ends_with(mark)))
}
