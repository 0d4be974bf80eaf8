use super::*;

pub(super) static BASH: Table = Table::new(Spec {
    language: Language::Shell,
    grammar: || grammars::bash().into(),
    notions: &[
        (Notion::Function, &["function_definition"]),
        (Notion::Constant, &["variable_assignment"]),
        (Notion::Loop, &["for_statement", "c_style_for_statement", "while_statement"]),
        (Notion::Branch, &["if_statement", "elif_clause", "case_item"]),
        (Notion::Logical, &["list"]),
        (Notion::String, &["string", "raw_string", "ansi_c_string", "heredoc_body"]),
        (Notion::Comment, &["comment"]),
        (Notion::Assignment, &["variable_assignment"]),
        (Notion::Block, &["compound_statement", "do_group"]),
    ],
    calls: &[call("command", &["name"], &[])],
    name: |node, notion| match notion {
        Notion::Constant => node
            .parent()
            .filter(|parent| parent.kind() == "program" || parent.kind() == "declaration_command")
            .and_then(|_| node.child("name")),
        _ => node.child("name"),
    },
    // A function of the shell takes whatever it is given.
    parameters: itself,
    takes: |node| if node.field() == "name" { Takes::AnyNumber } else { Takes::Nothing },
    is_test: |node| node.child("name").is_some_and(|name| name.bytes().starts_with(b"test_")),
    ..COMMON
});
