//! Where a file names types, and where it makes values of them.

use std::collections::{HashMap, HashSet};

use super::arguments::{counted, names_of_arguments};
use crate::language::Language;
use crate::syntax::{Call, Node, Notion, Tree};

/// What a file does with the names of types that a change took away, or makes otherwise now.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub(super) uses: HashMap<String, Vec<TypeUse>>,
    /// Those that it defines itself, be it as parameters of something generic.
    pub(super) defined: HashSet<String>,
    /// The package or namespace that it says it belongs to.
    pub(super) namespace: Namespace,
    /// Words of the lines by which C++ opens a namespace, or takes names out of one.
    pub(super) opened: HashSet<String>,
}

#[derive(Debug)]
pub(super) struct TypeUse {
    pub(super) line: u32,
    /// What stands in front of the name: `shop::`, `auth.`.
    pub(super) before: String,
    pub(super) made: Option<Made>,
}

/// A value that is made of a type.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) arguments: u32,
    /// Of the arguments that have one.
    pub(super) names: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Namespace {
    #[default]
    Unsaid,
    Named(String),
    Several,
}

impl Types {
    pub(super) fn read(tree: &Tree, language: Language, names: &HashSet<&str>) -> Self {
        let mut types = Types { namespace: Namespace::of(tree.text(), language), ..Types::default() };
        if names.is_empty() || !is_read(language) {
            return types;
        }
        if language == Language::Cpp {
            types.opened = opened(tree.text());
        }
        for node in tree.root().descendants() {
            if let Some((name, one)) = made(node, language).or_else(|| named(node, language))
                && names.contains(name.as_str())
            {
                types.uses.entry(name).or_default().push(one);
            } else if let Some(name) = defined(node).filter(|name| names.contains(name.as_str())) {
                types.defined.insert(name);
            }
        }
        types
    }
}

/// Words of the lines by which C++ opens a namespace, or takes names out of one.
pub(super) fn opened(text: &[u8]) -> HashSet<String> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
    let opening = lines.filter(|line| line.starts_with(b"namespace ") || line.starts_with(b"using "));
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = opening.flat_map(|line| line.split(move |byte| !is_word(byte)));
    words.filter(|word| !word.is_empty()).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Whether it is known of a language how types are made or named.
pub(super) fn is_read(language: Language) -> bool {
    let named = matches!(
        language,
        Language::Go | Language::Java | Language::Kotlin | Language::CSharp | Language::Cpp | Language::Php
    );
    named || matches!(language, Language::Python | Language::TypeScript | Language::JavaScript)
}

impl Namespace {
    /// By the first word of a line, which is where everybody writes it.
    pub(super) fn of(text: &[u8], language: Language) -> Self {
        let word: &[u8] = match language {
            Language::Java | Language::Kotlin | Language::Go => b"package ",
            Language::CSharp | Language::Php => b"namespace ",
            _ => return Namespace::Unsaid,
        };
        let mut said = text.split(|byte| *byte == b'\n').filter_map(|line| {
            let name = line.trim_ascii().strip_prefix(word)?;
            let end = name.iter().position(|byte| b";{/ \t\r".contains(byte)).unwrap_or(name.len());
            Some(String::from_utf8_lossy(&name[..end]).into_owned()).filter(|name| !name.is_empty())
        });
        match said.next() {
            None => Namespace::Unsaid,
            Some(first) if said.all(|other| other == first) => Namespace::Named(first),
            Some(_) => Namespace::Several,
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Namespace::Named(name) => Some(name),
            Namespace::Unsaid => Some(""),
            Namespace::Several => None,
        }
    }
}

/// The name of a type that a node defines.
fn defined(node: Node<'_>) -> Option<String> {
    let is_parameter = node.is_kind(&["type_parameter", "type_parameter_declaration"]);
    if !node.is(Notion::Type) && !is_parameter {
        return None;
    }
    // Without a body, C++ only mentions a type.
    if node.kind().ends_with("_specifier") && node.child("body").is_none() {
        return None;
    }
    let aliased = || node.child("type").filter(|_| node.kind() == "type_alias");
    let name = node.child("name").or_else(aliased).or_else(|| {
        let kinds = ["type_identifier", "identifier"];
        node.child_of(&kinds).filter(|_| is_parameter || node.is_kind(&["object_declaration", "type_alias"]))
    });
    name.map(|name| name.text().into_owned())
}

