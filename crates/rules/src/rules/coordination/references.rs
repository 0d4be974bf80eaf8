//! Names that a file goes on using without calling them: imports, and functions that are handed on.

use std::collections::HashSet;

use crate::language::Language;
use crate::syntax::{Node, Notion, Tree};

#[derive(Debug)]
pub(super) struct Reference {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) how: How,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum How {
    /// As a value, in the file that defined it.
    Named,
    /// From a module, as its path is written.
    Imported { from: String },
    /// Behind the name of something: `auth.login`.
    Member { of: String },
}

/// Only of scripts: elsewhere a compiler tells.
pub(super) fn references(tree: &Tree, language: Language, names: &HashSet<&str>) -> Vec<Reference> {
    match language {
        Language::Python => {
            let mut found: Vec<Reference> =
                tree.all(Notion::Import).flat_map(|import| imported_by_python(import, names)).collect();
            found.extend(named_in_python(tree, names));
            found.extend(members_in_python(tree, names));
            found
        }
        Language::JavaScript | Language::TypeScript => {
            tree.all(Notion::Import).flat_map(|import| imported_by_script(import, names)).collect()
        }
        _ => Vec::new(),
    }
}

/// Not where the import may fail.
fn imported_by_python(import: Node<'_>, names: &HashSet<&str>) -> Vec<Reference> {
    let tried = import.ancestors().any(|around| around.is_kind(&["try_statement", "if_statement"]));
    let Some(module) = import.child("module_name").filter(|_| !tried) else { return Vec::new() };
    let from = module.text().into_owned();
    let names = import.children().filter(|child| child.field() == "name").filter_map(|one| {
        let name = one.child("name").unwrap_or(one);
        names.contains(&*name.text()).then(|| (name.text().into_owned(), name.line()))
    });
    names.map(|(name, line)| Reference { name, line, how: How::Imported { from: from.clone() } }).collect()
}

fn imported_by_script(import: Node<'_>, names: &HashSet<&str>) -> Vec<Reference> {
    let Some(source) = import.child("source") else { return Vec::new() };
    let path = source.text();
    let path = path.trim_matches(['"', '\'', '`']);
    if !path.starts_with('.') {
        return Vec::new();
    }
    let from = path.to_owned();
    let specifiers = import.descendants().filter(|node| node.kind() == "import_specifier");
    let names = specifiers.filter_map(|one| {
        let name = one.child("name")?;
        names.contains(&*name.text()).then(|| (name.text().into_owned(), name.line()))
    });
    names.map(|(name, line)| Reference { name, line, how: How::Imported { from: from.clone() } }).collect()
}

/// Values that are taken from what may be a module, without a call.
fn members_in_python(tree: &Tree, names: &HashSet<&str>) -> Vec<Reference> {
    let attributes = tree.root().descendants().filter(|node| node.kind() == "attribute");
    attributes
        .filter_map(|node| {
            let (object, name) = (node.child("object")?, node.child("attribute")?);
            let taken =
                object.kind() == "identifier" && !matches!(node.field(), "function" | "left" | "object");
            (taken && names.contains(&*name.text())).then(|| Reference {
                name: name.text().into_owned(),
                line: name.line(),
                how: How::Member { of: object.text().into_owned() },
            })
        })
        .collect()
}

/// Where a name of Python stands for a value.
const VALUES: [&str; 10] = [
    "argument_list",
    "assignment",
    "boolean_operator",
    "return_statement",
    "list",
    "tuple",
    "pair",
    "conditional_expression",
    "comparison_operator",
    "decorator",
];

/// Nothing of a name that is given to something else anywhere in the file.
fn named_in_python(tree: &Tree, names: &HashSet<&str>) -> Vec<Reference> {
    let all: Vec<Node<'_>> = tree
        .root()
        .descendants()
        .filter(|node| node.kind() == "identifier" && names.contains(&*node.text()))
        .collect();
    let is_value = |node: &Node<'_>| {
        let around = node.parent();
        around.is_some_and(|around| around.is_kind(&VALUES))
            && !matches!(node.field(), "left" | "key" | "name")
    };
    let is_called = |node: &Node<'_>| node.field() == "function";
    let is_part = |node: &Node<'_>| node.field() == "attribute";
    let is_keyword = |node: &Node<'_>| {
        node.field() == "name" && node.parent().is_some_and(|p| p.kind() == "keyword_argument")
    };
    let bound: HashSet<&[u8]> = all
        .iter()
        .filter(|node| !is_value(node) && !is_called(node) && !is_part(node) && !is_keyword(node))
        .map(Node::bytes)
        .collect();
    let values = all.iter().filter(|node| is_value(node) && !bound.contains(node.bytes()));
    values
        .map(|node| Reference { name: node.text().into_owned(), line: node.line(), how: How::Named })
        .collect()
}
