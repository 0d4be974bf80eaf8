//! What Rust, C, C++ and Kotlin write otherwise than the languages that the rest of this folder speaks of.

use tree_sitter::Node;

use super::evaluate::Fuel;
use super::names::{Imported, Part};
use super::scope::{Assignment, Given};
use super::{Flow, Origin, Value, csharp, php, ruby, text_of};
use crate::language::Language;

/// Functions of C that write a text into their first argument: where what they write begins, and how it gets there.
const COPYING: [(&str, usize, Copied); 12] = [
    ("sprintf", 1, Copied::Formatted),
    ("vsprintf", 1, Copied::Formatted),
    ("snprintf", 2, Copied::Formatted),
    ("vsnprintf", 2, Copied::Formatted),
    ("strcpy", 1, Copied::Instead),
    ("strncpy", 1, Copied::Instead),
    ("strlcpy", 1, Copied::Instead),
    ("stpcpy", 1, Copied::Instead),
    ("memcpy", 1, Copied::Instead),
    ("strcat", 1, Copied::Behind),
    ("strncat", 1, Copied::Behind),
    ("strlcat", 1, Copied::Behind),
];

/// Functions of C that fill their first argument with what comes from outside, and those that fill their second.
const FILLING_FIRST: [&str; 3] = ["fgets", "gets", "getline"];
const FILLING_SECOND: [&str; 4] = ["read", "recv", "recvfrom", "scanf"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Copied {
    Formatted,
    Instead,
    Behind,
}

/// What a node of these languages calls what it stands for.
pub(super) fn part<'t>(node: Node<'t>, text: &'t [u8]) -> Part<'t> {
    let field = |name| node.child_by_field_name(name);
    let of = |object: Option<Node<'t>>, name: Option<Node<'t>>| match (object, name) {
        (Some(object), Some(name)) => Part::Of(object, text_of(text, name)),
        (None, Some(name)) => Part::Name(text_of(text, name)),
        _ => Part::Other,
    };
    match node.kind() {
        "namespace_identifier" | "crate" | "this_expression" | "primitive_type" => {
            Part::Name(text_of(text, node))
        }
        "scoped_type_identifier" if field("name").is_none() => Part::Name(text_of(text, node)),
        "scoped_identifier" | "scoped_type_identifier" => of(field("path"), field("name")),
        "qualified_identifier" => of(field("scope"), field("name")),
        "field_expression" => of(field("value").or_else(|| field("argument")), field("field")),
        "navigation_expression" => {
            let name = node.named_child(1);
            of(node.named_child(0), name.and_then(|name| name.child_by_field_name("suffix")).or(name))
        }
        // Swift's, and a shell's.
        "simple_identifier" | "self_expression" | "command_name" => Part::Name(text_of(text, node)),
        "directly_assignable_expression" | "pattern" => node.named_child(0).map_or(Part::Other, Part::Inside),
        "generic_function" => field("function").map_or(Part::Other, Part::Inside),
        "generic_type_with_turbofish" => field("type").map_or(Part::Other, Part::Inside),
        "template_function" => field("name").map_or(Part::Other, Part::Inside),
        "reference_expression" => field("value").map_or(Part::Other, Part::Inside),
        "pointer_expression" => field("argument").map_or(Part::Other, Part::Inside),
        "try_expression" | "user_type" => node.named_child(0).map_or(Part::Other, Part::Inside),
        _ => match php::part(node, text).or_else(|| ruby::part(node, text)) {
            Some(part) => part,
            None => csharp::part(node, text),
        },
    }
}

/// `use a::{b, c::d as e}`, written as the names of other languages are: `a.c.d`.
pub(super) fn rust_use(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let mut open: Vec<(Node<'_>, String)> =
        node.child_by_field_name("argument").map(|argument| (argument, String::new())).into_iter().collect();
    while let Some((node, before)) = open.pop() {
        let dotted = |node: Node<'_>| format!("{before}{}", text_of(text, node).replace("::", "."));
        match node.kind() {
            "scoped_use_list" => {
                let path = node.child_by_field_name("path").map(|path| dotted(path) + ".");
                open.extend(
                    node.child_by_field_name("list").map(|list| (list, path.unwrap_or(before.clone()))),
                );
            }
            "use_list" => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor).map(|child| (child, before.clone())));
            }
            "use_as_clause" => {
                if let (Some(path), Some(alias)) =
                    (node.child_by_field_name("path"), node.child_by_field_name("alias"))
                {
                    imported.insert(text_of(text, alias).to_owned(), dotted(path));
                }
            }
            "self" => {
                let whole = before.trim_end_matches('.').to_owned();
                imported.insert(whole.rsplit('.').next().unwrap_or(&whole).to_owned(), whole.clone());
            }
            _ => {
                let whole = dotted(node);
                imported.insert(whole.rsplit('.').next().unwrap_or(&whole).to_owned(), whole.clone());
            }
        }
    }
}

