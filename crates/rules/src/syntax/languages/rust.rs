use super::*;

pub(super) static RUST: Table = Table::new(Spec {
    language: Language::Rust,
    grammar: || grammars::rust().into(),
    notions: &[
        (Notion::Function, &["function_item", "function_signature_item"]),
        (Notion::Lambda, &["closure_expression"]),
        (Notion::Type, &["struct_item", "enum_item", "union_item", "trait_item", "type_item"]),
        (Notion::Module, &["mod_item", "impl_item"]),
        (Notion::Field, &["field_declaration"]),
        (Notion::Variant, &["enum_variant"]),
        (Notion::Constant, &["const_item", "static_item"]),
        (Notion::Loop, &["loop_expression", "while_expression", "for_expression"]),
        (Notion::Branch, &["if_expression", "match_arm"]),
        (Notion::Logical, &["binary_expression", "let_chain"]),
        (Notion::String, &["string_literal", "raw_string_literal"]),
        (Notion::Comment, &["line_comment", "block_comment"]),
        (Notion::Import, &["use_declaration", "extern_crate_declaration"]),
        (Notion::Return, &["return_expression"]),
        (Notion::Jump, &["break_expression", "continue_expression"]),
        (Notion::Assignment, &["assignment_expression", "compound_assignment_expr", "let_declaration"]),
        (Notion::Block, &["block"]),
    ],
    calls: &[
        call("call_expression", &["function"], &["arguments"]),
        call("macro_invocation", &["macro"], &["token_tree"]),
    ],
    name,
    takes,
    visibility,
    is_test,
    ..COMMON
});

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    match notion {
        Notion::Module if node.kind() == "impl_item" => type_name(node.child("type")?),
        Notion::Field if is_member_of(node, &["enum_variant"]) => None,
        _ => node.child("name"),
    }
}

/// `Map` of `std::collections::Map<K, V>`.
fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_identifier" | "primitive_type" => Some(node),
        "generic_type" => type_name(node.child("type")?),
        "scoped_type_identifier" => node.child("name"),
        _ => None,
    }
}

fn takes(node: Node<'_>) -> Takes {
    match node.kind() {
        "self_parameter" => Takes::Receiver,
        "variadic_parameter" => Takes::AnyNumber,
        "parameter" if node.child("pattern").is_some_and(|pattern| pattern.kind() == "self") => {
            Takes::Receiver
        }
        kind if kind.ends_with("_comment") || kind == "attribute_item" => Takes::Nothing,
        _ => Takes::One,
    }
}

fn visibility(node: Node<'_>) -> Visibility {
    let around = node.parent().and_then(|list| list.parent());
    let inherits = around.is_some_and(|around| match around.kind() {
        "trait_item" => true,
        "impl_item" => around.child("trait").is_some(),
        _ => false,
    });
    let says = |word: &[u8]| {
        attributes(node).any(|attribute| memchr::memmem::find(attribute.bytes(), word).is_some())
    };
    // What is deprecated is hidden so that nobody starts to use it; those who do may go on.
    let hidden = || says(b"doc(hidden)") && !says(b"deprecated");
    match node.kind() {
        "impl_item" | "enum_variant" => Visibility::Public,
        // What a trait demands is seen at the trait.
        _ if inherits && around.is_some_and(|around| around.kind() == "impl_item") => Visibility::Restricted,
        _ if inherits => Visibility::Public,
        _ => match node.child_of(&["visibility_modifier"]).map(|modifier| modifier.bytes()) {
            Some(b"pub") if !hidden() => Visibility::Public,
            Some(_) => Visibility::Restricted,
            None => Visibility::Private,
        },
    }
}

/// The attributes in front of an item.
fn attributes(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.previous_sibling(), Node::previous_sibling)
        .take_while(|before| before.is_kind(&["attribute_item", "line_comment", "block_comment"]))
        .filter(|before| before.kind() == "attribute_item")
}

fn is_test(node: Node<'_>) -> bool {
    const NAMES: [&str; 9] = [
        "test",
        "rstest",
        "test_case",
        "quickcheck",
        "bench",
        "wasm_bindgen_test",
        "gtest",
        "proptest",
        "test_matrix",
    ];
    let is_named = |names: &[&str]| {
        attributes(node).any(|attribute| {
            let text = attribute.text();
            let path = text.trim_start_matches("#[").split(['(', ']', '=']).next().unwrap_or_default();
            names.contains(&path.rsplit("::").next().unwrap_or_default().trim())
        })
    };
    // The cases of a template are those of the tests that apply it; it is none itself.
    is_named(&NAMES) && !is_named(&["template"])
}
