//! Paths that stay below a folder, and tables that the file writes down.

use tree_sitter::Node;

use super::Flow;
use super::arguments::{Invocation, property};
use super::evaluate::is_constant_name;
use super::scope::Given;
use crate::language::Language;

/// A longer file is not searched for who changes a table.
const LONGEST_FILE: usize = 200_000;

/// Calls that take the steps up out of a path, and join one.
const CLEANING: [&str; 5] =
    ["path/filepath.Clean", "path.Clean", "path.normalize", "path.posix.normalize", "path.resolve"];
const JOINING: [&str; 3] = ["path/filepath.Join", "path.Join", "path.join"];

impl<'t> Flow<'t> {
    /// `filepath.Clean("/" + name)`: no `..` is left in it that leads further up than to `/`. That does no harm behind a
    /// folder; by itself it is still any path.
    pub(super) fn is_rooted(&self, node: Node<'t>) -> bool {
        if !matches!(self.language, Language::Go | Language::JavaScript | Language::TypeScript) {
            return false;
        }
        let made = match node.kind() {
            "identifier" => match self.last_assignment(node).map(|one| one.given) {
                Some(Given::Value(value)) if value.kind() == "expression_list" => value.named_child(0),
                Some(Given::Value(value)) => Some(value),
                _ => None,
            },
            _ => Some(node),
        };
        let Some(call) = made.and_then(Invocation::of) else { return false };
        let Some(first) = call.at(0) else { return false };
        let name = self.name_of(call.callee);
        let begins = |node: Node<'t>| {
            matches!(node.kind(), "string" | "interpreted_string_literal" | "raw_string_literal")
                && self.text_of(node).trim_start_matches(['"', '\'', '`']).starts_with('/')
        };
        let is_sum = || {
            first.child_by_field_name("operator").is_some_and(|sign| self.text_of(sign) == "+")
                && first.child_by_field_name("left").is_some_and(begins)
        };
        let is_template = || first.kind() == "template_string" && self.text_of(first).starts_with("`/");
        let is_slash = || begins(first) && self.text_of(first).len() == 3;
        CLEANING.contains(&name.as_str()) && (is_sum() || is_template())
            || JOINING.contains(&name.as_str()) && is_slash()
    }

    /// Whether a value with this name is part of a table of constants: `LABELS.a` of `const LABELS = {a: "A"}`.
    pub(super) fn is_table(&self, object: Node<'t>, key: &str) -> bool {
        let is_script = matches!(self.language, Language::JavaScript | Language::TypeScript);
        if !is_script || object.kind() != "identifier" {
            return false;
        }
        let name = self.text_of(object);
        if is_constant_name(name) {
            return true;
        }
        let Some(Given::Value(mut value)) = self.last_assignment(object).map(|one| one.given) else {
            return false;
        };
        if matches!(value.kind(), "as_expression" | "satisfies_expression") {
            let Some(inner) = value.named_child(0) else { return false };
            value = inner;
        }
        let changed = format!("{name}.{key} ");
        property(value, key, self).is_some()
            && self.text.len() <= LONGEST_FILE
            && memchr::memmem::find_iter(self.text, changed.as_bytes()).all(|at| {
                let behind = self.text.get(at + changed.len()..).unwrap_or_default();
                !behind.starts_with(b"=") && !behind.starts_with(b"+=") || behind.starts_with(b"==")
            })
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn a_path_that_begins_at_the_root_stays_below_the_folder_it_is_put_behind() {
        for (body, harmless) in [
            ("p := filepath.Clean(\"/\" + r.URL.Path)\nsink(filepath.Join(root, p))", true),
            ("sink(filepath.Join(\"root\", filepath.Clean(\"/\"+r.URL.Path)))", true),
            ("sink(\"root\" + path.Clean(\"/\" + r.URL.Path))", true),
            ("sink(filepath.Join(\"root\", filepath.Join(\"/\", r.URL.Path)))", true),
            ("sink(filepath.Join(\"root\", filepath.Clean(r.URL.Path)))", false),
            ("sink(filepath.Clean(\"/\" + r.URL.Path))", false),
            ("sink(filepath.Join(filepath.Clean(\"/\"+r.URL.Path), \"a\"))", false),
        ] {
            let head = "package a\nimport (\"path\"; \"path/filepath\")\nconst root = \"a\"\n";
            let text = format!("{head}func f(w http.ResponseWriter, r *http.Request) {{\n{body}\n}}\n");
            assert_eq!(sunk(Language::Go, &text).origin <= Origin::Clean, harmless, "{body}");
        }
    }

    #[test]
    fn what_a_table_of_constants_holds_is_harmless_until_somebody_changes_it() {
        for (text, harmless) in [
            ("const LABELS = {a: 'A'}; function f() { sink(`<p>${LABELS.a}</p>`); }", true),
            ("const labels = {a: 'A'}; function f() { sink(`<p>${labels.a}</p>`); }", true),
            ("const state = {a: ''}; function g(x) { state.a = x; } function f() { sink(state.a); }", false),
            ("const state = {a: ''}; function f() { sink(state.b); }", false),
            ("const LABELS = {a: name()}; function f() { sink(`<p>${LABELS.a}</p>`); }", false),
        ] {
            assert_eq!(sunk(Language::JavaScript, text).origin <= Origin::Clean, harmless, "{text}");
        }
    }
}