/// `#include <a/b.h>`, for who asks what a file brings in.
pub(super) fn c_include(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    if let Some(path) = node.child_by_field_name("path") {
        let path = text_of(text, path).trim_matches(['<', '>', '"']);
        imported.insert(format!("{path} "), path.to_owned());
    }
}

/// What is given a value here, the value, and whether it comes on top of what was there.
pub(super) fn assigned(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, bool)> {
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        "let_declaration" | "let_condition" | "for_expression" => {
            Some((field("pattern")?, field("value")?, false))
        }
        "const_item" | "static_item" => Some((field("name")?, field("value")?, false)),
        "init_declarator" => Some((field("declarator")?, field("value")?, false)),
        "compound_assignment_expr" => Some((field("left")?, field("right")?, true)),
        // Kotlin's has no names for its parts.
        "for_statement" => {
            let mut cursor = node.walk();
            let kinds = ["variable_declaration", "multi_variable_declaration"];
            let target = node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))?;
            target.next_sibling().filter(|word| word.kind() == "in")?;
            Some((target, target.next_named_sibling()?, false))
        }
        "foreach_statement" => php::looped(node),
        "property_declaration" => {
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            let target = *children.iter().find(|child| child.kind() == "variable_declaration")?;
            let value = *children.last().filter(|last| last.start_byte() > target.end_byte())?;
            Some((target.named_child(0)?, value, false))
        }
        _ => None,
    }
}

/// The function that a call of C names, and what it is given.
fn c_call<'t>(flow: &Flow<'t>, call: Node<'t>) -> Option<(&'t str, Vec<Node<'t>>)> {
    let function = call.child_by_field_name("function").filter(|f| f.kind() != "field_expression")?;
    let name = flow.text_of(function).trim_start_matches("std::");
    let mut cursor = call.walk();
    let arguments = call.child_by_field_name("arguments")?;
    Some((name, arguments.named_children(&mut cursor).filter(|one| !one.is_extra()).collect()))
}

/// The assignments that a call of C makes to the buffers it is given.
pub(super) fn buffers<'t>(flow: &Flow<'t>, call: Node<'t>) -> Vec<(Node<'t>, Given<'t>)> {
    let Some((name, arguments)) = c_call(flow, call) else { return Vec::new() };
    let Some(first) = arguments.first().copied() else { return Vec::new() };
    if FILLING_FIRST.contains(&name) {
        return vec![(first, Given::From(Origin::Local))];
    }
    if FILLING_SECOND.contains(&name) {
        return arguments.get(1).map(|second| (*second, Given::From(Origin::Local))).into_iter().collect();
    }
    let Some((_, from, how)) = COPYING.iter().find(|(known, ..)| *known == name) else { return Vec::new() };
    let Some(source) = arguments.get(*from).copied() else { return Vec::new() };
    match how {
        Copied::Instead => vec![(first, Given::Value(source))],
        Copied::Behind => vec![(first, Given::Added(source))],
        Copied::Formatted => {
            let mut given = vec![(first, Given::Value(source))];
            // Numbers do no harm.
            if takes_text(flow.text_of(source)) {
                given.extend(arguments.iter().skip(from + 1).map(|one| (first, Given::Added(*one))));
            }
            given
        }
    }
}

/// Whether a format of C asks for a text, or cannot be read here.
fn takes_text(format: &str) -> bool {
    !format.starts_with('"')
        || format.split('%').skip(1).any(|rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || "-+#.*' l".contains(c)).starts_with('s')
        })
}

