use super::*;

pub(super) static PHP: Table = Table::new(Spec {
    language: Language::Php,
    grammar: || grammars::php().into(),
    notions: &[
        (Notion::Function, &["function_definition", "method_declaration"]),
        (Notion::Lambda, &["anonymous_function", "arrow_function"]),
        (
            Notion::Type,
            &["class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"],
        ),
        (Notion::Field, &["property_element"]),
        (Notion::Variant, &["enum_case"]),
        (Notion::Constant, &["const_element"]),
        (Notion::Catch, &["catch_clause"]),
        (Notion::Loop, &["for_statement", "foreach_statement", "while_statement", "do_statement"]),
        (
            Notion::Branch,
            &[
                "if_statement",
                "else_if_clause",
                "case_statement",
                "match_conditional_expression",
                "conditional_expression",
            ],
        ),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["string", "encapsed_string", "heredoc", "nowdoc"]),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["namespace_use_declaration"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Throw, &["throw_expression"]),
        (Notion::Jump, &["break_statement", "continue_statement", "goto_statement"]),
        (Notion::Assignment, &["assignment_expression", "augmented_assignment_expression"]),
        (Notion::Block, &["compound_statement"]),
    ],
    calls: &[
        call("function_call_expression", &["function"], &["arguments"]),
        call("member_call_expression", &["object", "name"], &["arguments"]),
        call("nullsafe_member_call_expression", &["object", "name"], &["arguments"]),
        call("scoped_call_expression", &["scope", "name"], &["arguments"]),
        call("object_creation_expression", &[], &["arguments"]),
    ],
    logical: &["&&", "||", "and", "or", "??"],
    name: |node, _| node.child("name").or_else(|| node.child_of(&["name"])),
    takes: |node| match node.kind() {
        "variadic_parameter" => Takes::AnyNumber,
        "simple_parameter" | "property_promotion_parameter" if node.child("default_value").is_some() => {
            Takes::Optional
        }
        "simple_parameter" | "property_promotion_parameter" => Takes::One,
        _ => Takes::Nothing,
    },
    visibility: |node| {
        let declaration = match node.kind() {
            "property_element" | "const_element" => node.parent().unwrap_or(node),
            _ => node,
        };
        by_words(words_of(declaration, &["visibility_modifier"]), Visibility::Public)
    },
    test_calls: &["it", "test"],
    is_test: |node| {
        let named = node.child("name").is_some_and(|name| name.bytes().starts_with(b"test"));
        let marked = || {
            let attributes = node.child("attributes").into_iter().flat_map(|list| list.descendants());
            attributes.filter(|inner| inner.kind() == "name").any(|name| name.bytes() == b"Test")
        };
        node.kind() == "method_declaration" && (named || marked())
    },
    ..COMMON
});
