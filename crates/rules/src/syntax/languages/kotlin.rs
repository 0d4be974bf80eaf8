use super::*;

pub(super) static KOTLIN: Table = Table::new(Spec {
    language: Language::Kotlin,
    grammar: || grammars::kotlin().into(),
    notions: &[
        (Notion::Function, &["function_declaration"]),
        (Notion::Lambda, &["lambda_literal", "anonymous_function", "secondary_constructor"]),
        (Notion::Type, &["class_declaration", "object_declaration", "type_alias"]),
        (Notion::Module, &["companion_object"]),
        (Notion::Field, &["property_declaration", "class_parameter"]),
        (Notion::Variant, &["enum_entry"]),
        (Notion::Constant, &["property_declaration"]),
        (Notion::Catch, &["catch_block"]),
        (Notion::Loop, &["for_statement", "while_statement", "do_while_statement"]),
        (Notion::Branch, &["if_expression", "when_entry"]),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["string_literal", "multiline_string_literal"]),
        (Notion::Comment, &["line_comment", "block_comment"]),
        (Notion::Import, &["import"]),
        (Notion::Return, &["return_expression"]),
        (Notion::Throw, &["throw_expression"]),
        (Notion::Assignment, &["assignment", "property_declaration"]),
        (Notion::Block, &["block"]),
    ],
    calls: &[call("call_expression", &[], &["value_arguments"])],
    logical: &["&&", "||", "?:"],
    name,
    parameters: |node| node.child_of(&["function_value_parameters"]),
    takes,
    body: |node| node.child_of(&["function_body"]),
    owner,
    visibility,
    test_calls: &["test", "it", "should", "scenario", "then", "Then"],
    written_test,
    is_test,
    ..COMMON
});

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    let in_type = || node.parent().is_some_and(|parent| parent.is_kind(&["class_body", "enum_class_body"]));
    let declared =
        || node.child_of(&["variable_declaration"]).and_then(|inner| inner.child_of(&["identifier"]));
    match (node.kind(), notion) {
        ("property_declaration", Notion::Field) => in_type().then(declared).flatten(),
        ("property_declaration", _) => {
            node.parent().filter(|parent| parent.kind() == "source_file").and_then(|_| declared())
        }
        ("class_parameter", _) => {
            let kept = has_word(node, "val") || has_word(node, "var");
            node.child_of(&["identifier"]).filter(|_| kept)
        }
        ("enum_entry", _) => node.child_of(&["identifier"]),
        ("type_alias", _) => node.child("type").or_else(|| node.child_of(&["identifier"])),
        // What it holds is used as if it stood in the class.
        ("companion_object", _) => None,
        _ => node.child("name").or_else(|| node.child_of(&["identifier"])),
    }
}

/// Defaults stand behind a parameter, modifiers in front of it, not in it.
fn takes(node: Node<'_>) -> Takes {
    let any_number = || {
        let before = node.previous_sibling().filter(|before| before.kind() == "parameter_modifiers");
        before.is_some_and(|modifiers| memchr::memmem::find(modifiers.bytes(), b"vararg").is_some())
    };
    match node.kind() {
        "parameter" if any_number() => Takes::AnyNumber,
        "parameter" if has_default_behind(node) => Takes::Optional,
        "parameter" => Takes::One,
        // Of a class, with everything in it.
        "class_parameter" if memchr::memmem::find(node.bytes(), b"vararg ").is_some() => Takes::AnyNumber,
        "class_parameter" if has_word(node, "=") => Takes::Optional,
        "class_parameter" => Takes::One,
        _ => Takes::Nothing,
    }
}

/// The type in front of the name of an extension.
fn owner(node: Node<'_>) -> Option<Node<'_>> {
    let name = node.child("name")?;
    let before =
        node.children().take_while(|child| *child != name).find(|child| child.kind() == "user_type")?;
    before.child_of(&["identifier"])
}

fn visibility(node: Node<'_>) -> Visibility {
    let modifiers = node.child_of(&["modifiers"]);
    let words = modifiers.into_iter().flat_map(|list| words_of(list, &["visibility_modifier"]));
    by_words(words, Visibility::Public)
}

fn is_test(node: Node<'_>) -> bool {
    let modifiers = node.child_of(&["modifiers"]).into_iter().flat_map(|list| list.children());
    modifiers.filter(|modifier| modifier.kind() == "annotation").any(|annotation| {
        let name = annotation.bytes().split(|byte| *byte == b'(').next().unwrap_or_default();
        let marks = [&b"Test"[..], b"TestFactory", b"TestTemplate"].iter().any(|mark| name.ends_with(mark));
        marks && !name.ends_with(b"BeforeTest") && !name.ends_with(b"AfterTest")
    })
}

/// `"adds prices" { ... }` of Kotest.
fn written_test(node: Node<'_>) -> Option<Test<'_>> {
    let title = node.named_children().next().filter(|_| node.kind() == "call_expression")?;
    let lambda = node.child_of(&["annotated_lambda"])?.child_of(&["lambda_literal"])?;
    let is_title = title.is(Notion::String);
    is_title.then(|| Test { node, name: unquoted(title), name_node: None, body: Some(lambda) })
}
