use super::c::{DECLARED, declarator};
use super::*;

pub(in crate::syntax) static CPP: Table = Table::new(Spec {
    language: Language::Cpp,
    grammar: || grammars::cpp().into(),
    notions: &[
        (Notion::Function, &["function_definition", "declaration", "field_declaration"]),
        (Notion::Lambda, &["lambda_expression"]),
        (
            Notion::Type,
            &[
                "class_specifier",
                "struct_specifier",
                "union_specifier",
                "enum_specifier",
                "type_definition",
                "alias_declaration",
            ],
        ),
        (Notion::Module, &["namespace_definition"]),
        (Notion::Field, &["field_identifier"]),
        (Notion::Variant, &["enumerator"]),
        (Notion::Constant, &["preproc_def"]),
        (Notion::Catch, &["catch_clause"]),
        (Notion::Loop, &["for_statement", "for_range_loop", "while_statement", "do_statement"]),
        (Notion::Branch, &["if_statement", "case_statement", "conditional_expression"]),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["string_literal", "raw_string_literal"]),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["preproc_include", "using_declaration"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Throw, &["throw_statement"]),
        (Notion::Jump, &["break_statement", "continue_statement", "goto_statement"]),
        (Notion::Assignment, &["assignment_expression", "init_declarator"]),
        (Notion::Block, &["compound_statement"]),
    ],
    calls: &[
        call("call_expression", &["function"], &["arguments"]),
        call("new_expression", &["type"], &["arguments"]),
    ],
    owner,
    visibility,
    written_test,
    is_test: |node| macro_of(node).is_some(),
    ..DECLARED
});

/// The macro that opens a test as a function does, as GoogleTest's do.
fn macro_of(node: Node<'_>) -> Option<Node<'_>> {
    const NAMES: [&[u8]; 9] = [
        b"TEST",
        b"TEST_F",
        b"TEST_P",
        b"TYPED_TEST",
        b"TYPED_TEST_P",
        b"TEST_CASE",
        b"BOOST_AUTO_TEST_CASE",
        b"BOOST_FIXTURE_TEST_CASE",
        b"TEST_METHOD",
    ];
    declarator(node)?.child("declarator").filter(|name| NAMES.contains(&name.bytes()))
}

/// `TEST(Suite, Name) { ... }`, or `TEST_CASE("title") { ... }`, which the grammar takes for a call and a block behind it.
fn written_test(node: Node<'_>) -> Option<Test<'_>> {
    const TITLED: [&str; 6] = [
        "TEST_CASE",
        "SCENARIO",
        "TEST_CASE_METHOD",
        "TEMPLATE_TEST_CASE",
        "TEST_CASE_TEMPLATE",
        "TEST_CASE_FIXTURE",
    ];
    if node.kind() == "compound_statement" {
        let before = node.previous_sibling().filter(|before| before.kind() == "expression_statement")?;
        let call = before.named_children().next()?.call()?;
        let title = call.arguments().find(|given| given.is(Notion::String))?;
        let is_test = TITLED.contains(&call.name().as_str());
        return is_test.then(|| Test { node, name: unquoted(title), name_node: None, body: Some(node) });
    }
    let body = node.child("body").filter(|_| node.kind() == "function_definition")?;
    let name = macro_of(node)?;
    let list = declarator(node)?.child("parameters")?;
    let words: Vec<String> = list.named_children().map(|word| word.text().into_owned()).collect();
    Some(Test { node, name: words.join("."), name_node: Some(name), body: Some(body) })
}

/// `A` of `n::A::f`, where it is defined outside the class.
fn owner(node: Node<'_>) -> Option<Node<'_>> {
    let name = declarator(node)?.child("declarator").filter(|name| name.kind() == "qualified_identifier")?;
    let path =
        std::iter::successors(Some(name), |name| name.child("name")).filter_map(|name| name.child("scope"));
    path.last().filter(|scope| scope.is_kind(&["namespace_identifier", "type_identifier"]))
}

fn visibility(node: Node<'_>) -> Visibility {
    let declaration = std::iter::successors(Some(node), Node::parent)
        .find(|around| around.parent().is_none_or(|parent| parent.kind() == "field_declaration_list"));
    let member = declaration.filter(|found| found.parent().is_some());
    let Some(member) = member else {
        return (DECLARED.visibility)(node);
    };
    let said = std::iter::successors(member.previous_sibling(), Node::previous_sibling)
        .take(MOST_MEMBERS)
        .find(|before| before.kind() == "access_specifier");
    let of_class = is_member_of(member, &["class_specifier"]);
    match said.map(|said| said.bytes()) {
        Some(b"public") => Visibility::Public,
        Some(b"protected") => Visibility::Restricted,
        Some(_) => Visibility::Private,
        None if of_class => Visibility::Private,
        None => Visibility::Public,
    }
}

/// How far back the label that says who may use a member is looked for.
const MOST_MEMBERS: usize = 500;
