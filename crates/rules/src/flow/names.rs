use std::collections::HashMap;

use tree_sitter::Node;

use super::walk::{Step, walk};
use super::{aliases, native, php, ruby, text_of};
use crate::language::Language;

/// A chain of more parts is nobody's name.
const LONGEST_CHAIN: usize = 24;

/// What the names of a file stand for.
#[derive(Debug)]
pub(super) struct Names {
    /// What a name that an import brought is called where it comes from.
    imported: HashMap<String, String>,
    language: Language,
}

impl Names {
    pub(super) fn of(root: Node<'_>, text: &[u8], language: Language) -> Self {
        let mut imported = HashMap::new();
        let places = places(text, language);
        walk(root, |node| {
            let first = places.partition_point(|place| *place < node.start_byte());
            // What imports in Go does not say so itself, and stands before all functions.
            let may_import = match language {
                Language::Go => !is_definition(node.kind()) || node.has_error(),
                _ => places.get(first).is_some_and(|place| *place < node.end_byte()),
            };
            if !may_import {
                return Step::Over;
            }
            match (language, node.kind()) {
                (Language::Python, "import_statement") => python_import(node, text, &mut imported),
                (Language::Python, "import_from_statement") => python_from(node, text, &mut imported),
                (Language::JavaScript | Language::TypeScript, "import_statement") => {
                    script_import(node, text, &mut imported);
                }
                (Language::JavaScript | Language::TypeScript, "variable_declarator") => {
                    script_require(node, text, &mut imported);
                    return Step::Into;
                }
                (Language::Go, "import_spec") => go_import(node, text, &mut imported),
                (Language::Java, "import_declaration") | (Language::Kotlin, "import") => {
                    java_import(node, text, &mut imported);
                }
                (Language::Rust, "use_declaration") => native::rust_use(node, text, &mut imported),
                (Language::C | Language::Cpp, "preproc_include") => {
                    native::c_include(node, text, &mut imported);
                }
                _ => return Step::Into,
            }
            Step::Over
        });
        let mut names = Names { imported, language };
        for (alias, whole) in aliases::of(root, text, &names) {
            names.imported.entry(alias).or_insert(whole);
        }
        names
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    pub(super) fn imports(&self, module: &str) -> bool {
        self.imported.values().any(|whole| {
            whole.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        })
    }

    pub(super) fn is_imported(&self, name: &str) -> bool {
        self.imported.contains_key(name)
    }

    pub(super) fn whole(&self, node: Node<'_>, text: &[u8]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut current = Some(node);
        while let Some(inner) = current {
            // Java has one node for a call and its name, as PHP and Ruby have: behind a dot it is the result that is meant.
            if is_call_and_name(inner.kind(), self.language) && inner.id() != node.id() {
                parts.push("()".to_owned());
            }
            if parts.len() > LONGEST_CHAIN {
                parts.push("?".to_owned());
                break;
            }
            current = match part(inner, text) {
                Part::Name(name) => {
                    let whole = self.imported.get(name).map_or(name, String::as_str);
                    parts.push(whole.to_owned());
                    None
                }
                Part::Module(name) => {
                    parts.push(name.trim_start_matches("node:").to_owned());
                    None
                }
                Part::Of(inner, name) => {
                    parts.push(name.to_owned());
                    Some(inner)
                }
                Part::Result(callee) => {
                    parts.push("()".to_owned());
                    Some(callee)
                }
                Part::Inside(inner) => Some(inner),
                Part::Other => {
                    parts.push("?".to_owned());
                    None
                }
            };
        }
        let whole = join(parts);
        match self.language {
            Language::Java | Language::Kotlin => without_package(&whole).to_owned(),
            _ => whole,
        }
    }
}

fn is_call_and_name(kind: &str, language: Language) -> bool {
    match language {
        Language::Php => php::METHODS.contains(&kind),
        Language::Ruby => kind == "call",
        _ => kind == "method_invocation",
    }
}

/// Where the words stand of which one is in everything that imports, in order.
fn places(text: &[u8], language: Language) -> Vec<usize> {
    let words: &[&[u8]] = match language {
        Language::Python | Language::Java | Language::Kotlin => &[b"import"],
        Language::JavaScript | Language::TypeScript => &[b"import", b"require", b"promisify"],
        Language::Rust => &[b"use"],
        Language::C | Language::Cpp => &[b"include"],
        _ => &[],
    };
    let mut places: Vec<usize> =
        words.iter().flat_map(|word| memchr::memmem::find_iter(text, word)).collect();
    places.sort_unstable();
    places
}

fn is_definition(kind: &str) -> bool {
    matches!(kind, "function_declaration" | "method_declaration" | "type_declaration")
}

/// In Java a class is known by its own name, whether it is imported or named with its package.
pub(super) fn without_package(whole: &str) -> &str {
    let mut rest = whole;
    for depth in 0..LONGEST_CHAIN {
        let is_class = rest.starts_with(|c: char| c.is_ascii_uppercase());
        if is_class {
            return if depth > 1 { rest } else { whole };
        }
        let is_package = |part: &str| part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        match rest.split_once('.') {
            Some((part, more)) if !part.is_empty() && is_package(part) => rest = more,
            _ => return whole,
        }
    }
    whole
}

/// From the last part to the first; `()` belongs to the part before it.
fn join(parts: Vec<String>) -> String {
    let mut whole = String::new();
    for part in parts.into_iter().rev() {
        if !whole.is_empty() && part != "()" {
            whole.push('.');
        }
        whole.push_str(&part);
    }
    whole
}

pub(super) enum Part<'t> {
    Name(&'t str),
    Module(&'t str),
    Of(Node<'t>, &'t str),
    Result(Node<'t>),
    Inside(Node<'t>),
    Other,
}

fn part<'t>(node: Node<'t>, text: &'t [u8]) -> Part<'t> {
    let field = |name| node.child_by_field_name(name);
    let of = |object, name| match (field(object), field(name)) {
        (Some(object), Some(name)) => Part::Of(object, text_of(text, name)),
        _ => Part::Other,
    };
    match node.kind() {
        "identifier"
        | "this"
        | "self"
        | "super"
        | "type_identifier"
        | "property_identifier"
        | "shorthand_property_identifier"
        | "field_identifier"
        | "package_identifier"
        | "undefined"
        | "import" => Part::Name(text_of(text, node)),
        "qualified_type" => of("package", "name"),
        "attribute" => of("object", "attribute"),
        "member_expression" => of("object", "property"),
        "selector_expression" => of("operand", "field"),
        "field_access" => of("object", "field"),
        "method_invocation" => match (field("object"), field("name")) {
            (Some(object), Some(name)) => Part::Of(object, text_of(text, name)),
            (None, Some(name)) => Part::Name(text_of(text, name)),
            _ => Part::Other,
        },
        "generic_type" => node.named_child(0).map_or(Part::Other, Part::Inside),
        "call" if field("method").is_some() => ruby::part(node, text).unwrap_or(Part::Other),
        "call" | "call_expression" => match field("function") {
            Some(function) if is_import(function, text) => required(node, text),
            Some(function) if text_of(text, function) == "getattr" => {
                looked_up(node, text).unwrap_or(Part::Result(function))
            }
            // What is made of a function by this does the same.
            Some(_) if promised(node, text).is_some() => {
                promised(node, text).map_or(Part::Other, Part::Inside)
            }
            Some(function) => Part::Result(function),
            None => node.named_child(0).map_or(Part::Other, Part::Result),
        },
        "new_expression" => field("constructor").map_or(Part::Other, Part::Result),
        "object_creation_expression" => field("type").map_or(Part::Other, Part::Result),
        // `(0, eval)`
        "sequence_expression" => {
            let last = u32::try_from(node.named_child_count()).unwrap_or_default().saturating_sub(1);
            node.named_child(last).map_or(Part::Other, Part::Inside)
        }
        "parenthesized_expression"
        | "await"
        | "await_expression"
        | "non_null_expression"
        | "as_expression" => node.named_child(0).map_or(Part::Other, Part::Inside),
        "subscript" => element(field("value"), field("subscript"), text),
        "subscript_expression" => {
            element(field("object").or_else(|| field("argument")), field("index"), text)
        }
        "index_expression" => match field("operand") {
            Some(operand) => element(Some(operand), field("index"), text),
            None => element(node.named_child(0), node.named_child(1), text),
        },
        _ => native::part(node, text),
    }
}

/// `a['b']` is `a.b`; any other element is called like what it is in.
fn element<'t>(object: Option<Node<'t>>, key: Option<Node<'t>>, text: &'t [u8]) -> Part<'t> {
    match (object, key) {
        (Some(object), Some(key))
            if matches!(key.kind(), "string" | "interpreted_string_literal" | "string_literal") =>
        {
            Part::Of(object, unquoted(text_of(text, key)))
        }
        (Some(object), _) => Part::Inside(object),
        (None, _) => Part::Other,
    }
}

fn is_import(function: Node<'_>, text: &[u8]) -> bool {
    matches!(text_of(text, function), "require" | "import" | "__import__" | "importlib.import_module")
}

/// `getattr(os, "system")` is `os.system`.
fn looked_up<'t>(call: Node<'t>, text: &'t [u8]) -> Option<Part<'t>> {
    let arguments = call.child_by_field_name("arguments")?;
    let name = arguments.named_child(1).filter(|name| name.kind() == "string")?;
    Some(Part::Of(arguments.named_child(0)?, unquoted(text_of(text, name))))
}

/// What `require` brings is called like the module.
fn required<'t>(call: Node<'t>, text: &'t [u8]) -> Part<'t> {
    let module = call.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    match module {
        Some(module) if module.kind() == "string" => Part::Module(unquoted(text_of(text, module))),
        _ => Part::Other,
    }
}

pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

fn last_of(path: &str) -> &str {
    path.rsplit(['.', '/']).next().unwrap_or(path)
}

pub(super) type Imported = HashMap<String, String>;

fn python_import(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let mut cursor = node.walk();
    for child in node.children_by_field_name("name", &mut cursor) {
        match (child.child_by_field_name("name"), child.child_by_field_name("alias")) {
            (Some(name), Some(alias)) => {
                imported.insert(text_of(text, alias).to_owned(), text_of(text, name).to_owned());
            }
            _ => {
                let whole = text_of(text, child);
                let first = whole.split('.').next().unwrap_or(whole);
                imported.insert(first.to_owned(), first.to_owned());
                // Known under its whole name as well, for who asks what is imported.
                imported.insert(format!("{whole} "), whole.to_owned());
            }
        }
    }
}

fn python_from(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let Some(module) = node.child_by_field_name("module_name").map(|module| text_of(text, module)) else {
        return;
    };
    let mut cursor = node.walk();
    for child in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = match (child.child_by_field_name("name"), child.child_by_field_name("alias")) {
            (Some(name), Some(alias)) => (text_of(text, name), text_of(text, alias)),
            _ => (text_of(text, child), text_of(text, child)),
        };
        imported.insert(alias.to_owned(), format!("{module}.{name}"));
    }
}

fn script_import(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let Some(source) = node.child_by_field_name("source") else { return };
    let module = unquoted(text_of(text, source)).trim_start_matches("node:").to_owned();
    imported.insert(format!("{module} "), module.clone());
    walk(node, |inner| {
        match inner.kind() {
            "import_specifier" => {
                let name = inner.child_by_field_name("name").map(|name| text_of(text, name));
                let alias = inner.child_by_field_name("alias").map(|alias| text_of(text, alias)).or(name);
                if let (Some(name), Some(alias)) = (name, alias) {
                    imported.insert(alias.to_owned(), format!("{module}.{name}"));
                }
                return Step::Over;
            }
            "identifier" => {
                imported.insert(text_of(text, inner).to_owned(), module.clone());
            }
            _ => {}
        }
        Step::Into
    });
}

/// `const a = require('b')`, `const {a, b: c} = require('d')`, `const a = require('b').c`.
fn script_require(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value"))
    else {
        return;
    };
    let written = text_of(text, value).trim_start_matches("await ");
    if let Some(function) = promised(value, text) {
        let whole = Names { imported: std::mem::take(imported), language: Language::JavaScript };
        let known = whole.whole(function, text);
        *imported = whole.imported;
        imported.insert(text_of(text, name).to_owned(), known);
        return;
    }
    if !["require(", "import("].iter().any(|word| written.starts_with(word)) {
        return;
    }
    let names = Names { imported: HashMap::new(), language: Language::JavaScript };
    let whole = names.whole(value, text);
    if whole.contains(['?', '(']) {
        return;
    }
    imported.insert(format!("{whole} "), whole.clone());
    match name.kind() {
        "identifier" => {
            imported.insert(text_of(text, name).to_owned(), whole);
        }
        "object_pattern" => {
            let mut cursor = name.walk();
            for child in name.named_children(&mut cursor) {
                let key = child.child_by_field_name("key").unwrap_or(child);
                let bound = child.child_by_field_name("value").unwrap_or(child);
                imported.insert(text_of(text, bound).to_owned(), format!("{whole}.{}", text_of(text, key)));
            }
        }
        _ => {}
    }
}

/// What `promisify` was given.
fn promised<'t>(value: Node<'t>, text: &[u8]) -> Option<Node<'t>> {
    let function = value.child_by_field_name("function").filter(|_| value.kind() == "call_expression")?;
    let is_wrapper = text_of(text, function).rsplit('.').next() == Some("promisify");
    value.child_by_field_name("arguments").filter(|_| is_wrapper)?.named_child(0)
}

/// `"math/rand"` is `rand` here and `math/rand` to who asks; a version at the end names nothing.
fn go_import(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let Some(path) = node.child_by_field_name("path").map(|path| unquoted(text_of(text, path))) else {
        return;
    };
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let named = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    let alias = node.child_by_field_name("name").map_or(named, |name| text_of(text, name));
    imported.insert(alias.to_owned(), path.to_owned());
}

/// Types are called by their own name, as nobody writes the rest; the whole is kept for who asks what is imported.
fn java_import(node: Node<'_>, text: &[u8], imported: &mut Imported) {
    let Some(path) = node.named_child(0).map(|path| text_of(text, path)) else { return };
    imported.insert(format!("{path} "), path.to_owned());
    let last = last_of(path);
    imported.entry(last.to_owned()).or_insert_with(|| last.to_owned());
}
