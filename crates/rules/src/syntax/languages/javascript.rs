use std::collections::HashSet;

use super::*;

pub(super) static JAVASCRIPT: Table = Table::new(Spec {
    language: Language::JavaScript,
    grammar: || grammars::javascript().into(),
    notions: &[
        (
            Notion::Function,
            &[
                "function_declaration",
                "generator_function_declaration",
                "method_definition",
                "variable_declarator",
                "field_definition",
                "assignment_expression",
            ],
        ),
        (Notion::Lambda, LAMBDAS),
        (Notion::Type, &["class_declaration"]),
        (Notion::Field, &["field_definition"]),
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
});

pub(super) const LAMBDAS: &[&str] = &["arrow_function", "function_expression", "generator_function"];
pub(super) const LOOPS: &[&str] = &["for_statement", "for_in_statement", "while_statement", "do_statement"];
pub(super) const BRANCHES: &[&str] = &["if_statement", "switch_case", "ternary_expression"];
pub(super) const ASSIGNMENTS: &[&str] =
    &["assignment_expression", "augmented_assignment_expression", "variable_declarator"];

/// What JavaScript and TypeScript share.
pub(super) const SCRIPT: Spec = Spec {
    calls: &[
        call("call_expression", &["function"], &["arguments"]),
        call("new_expression", &["constructor"], &["arguments"]),
    ],
    logical: &["&&", "||", "??"],
    test_calls: &["it", "test", "specify"],
    name,
    parameters: |node| {
        let function = value(node);
        function.child("parameters").or_else(|| function.child("parameter"))
    },
    takes,
    body: |node| value(node).child("body"),
    visibility,
    exports,
    ..COMMON
};

/// The function itself, where a name is given to one.
fn value(node: Node<'_>) -> Node<'_> {
    node.child("value").or_else(|| node.child("right")).unwrap_or(node)
}

fn name(node: Node<'_>, notion: Notion) -> Option<Node<'_>> {
    let defines_function = || value(node).is(Notion::Lambda);
    let plain = |name: Node<'_>| {
        name.is_kind(&["identifier", "type_identifier", "property_identifier", "private_property_identifier"])
    };
    match (node.kind(), notion) {
        ("assignment_expression", _) => {
            let target = node.child("left").filter(|_| defines_function())?;
            target.child("property").filter(|_| target.kind() == "member_expression")
        }
        ("variable_declarator" | "field_definition" | "public_field_definition", Notion::Function) => {
            node.child("name").or_else(|| node.child("property")).filter(|_| defines_function())
        }
        ("field_definition", _) => node.child("property").filter(|name| plain(*name)),
        ("variable_declarator", _) => node.child("name").filter(|name| plain(*name)),
        ("property_signature", _) => {
            let list = node.parent()?;
            let of_alias = || list.parent().is_some_and(|parent| parent.kind() == "type_alias_declaration");
            (list.kind() == "interface_body" || of_alias()).then(|| node.child("name")).flatten()
        }
        ("property_identifier", _) => {
            let list = node.parent()?;
            let listed =
                list.kind() == "enum_body" || (list.kind() == "enum_assignment" && node.field() == "name");
            listed.then_some(node)
        }
        _ => node.child("name"),
    }
}

fn takes(node: Node<'_>) -> Takes {
    let pattern = node.child("pattern").unwrap_or(node);
    match (node.kind(), pattern.kind()) {
        ("comment" | "decorator", _) => Takes::Nothing,
        (_, "this") => Takes::Receiver,
        (_, "rest_pattern") => Takes::AnyNumber,
        ("optional_parameter" | "assignment_pattern", _) => Takes::Optional,
        ("required_parameter", _) if node.child("value").is_some() => Takes::Optional,
        ("identifier", _) if may_be_left_out(node) => Takes::Optional,
        _ => Takes::One,
    }
}

/// So much of a body is searched: what is not given is made up for at the beginning.
const BEGINNING: usize = 2_000;

/// Where no compiler asks for it, a function that looks whether it was given a parameter lets callers leave it out:
/// `options = options || {}`, `if (!done)`, `typeof depth === 'undefined'`.
fn may_be_left_out(parameter: Node<'_>) -> bool {
    let around = parameter.parent();
    let function = around.filter(|around| around.is(Notion::Lambda)).or_else(|| around?.parent());
    let body = function.filter(|_| parameter.tree().table().language() == Language::JavaScript);
    let Some(body) = body.and_then(|function| function.child("body")) else { return false };
    let text = body.bytes();
    let beginning = &text[..text.len().min(BEGINNING)];
    memchr::memmem::find(beginning, b"arguments.length").is_some()
        || is_asked_for(beginning, parameter.bytes())
}

fn is_asked_for(body: &[u8], name: &[u8]) -> bool {
    const BEHIND: [&[u8]; 11] = [
        b"||",
        b"&&",
        b"??",
        b"?",
        b"== null",
        b"=== null",
        b"!= null",
        b"!== null",
        b"== undefined",
        b"=== undefined",
        b"!== undefined",
    ];
    const BEFORE: [&[u8]; 6] =
        [b"!", b"typeof", b"undefined ===", b"undefined ==", b"null ==", b"isUndefined("];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.".contains(byte);
    memchr::memmem::find_iter(body, name).any(|at| {
        let (before, behind) = (&body[..at], &body[at + name.len()..]);
        if before.last().is_some_and(is_word)
            || behind.first().is_some_and(|byte| is_word(byte) && *byte != b'.')
        {
            return false;
        }
        let (before, behind) = (before.trim_ascii_end(), behind.trim_ascii_start());
        let alone = before.ends_with(b"if (") || before.ends_with(b"if(");
        BEHIND.iter().any(|mark| behind.starts_with(mark))
            || (!behind.starts_with(b".") && BEFORE.iter().any(|mark| before.ends_with(mark)))
            || (alone && behind.starts_with(b")"))
    })
}

fn visibility(node: Node<'_>) -> Visibility {
    let declaration = match node.kind() {
        "variable_declarator" => node.parent().unwrap_or(node),
        _ => node,
    };
    let parent = declaration.parent();
    let parent_is = |kinds: &[&str]| parent.is_some_and(|parent| parent.is_kind(kinds));
    if node.kind() == "assignment_expression" {
        let target = node.child("left").and_then(|left| left.child("object")).map(|object| object.text());
        let exported = target.is_some_and(|target| ["exports", "module.exports"].contains(&target.as_ref()));
        return if exported { Visibility::Public } else { Visibility::Private };
    }
    if parent_is(&["class_body", "interface_body", "object_type", "enum_body", "enum_assignment"]) {
        let name =
            node.child("name").or_else(|| node.child("property")).map(|name| name.text()).unwrap_or_default();
        let said = node.child_of(&["accessibility_modifier"]).map(|modifier| modifier.bytes());
        return match said {
            Some(b"private") => Visibility::Private,
            Some(b"protected") => Visibility::Restricted,
            _ if name.starts_with('#') => Visibility::Private,
            _ if name.starts_with('_') => Visibility::Restricted,
            _ => Visibility::Public,
        };
    }
    let exported = parent_is(&["export_statement"])
        || (parent_is(&["ambient_declaration"]) && is_member_of(declaration, &["export_statement"]));
    if exported { Visibility::Public } else { Visibility::Private }
}

/// `export { a }`, `export default a`, `module.exports = { a }`.
fn exports(tree: &Tree) -> Exports {
    let mut names = HashSet::new();
    for statement in tree.root().named_children() {
        if statement.kind() == "export_statement" && statement.child("source").is_none() {
            let value = statement.child("value").filter(|value| value.kind() == "identifier");
            names.extend(value.map(|value| value.text().into_owned()));
            let listed =
                statement.child_of(&["export_clause"]).into_iter().flat_map(|list| list.named_children());
            names.extend(listed.filter_map(|one| Some(one.child("name")?.text().into_owned())));
        }
        let assigned =
            statement.named_children().next().filter(|inner| inner.kind() == "assignment_expression");
        if let Some(assigned) = assigned {
            names.extend(common_exports(assigned));
        }
    }
    if names.is_empty() { Exports::Unsaid } else { Exports::Also(names) }
}

fn common_exports(assigned: Node<'_>) -> Vec<String> {
    let target = assigned.child("left").map(|left| left.text()).unwrap_or_default();
    let Some(value) = assigned.child("right").filter(|_| target == "module.exports") else {
        return Vec::new();
    };
    match value.kind() {
        "identifier" => vec![value.text().into_owned()],
        "object" => value
            .named_children()
            .filter_map(|entry| match entry.kind() {
                "shorthand_property_identifier" => Some(entry.text().into_owned()),
                _ => Some(
                    entry.child("value").filter(|value| value.kind() == "identifier")?.text().into_owned(),
                ),
            })
            .collect(),
        _ => Vec::new(),
    }
}
