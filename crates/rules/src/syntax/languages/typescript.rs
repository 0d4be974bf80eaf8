use super::javascript::{ASSIGNMENTS, BRANCHES, LAMBDAS, LOOPS, SCRIPT};
use super::*;

pub(super) static TYPESCRIPT: Table = Table::new(TYPED);

/// With markup in it, which makes `<T>x` something else.
pub(in crate::syntax) static TSX: Table = Table::new(Spec { grammar: || grammars::tsx().into(), ..TYPED });

const TYPED: Spec = Spec {
    language: Language::TypeScript,
    grammar: || grammars::typescript().into(),
    notions: &[
        (
            Notion::Function,
            &[
                "function_declaration",
                "generator_function_declaration",
                "function_signature",
                "method_definition",
                "method_signature",
                "abstract_method_signature",
                "variable_declarator",
                "public_field_definition",
                "assignment_expression",
            ],
        ),
        (Notion::Lambda, LAMBDAS),
        (
            Notion::Type,
            &[
                "class_declaration",
                "abstract_class_declaration",
                "interface_declaration",
                "type_alias_declaration",
                "enum_declaration",
            ],
        ),
        (Notion::Module, &["internal_module"]),
        (Notion::Field, &["public_field_definition", "property_signature"]),
        (Notion::Variant, &["property_identifier"]),
        (Notion::Constant, &["variable_declarator"]),
        (Notion::Catch, &["catch_clause"]),
        (Notion::Loop, LOOPS),
        (Notion::Branch, BRANCHES),
        (Notion::Logical, &["binary_expression"]),
        (Notion::String, &["string", "template_string"]),
        (Notion::Comment, &["comment"]),
        (Notion::Import, &["import_statement"]),
        (Notion::Return, &["return_statement"]),
        (Notion::Throw, &["throw_statement"]),
        (Notion::Jump, &["break_statement", "continue_statement"]),
        (Notion::Assignment, ASSIGNMENTS),
        (Notion::Block, &["statement_block"]),
    ],
    ..SCRIPT
};
