use super::*;

pub(super) static SWIFT: Table = Table::new(Spec {
    language: Language::Swift,
    grammar: || grammars::swift().into(),
    notions: &[
        (Notion::Function, &["function_declaration", "init_declaration", "protocol_function_declaration"]),
        (Notion::Lambda, &["lambda_literal"]),
        (Notion::Type, &["class_declaration", "protocol_declaration", "typealias_declaration"]),
        (Notion::Module, &["class_declaration"]),
        (Notion::Field, &["property_declaration", "protocol_property_declaration"]),
        (Notion::Variant, &["simple_identifier"]),
        (Notion::Constant, &["property_declaration"]),
        (Notion::Catch, &["catch_block"]),
        (Notion::Loop, &["for_statement", "while_statement", "repeat_while_statement"]),
        (Notion::Branch, &["if_statement", "guard_statement", "switch_entry", "ternary_expression"]),
        (Notion::Logical, &["conjunction_expression", "disjunction_expression", "nil_coalescing_expression"]),
        (Notion::String, &["line_string_literal", "multi_line_string_literal", "raw_string_literal"]),
        (Notion::Comment, &["comment", "multiline_comment"]),
        (Notion::Import, &["import_declaration"]),
        (Notion::Assignment, &["assignment", "property_declaration"]),
        (Notion::Block, &["statements"]),
    ],
    calls: &[
        call("call_expression", &[], &["call_suffix", "value_arguments"]),
        call("macro_invocation", &[], &["call_suffix", "value_arguments"]),
    ],
    logical: &["&&", "||", "??"],
    name,
    parameters: itself,
    takes,
    visibility: |node| {
        let declaration =
            if node.kind() == "simple_identifier" { node.parent().unwrap_or(node) } else { node };
        if is_member_of(declaration, &["protocol_declaration"]) || declaration.kind() == "enum_entry" {
            return Visibility::Public;
        }
        let modifiers = declaration.child_of(&["modifiers"]);
        let words = modifiers.into_iter().flat_map(|list| words_of(list, &["visibility_modifier"]));
        let is_extension = has_word(declaration, "extension");
        by_words(words, if is_extension { Visibility::Public } else { Visibility::Restricted })
    },
    is_test,
    ..COMMON
});

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    let bound = || node.child("name").and_then(|pattern| pattern.child("bound_identifier"));
    let extends = has_word(node, "extension");
    match (node.kind(), notion) {
        ("class_declaration", Notion::Type) => node.child("name").filter(|_| !extends),
        ("class_declaration", _) => node.child("name").filter(|_| extends)?.child_of(&["type_identifier"]),
        ("property_declaration", Notion::Constant) => {
            node.parent().filter(|parent| parent.kind() == "source_file").and_then(|_| bound())
        }
        ("property_declaration" | "protocol_property_declaration", _) => {
            node.parent().filter(|parent| parent.kind().ends_with("_body")).and_then(|_| bound())
        }
        ("simple_identifier", _) => {
            let entry = node.parent().filter(|parent| parent.kind() == "enum_entry");
            entry.filter(|_| node.field() == "name").map(|_| node)
        }
        _ => node.child("name"),
    }
}

/// Parameters stand in the function itself; defaults and dots behind them.
fn takes(node: Node<'_>) -> Takes {
    if node.kind() != "parameter" {
        return Takes::Nothing;
    }
    let dots = node.next_sibling().is_some_and(|next| next.kind() == "...") || node.bytes().ends_with(b"...");
    match () {
        () if dots => Takes::AnyNumber,
        () if has_default_behind(node) => Takes::Optional,
        () => Takes::One,
    }
}

/// `testX` of XCTest, or `@Test func x`.
fn is_test(node: Node<'_>) -> bool {
    let marks = node.child_of(&["modifiers"]).into_iter().flat_map(|list| list.children());
    let marked = marks
        .filter(|mark| mark.kind() == "attribute")
        .filter_map(|mark| mark.child_of(&["user_type"]))
        .any(|name| name.bytes() == b"Test");
    marked || node.child("name").is_some_and(|name| name.bytes().starts_with(b"test"))
}
