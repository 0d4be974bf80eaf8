use super::*;

pub(super) static C: Table = Table::new(Spec {
    language: Language::C,
    grammar: || grammars::c().into(),
    notions: &[
        (Notion::Function, &["function_definition", "declaration"]),
        (Notion::Type, &["struct_specifier", "union_specifier", "enum_specifier", "type_definition"]),
        (Notion::Field, &["field_identifier"]),
        (Notion::Variant, &["enumerator"]),
        (Notion::Constant, &["preproc_def"]),
        (Notion::Loop, &["for_statement", "while_statement", "do_statement"]),
        (Notion::Branch, &["if_statement", "case_statement", "conditional_expression"]),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["string_literal"]),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["preproc_include"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Jump, &["break_statement", "continue_statement", "goto_statement"]),
        (Notion::Assignment, &["assignment_expression", "init_declarator"]),
        (Notion::Block, &["compound_statement"]),
    ],
    written_test: checked,
    is_test: |node| {
        let is_void = node.child("type").is_some_and(|kind| kind.bytes() == b"void");
        let name = name(node, Notion::Function).filter(|_| node.kind() == "function_definition");
        is_void && name.is_some_and(|name| name.bytes().starts_with(b"test"))
    },
    ..DECLARED
});

/// `START_TEST(name)` of Check, which the grammar takes for a type, or for a function behind one.
fn checked(node: Node<'_>) -> Option<Test<'_>> {
    let (body, declarator) = (node.child("body")?, node.child("declarator")?);
    let head = node.text_between(node.range().start, body.range().start);
    memchr::memmem::find(head, b"START_TEST").filter(|_| node.kind() == "function_definition")?;
    let words = declarator.descendants().filter(|inner| inner.is_kind(&["identifier", "type_identifier"]));
    let name = words.last()?;
    Some(Test { node, name: name.text().into_owned(), name_node: Some(name), body: Some(body) })
}

/// What C and C++ share: names and parameters are found by way of declarators.
pub(super) const DECLARED: Spec = Spec {
    calls: &[call("call_expression", &["function"], &["arguments"])],
    name,
    parameters: |node| declarator(node)?.child("parameters"),
    takes,
    visibility,
    ..COMMON
};

/// The declarator of a function, behind pointers and references. A variable has none.
pub(super) fn declarator(node: Node<'_>) -> Option<Node<'_>> {
    let found = std::iter::successors(node.child("declarator"), |at| {
        at.is_kind(&["pointer_declarator", "reference_declarator"]).then(|| inner_of(*at)).flatten()
    })
    .last()
    .filter(|found| found.kind() == "function_declarator");
    // A pointer to a function is a variable.
    found.filter(|found| inner_of(*found).is_some_and(|name| name.kind() != "parenthesized_declarator"))
}

fn inner_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child("declarator").or_else(|| node.named_children().last())
}

pub(super) fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    match notion {
        Notion::Function => {
            let name = declarator(node)?.child("declarator")?;
            let word = std::iter::successors(Some(name), |name| {
                (name.kind() == "qualified_identifier").then(|| name.child("name")).flatten()
            });
            word.last().filter(|name| {
                name.is_kind(&["identifier", "field_identifier", "destructor_name", "operator_name"])
            })
        }
        Notion::Type if node.kind() == "type_definition" => {
            node.child("declarator").filter(|name| name.kind() == "type_identifier")
        }
        // Without a body it only mentions the type.
        Notion::Type if node.kind() != "alias_declaration" => node
            .child("body")
            .and_then(|_| node.child("name"))
            .filter(|name| name.kind() == "type_identifier"),
        Notion::Field => {
            let declared = node.ancestors().take(4).find(|around| !around.kind().ends_with("_declarator"));
            let is_function = node.parent().is_some_and(|parent| parent.kind() == "function_declarator");
            declared.filter(|around| around.kind() == "field_declaration" && !is_function).map(|_| node)
        }
        _ => node.child("name"),
    }
}

pub(super) fn takes(node: Node<'_>) -> Takes {
    match node.kind() {
        "parameter_declaration" => {
            let is_void = node.child("declarator").is_none() && node.bytes() == b"void";
            if is_void { Takes::Nothing } else { Takes::One }
        }
        // The names alone, with their types below: as C was written first.
        "identifier" if node.parent().is_some_and(|list| list.kind() == "parameter_list") => Takes::One,
        "optional_parameter_declaration" => Takes::Optional,
        "variadic_parameter" | "variadic_parameter_declaration" | "variadic_declarator" => Takes::AnyNumber,
        _ => Takes::Nothing,
    }
}

fn visibility(node: Node<'_>) -> Visibility {
    let is_static =
        node.children().any(|child| child.kind() == "storage_class_specifier" && child.bytes() == b"static");
    if is_static { Visibility::Private } else { Visibility::Public }
}