/// The list of a function's parameters, wherever the grammar keeps it.
pub(super) fn parameter_list(function: Node<'_>) -> Option<Node<'_>> {
    let mut declarator = function.child_by_field_name("declarator");
    for _ in 0..8 {
        let Some(inner) = declarator else { break };
        if let Some(list) = inner.child_by_field_name("parameters") {
            return Some(list);
        }
        declarator = inner.child_by_field_name("declarator");
    }
    let mut cursor = function.walk();
    function
        .named_children(&mut cursor)
        .find(|child| matches!(child.kind(), "function_value_parameters" | "lambda_parameters"))
}

/// The type that a parameter or variable of Kotlin is declared with.
pub(super) fn declared_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| matches!(child.kind(), "user_type" | "nullable_type"))
}

impl<'t> Flow<'t> {
    pub(super) fn evaluate_native(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "integer_literal" | "number_literal" | "boolean_literal" | "char_literal" => {
                Value::constant(self.text_of(node))
            }
            "sizeof_expression" | "range_expression" | "is_expression" | "in_expression" => {
                Value::of(Origin::Clean)
            }
            "reference_expression" => self.inside(field("value"), fuel),
            "pointer_expression" => self.inside(field("argument"), fuel),
            "try_expression" | "spread_expression" | "value_argument" => self.last_inside(node, fuel),
            "field_expression" | "navigation_expression" => self.member(node, fuel),
            "array_expression" | "tuple_expression" | "initializer_list" | "collection_literal" => {
                self.all_inside(node, fuel)
            }
            "type_cast_expression" => match field("type").map(|kind| kind.kind()) {
                Some("primitive_type") => Value::of(Origin::Clean),
                _ => self.inside(field("value"), fuel),
            },
            "scoped_identifier" | "qualified_identifier" => {
                let name = self.name_of(node);
                let last = name.rsplit('.').next().unwrap_or_default();
                if super::evaluate::is_constant_name(last) {
                    Value::of(Origin::Clean)
                } else {
                    Value::unknown()
                }
            }
            "macro_invocation" => self.written_by_macro(node, fuel),
            // `"a" to "b"` of Kotlin.
            "infix_expression" if node.named_child(1).is_some_and(|word| self.text_of(word) == "to") => {
                self.last_inside(node, fuel)
            }
            _ => self.evaluate_csharp(node, fuel),
        }
    }

    /// Kotlin's grammar takes the `$` and the name of `"$name …"` for two pieces of text: what they put in, and the rest
    /// of the second. Nothing for the first, which is no text.
    pub(super) fn named_after_dollar(&self, piece: Node<'t>, fuel: &mut Fuel) -> Option<Value> {
        if self.language != Language::Kotlin {
            return None;
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let text = self.text_of(piece);
        let follows =
            |piece: Option<Node<'t>>| piece.map_or("", |piece| self.text_of(piece)).starts_with(is_name);
        if text == "$" && follows(piece.next_sibling()) {
            return Some(Value::constant(""));
        }
        let before = piece.prev_sibling().filter(|before| self.text_of(*before) == "$");
        if before.is_none() || !text.starts_with(is_name) {
            return None;
        }
        let end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
        Some(self.named(&text[..end], piece, fuel).followed_by(Value::constant(&text[end..])))
    }

    /// What `format!` and its like put together; of other macros nothing is known.
    fn written_by_macro(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let name = node.child_by_field_name("macro").map_or("", |name| self.text_of(name));
        let Some(tokens) = node.named_child(1).filter(|tokens| tokens.kind() == "token_tree") else {
            return Value::unknown();
        };
        let mut cursor = tokens.walk();
        let inside: Vec<Node<'t>> = tokens.children(&mut cursor).skip(1).take(400).collect();
        let mut arguments = inside.split(|token| token.kind() == ",");
        let first = arguments.next().and_then(|first| first.first().copied());
        match (name.rsplit("::").next().unwrap_or_default(), first) {
            ("format" | "format_args", Some(first)) if first.kind().ends_with("string_literal") => {
                let format = self.string(first, fuel).text;
                self.filled(&format, &arguments.collect::<Vec<_>>(), node, fuel)
            }
            ("concat" | "stringify" | "env" | "include_str", _) => Value::of(Origin::Clean),
            ("vec", _) => self.listed_by_macro(&inside, fuel),
            _ => Value::unknown(),
        }
    }

    /// `vec![a, b]`, or `vec![a; 2]`, up to the bracket that closes it.
    fn listed_by_macro(&self, inside: &[Node<'t>], fuel: &mut Fuel) -> Value {
        let Some((_, listed)) = inside.split_last() else { return Value::unknown() };
        let is_repeated = listed.iter().any(|token| token.kind() == ";");
        let parts = listed.split(|token| matches!(token.kind(), "," | ";")).filter(|part| !part.is_empty());
        let parts = parts.take(if is_repeated { 1 } else { 64 });
        let values = parts.map(|part| self.tokens(part, fuel));
        values.reduce(Value::with).unwrap_or_else(|| Value::constant(""))
    }

    /// A format of Rust with its values in it.
    fn filled(&self, format: &str, arguments: &[&[Node<'t>]], at: Node<'t>, fuel: &mut Fuel) -> Value {
        let mut value = Value::constant("");
        let mut unnamed = arguments.iter().filter(|tokens| !is_named(tokens));
        let mut rest = format;
        while let Some(open) = rest.find('{') {
            value = value.followed_by(Value::constant(&rest[..open]));
            let inside = &rest[open + 1..];
            if let Some(after) = inside.strip_prefix('{') {
                value = value.followed_by(Value::constant("{"));
                rest = after;
                continue;
            }
            let Some(close) = inside.find('}') else { break };
            let name = inside[..close].split(':').next().unwrap_or_default();
            let named = arguments
                .iter()
                .find(|tokens| is_named(tokens) && tokens.first().is_some_and(|t| self.text_of(*t) == name));
            let part = match (named, name.parse::<usize>()) {
                (Some(tokens), _) => self.tokens(tokens.get(2..).unwrap_or_default(), fuel),
                (None, Ok(place)) => {
                    arguments.get(place).map_or_else(Value::unknown, |tokens| self.tokens(tokens, fuel))
                }
                (None, Err(_)) if name.is_empty() => {
                    unnamed.next().map_or_else(Value::unknown, |tokens| self.tokens(tokens, fuel))
                }
                (None, Err(_)) => self.named(name, at, fuel),
            };
            value = value.followed_by(part);
            rest = &inside[close + 1..];
        }
        value.followed_by(Value::constant(rest))
    }

    /// An argument of a macro, which the grammar does not parse: a literal, or something that begins with a variable.
    fn tokens(&self, tokens: &[Node<'t>], fuel: &mut Fuel) -> Value {
        let tokens: Vec<Node<'t>> =
            tokens.iter().copied().filter(|token| !matches!(token.kind(), "&" | "*" | ")")).collect();
        let last_name = tokens.iter().rev().find(|token| token.kind() == "identifier");
        match tokens.as_slice() {
            [] => Value::unknown(),
            [one] => self.evaluate(*one, fuel),
            _ if last_name.is_some_and(|name| matches!(self.text_of(*name), "len" | "count")) => {
                Value::of(Origin::Clean)
            }
            [first, second, method, ..] if first.kind() == "identifier" && second.kind() == "." => {
                if self.gives_fixed(self.text_of(*method)) {
                    return Value::of(Origin::Clean);
                }
                match self.named(self.text_of(*first), *first, fuel).origin {
                    Origin::Constant if self.text_of(*method) == "join" => Value::of(Origin::Clean),
                    Origin::Constant => Value::unknown(),
                    origin => Value::of(origin),
                }
            }
            _ => Value::unknown(),
        }
    }

    /// What a call of C writes into buffers.
    pub(super) fn collect_buffers(&self, call: Node<'t>, found: &mut Vec<Assignment<'t>>) {
        for (target, given) in buffers(self, call) {
            if let Some(root) = super::scope::root_of(target) {
                found.push(self.assignment(self.text_of(root), given, call));
            }
        }
    }
}

fn is_named(tokens: &[Node<'_>]) -> bool {
    tokens.get(1).is_some_and(|token| token.kind() == "=")
}