/// `new Auth(a)`, `Auth(a)`, `Auth one(a)`.
fn made(node: Node<'_>, language: Language) -> Option<(String, TypeUse)> {
    if language == Language::Cpp && node.kind() == "init_declarator" {
        return declared(node);
    }
    let makes: &[&str] = match language {
        Language::Java | Language::CSharp | Language::Php => &["object_creation_expression"],
        Language::TypeScript | Language::JavaScript => &["new_expression"],
        Language::Cpp => &["new_expression", "call_expression"],
        Language::Kotlin => &["call_expression"],
        Language::Python => &["call"],
        _ => return None,
    };
    let call = node.call().filter(|call| call.node.is_kind(makes))?;
    let text = String::from_utf8_lossy(call.callee());
    let (name, before) = path(held(&text).unwrap_or(&text))?;
    let arguments = given(&call, language)?;
    let made = Some(Made { arguments, names: names_of_arguments(&call) });
    Some((name, TypeUse { line: node.line(), before, made }))
}

/// `Auth` of `std::make_unique<Auth>`.
fn held(callee: &str) -> Option<&str> {
    const MAKING: [&str; 2] = ["make_unique<", "make_shared<"];
    let callee = callee.strip_prefix("std::").unwrap_or(callee);
    MAKING.iter().find_map(|making| callee.strip_prefix(making)?.strip_suffix('>'))
}

/// Absent where the number is not to be seen, or where C++ may be about to copy.
fn given(call: &Call<'_>, language: Language) -> Option<u32> {
    let arguments = counted(call)?;
    let mut listed = call.arguments();
    let copies = language == Language::Cpp && arguments == 1 && !listed.next().is_some_and(is_literal);
    (!copies).then_some(arguments)
}

fn is_literal(node: Node<'_>) -> bool {
    node.is_kind(&["string_literal", "number_literal", "char_literal", "true", "false", "null"])
}

/// `Auth one("a", 2);`, which the grammar tells from a function only by what stands in the brackets.
fn declared(declarator: Node<'_>) -> Option<(String, TypeUse)> {
    let list = declarator.child("value").filter(|value| value.kind() == "argument_list")?;
    let declaration = declarator.parent().filter(|around| around.kind() == "declaration")?;
    // Braces may list the elements of something.
    if !list.bytes().starts_with(b"(") {
        return None;
    }
    let text = declaration.child("type")?.text();
    let (name, before) = path(&text)?;
    let given: Vec<Node<'_>> = list.named_children().filter(|one| !one.is(Notion::Comment)).collect();
    let copies = matches!(given.as_slice(), [one] if !is_literal(*one));
    let is_open = given.iter().any(|one| one.bytes().ends_with(b"...") || one.kind() == "call_expression");
    let arguments = u32::try_from(given.len()).ok().filter(|_| !copies && !is_open)?;
    let made = Some(Made { arguments, names: Vec::new() });
    Some((name, TypeUse { line: declarator.line(), before, made }))
}

/// The last word of a path, and what stands in front of it. Nothing of what is no path.
fn path(text: &str) -> Option<(String, String)> {
    let text = text.split('<').next().unwrap_or_default().trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = text.char_indices().rev().find(|(_, c)| !is_word(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let (before, name) = text.split_at(start);
    let plain = before.chars().all(|c| is_word(c) || ".:\\".contains(c));
    (plain && !name.is_empty()).then(|| (name.to_owned(), before.to_owned()))
}

/// Where only a type can stand. Of scripts the imports are looked at instead.
fn named(node: Node<'_>, language: Language) -> Option<(String, TypeUse)> {
    let around = node.parent()?;
    let is_one = match language {
        Language::Go | Language::Java | Language::Cpp => {
            node.kind() == "type_identifier"
                && node.field() != "name"
                && !around.is_kind(&["type_parameter", "type_parameter_declaration", "type_spec"])
                || (node.kind() == "type_identifier"
                    && around.is_kind(&["qualified_type", "qualified_identifier"]))
        }
        Language::Kotlin => node.kind() == "user_type",
        Language::CSharp => {
            node.kind() == "identifier"
                && (matches!(node.field(), "type" | "returns")
                    || around.is_kind(&["base_list", "type_argument_list"]))
        }
        Language::Php => {
            const NAMING: [&str; 4] =
                ["named_type", "base_clause", "class_interface_clause", "object_creation_expression"];
            node.is_kind(&["name", "qualified_name"])
                && (around.is_kind(&NAMING)
                    || (around.kind() == "scoped_call_expression" && node.field() == "scope"))
        }
        _ => false,
    };
    if !is_one {
        return None;
    }
    const QUALIFIED: [&str; 3] = ["qualified_type", "scoped_type_identifier", "qualified_identifier"];
    let whole = if around.is_kind(&QUALIFIED) { around } else { node };
    // Of a longer path this is only a part.
    let ends = whole.range().end == node.range().end;
    let (name, before) = path(&whole.text()).filter(|_| ends)?;
    Some((name, TypeUse { line: node.line(), before, made: None }))
}
