use super::*;

pub(super) static SCALA: Table = Table::new(Spec {
    language: Language::Scala,
    grammar: || grammars::scala().into(),
    notions: &[
        (Notion::Function, &["function_definition", "function_declaration"]),
        (Notion::Lambda, &["lambda_expression"]),
        (
            Notion::Type,
            &[
                "class_definition",
                "object_definition",
                "trait_definition",
                "enum_definition",
                "type_definition",
            ],
        ),
        (
            Notion::Field,
            &["val_definition", "var_definition", "val_declaration", "var_declaration", "class_parameter"],
        ),
        (Notion::Variant, &["simple_enum_case", "full_enum_case"]),
        (Notion::Catch, &["catch_clause"]),
        (Notion::Loop, &["for_expression", "while_expression", "do_while_expression"]),
        (Notion::Branch, &["if_expression", "case_clause"]),
        (Notion::Logical, &["infix_expression"]),
        (Notion::String, &["string", "interpolated_string_expression"]),
        (Notion::Comment, &["comment", "block_comment"]),
        (Notion::Import, &["import_declaration"]),
        (Notion::Return, &["return_expression"]),
        (Notion::Throw, &["throw_expression"]),
        (Notion::Assignment, &["assignment_expression", "val_definition", "var_definition"]),
        (Notion::Block, &["block", "indented_block"]),
    ],
    calls: &[call("call_expression", &["function"], &["arguments"])],
    name: |node, notion| match notion {
        Notion::Field if node.kind() == "class_parameter" => {
            node.child("name").filter(|name| name.kind() == "identifier" && is_kept(node))
        }
        Notion::Field => {
            node.child("pattern").or_else(|| node.child("name")).filter(|name| name.kind() == "identifier")
        }
        _ => node.child("name"),
    },
    // What types it takes is said in a list of the same name.
    parameters: |node| {
        node.children().find(|child| child.field() == "parameters" && child.kind() != "type_parameters")
    },
    takes: |node| match node.kind() {
        _ if is_found_by_the_compiler(node) => Takes::Nothing,
        "parameter" if node.child("default_value").is_some() => Takes::Optional,
        "parameter" if node.child("type").is_some_and(|of| of.kind() == "repeated_parameter_type") => {
            Takes::AnyNumber
        }
        "parameter" => Takes::One,
        _ => Takes::Nothing,
    },
    visibility: |node| {
        let modifiers = node.child_of(&["modifiers"]);
        let words = modifiers.into_iter().flat_map(|list| words_of(list, &["access_modifier"]));
        by_words(words, Visibility::Public)
    },
    test_calls: &["test", "it", "property"],
    written_test,
    is_test,
    ..COMMON
});

/// Whether a parameter of a class is one of its members: by `val` or `var`, or because the class is a `case` one.
fn is_kept(parameter: Node<'_>) -> bool {
    let said = |node: Node<'_>, words: &[&str]| node.child_of(words).is_some();
    let class = parameter.parent().and_then(|list| list.parent());
    said(parameter, &["val", "var"]) || class.is_some_and(|class| said(class, &["case"]))
}

/// In a list that begins with `implicit` or `using`: callers do not write it.
fn is_found_by_the_compiler(parameter: Node<'_>) -> bool {
    parameter.parent().is_some_and(|list| list.child_of(&["implicit", "using"]).is_some())
}

/// `"a cart" should "add prices" in { ... }` of ScalaTest.
fn written_test(node: Node<'_>) -> Option<Test<'_>> {
    let word = node.child("operator").filter(|_| node.kind() == "infix_expression")?;
    let (left, body) = (node.child("left")?, node.child("right")?);
    let is_test = word.bytes() == b"in" && body.is(Notion::Block);
    is_test.then(|| Test { node, name: left.text().into_owned(), name_node: None, body: Some(body) })
}

/// `@Test` of JUnit.
fn is_test(node: Node<'_>) -> bool {
    node.children()
        .filter(|child| child.kind() == "annotation")
        .filter_map(|annotation| annotation.child("name"))
        .any(|name| name.bytes() == b"Test")
}
