//! What kind of thing a variable holds, as far as its declaration or the call that made it tells.

use std::collections::HashMap;

use tree_sitter::Node;

use super::arguments::{self, Invocation};
use super::evaluate::is_constant_name;
use super::names::without_package;
use super::native::declared_type;
use super::scope::{Assignment, Given};
use super::walk::{Step, walk};
use super::{Flow, text_of};
use crate::language::Language;

/// So many parts of a chain of names are looked at.
const MOST_PARTS: usize = 24;

/// So many names lead to other names before nobody asks any more.
const LONGEST_TRAIL: usize = 4;

impl<'t> Flow<'t> {
    /// The type a value is declared with, or the whole name of the call that made it, `requests.Session()`. Empty
    /// where neither is known.
    pub(crate) fn type_of(&self, node: Node<'t>) -> String {
        let mut node = node;
        for _ in 0..LONGEST_TRAIL {
            match node.kind() {
                "identifier" => {
                    let Some(assignment) = self.last_assignment(node) else {
                        return self.field_type(self.text_of(node));
                    };
                    if let Some(declared) = self.declared(assignment.whole)
                        && self.text_of(declared) != "var"
                    {
                        return self.plain(self.text_of(declared));
                    }
                    // Java's variables keep the type they were declared with.
                    if self.language == Language::Java
                        && let known = self.field_type(self.text_of(node))
                        && !known.is_empty()
                        && known != "var"
                    {
                        return known;
                    }
                    match assignment.given {
                        Given::Value(value) => node = value,
                        Given::Added(_) | Given::Listed(_) | Given::From(_) | Given::Nothing => {
                            return String::new();
                        }
                    }
                }
                "attribute" | "member_expression" | "selector_expression" | "field_access" => {
                    let name = self.name_of(node);
                    return self.field_type(name.rsplit('.').next().unwrap_or_default());
                }
                "cast_expression" => {
                    return node
                        .child_by_field_name("type")
                        .map_or_else(String::new, |one| self.plain(self.text_of(one)));
                }
                "parenthesized_expression"
                | "await"
                | "await_expression"
                | "as_expression"
                | "expression_list"
                | "unary_expression" => match node.named_child(0) {
                    Some(inner) => node = inner,
                    None => return String::new(),
                },
                _ => {
                    return Invocation::of(node)
                        .map_or_else(String::new, |call| format!("{}()", self.name_of(call.callee)));
                }
            }
        }
        String::new()
    }

    /// Whether what stands before the dot is a module or a class, and no value.
    pub(super) fn is_module(&self, receiver: Option<Node<'t>>) -> bool {
        let Some(receiver) = receiver else { return false };
        let whole = self.name_of(receiver);
        if whole.contains(['(', '?']) || has_element(receiver) {
            return false;
        }
        let last = whole.rsplit('.').next().unwrap_or(&whole);
        let is_class = last.starts_with(|c: char| c.is_ascii_uppercase()) && !is_constant_name(last);
        // By the name it has here: a variable may be called like a module that came under another.
        let root = self.text_of(receiver).split(['.', '(']).next().unwrap_or_default();
        is_class || self.names.is_imported(root) || root == "require"
    }

    /// Whether a method of texts is called on a value, though the name of that value came by an import: `settings.key.strip()`,
    /// `config.get("key")`. A function of a module is given what it works on.
    pub(super) fn is_imported_value(&self, receiver: Node<'t>, method: &str, arguments: &[Node<'t>]) -> bool {
        let is_name = matches!(receiver.kind(), "identifier" | "type_identifier");
        match self.language {
            _ if arguments.is_empty() => true,
            _ if method == "join" => false,
            Language::Python => true,
            Language::JavaScript | Language::TypeScript => !is_name || is_taking(method),
            _ => false,
        }
    }

    pub(super) fn last_assignment(&self, node: Node<'t>) -> Option<Assignment<'t>> {
        let name = self.text_of(node);
        let mut at = node.start_byte();
        for scope in self.scopes_around(node) {
            let fits = |one: &&Assignment<'t>| {
                one.after <= at && matches!(one.given, Given::Value(_) | Given::From(_) | Given::Nothing)
            };
            if let Some(found) = scope.of_name(name).rev().find(fits) {
                return Some(found.clone());
            }
            at = usize::MAX;
        }
        None
    }

    /// Without what stands around a type: `: Pool`, `*sql.DB`, `final List<String>`, `java.sql.Statement`.
    fn plain(&self, declared: &str) -> String {
        let bare = declared.trim_start_matches([':', '*', '&', ' ']).trim();
        match self.language {
            Language::Java | Language::Kotlin => without_package(bare).to_owned(),
            _ => bare.to_owned(),
        }
    }

    pub(super) fn field_type(&self, name: &str) -> String {
        let fields = self.fields.get_or_init(|| fields(self.root, self.text));
        fields.get(name).map(|declared| self.plain(declared)).unwrap_or_default()
    }

    fn declared(&self, whole: Node<'t>) -> Option<Node<'t>> {
        let in_kotlin = || declared_type(whole).filter(|_| whole.kind() == "parameter");
        whole.child_by_field_name("type").or_else(in_kotlin).or_else(|| {
            let parent = self.parent(whole).filter(|_| whole.kind() == "variable_declarator")?;
            parent.child_by_field_name("type")
        })
    }
}

fn fields<'t>(root: Node<'t>, text: &'t [u8]) -> HashMap<&'t str, &'t str> {
    let mut found = HashMap::new();
    walk(root, |node| {
        if matches!(node.kind(), "field_declaration" | "local_variable_declaration" | "var_spec")
            && let Some(declared) = node.child_by_field_name("type")
        {
            let mut cursor = node.walk();
            for field in ["declarator", "name"] {
                for name in node.children_by_field_name(field, &mut cursor) {
                    let name = name.child_by_field_name("name").unwrap_or(name);
                    found.entry(text_of(text, name)).or_insert_with(|| text_of(text, declared));
                }
            }
        }
        Step::Into
    });
    found
}

/// Whether a method of this name gives something that is kept elsewhere.
pub(super) fn is_taking(method: &str) -> bool {
    matches!(method, "get" | "pop" | "getlist" | "items" | "values" | "keys" | "first")
}

/// Whether an element of something stands in a chain of names: no module is one.
fn has_element(chain: Node<'_>) -> bool {
    let parts = std::iter::successors(Some(chain), |part| arguments::receiver(*part));
    parts
        .take(MOST_PARTS)
        .any(|part| matches!(part.kind(), "subscript" | "subscript_expression" | "index_expression"))
}
