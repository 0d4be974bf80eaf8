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
            // One that may not have been run proves nothing.
            "identifier" => match self
                .last_assignment(node)
                .filter(|one| one.block.contains(&node.start_byte()))
                .map(|one| one.given)
            {
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
        property(value, key, self).is_some()
            && self.text.len() <= LONGEST_FILE
            && memchr::memmem::find_iter(self.text, name.as_bytes()).all(|at| {
                let before = &self.text[..at];
                let behind = self.text.get(at + name.len()..).unwrap_or_default();
                before.last().is_some_and(is_in_name)
                    || !is_given_to_change(before) && !may_change(behind, key.as_bytes())
            })
    }
}

fn is_in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether what stands behind a table's name gives the key another value.
fn may_change(behind: &[u8], key: &[u8]) -> bool {
    let is_set = |behind: &[u8]| {
        let behind = behind.trim_ascii_start();
        behind.starts_with(b"=") && !behind.starts_with(b"==") && !behind.starts_with(b"=>")
            || behind.get(1..).is_some_and(|rest| rest.starts_with(b"=") && b"+|&?".contains(&behind[0]))
            || behind.starts_with(b"||=")
            || behind.starts_with(b"&&=")
            || behind.starts_with(b"??=")
    };
    let behind = behind.trim_ascii_start();
    match behind.first() {
        Some(b'.') => {
            let rest = behind[1..].strip_prefix(key).unwrap_or_default();
            !rest.first().is_none_or(is_in_name) && is_set(rest)
        }
        // Which of its keys that is cannot be told.
        Some(b'[') => {
            let end = memchr::memchr(b']', behind).map_or(behind.len(), |end| end + 1);
            is_set(&behind[end..])
        }
        _ => false,
    }
}

/// Whether a table that is named next is handed to somebody who writes into it.
fn is_given_to_change(before: &[u8]) -> bool {
    const CHANGING: [&[u8]; 6] =
        [b"assign(", b"merge(", b"extend(", b"defineProperty(", b"Reflect.set(", b"defaults("];
    CHANGING.iter().any(|call| before.trim_ascii_end().ends_with(call))
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
    fn a_path_that_may_not_have_been_cleaned_is_as_it_was() {
        let clean = "p = path.normalize('/' + p);";
        for (then, harmless) in [(clean.to_owned(), true), (format!("if (x) {{ {clean} }}"), false)] {
            let text = format!(
                "app.get('/', (req, res) => {{ let p = req.query.f; {then} sink(path.join('/srv', p)); }});"
            );
            assert_eq!(sunk(Language::JavaScript, &text).origin <= Origin::Clean, harmless, "{text}");
        }
    }

    #[test]
    fn what_a_table_of_constants_holds_is_harmless_until_somebody_changes_it() {
        for (text, harmless) in [
            ("const LABELS = {a: 'A'}; function f() { sink(`<p>${LABELS.a}</p>`); }", true),
            ("const labels = {a: 'A'}; function f() { sink(`<p>${labels.a}</p>`); }", true),
            ("const state = {a: ''}; function g(x) { state.a = x; } function f() { sink(state.a); }", false),
            ("const state = {a: ''}; function g(x) { state.a=x; } function f() { sink(state.a); }", false),
            (
                "const state = {a: ''}; function g(x) { state['a'] = x; } function f() { sink(state.a); }",
                false,
            ),
            (
                "const state = {a: ''}; function g(x) { Object.assign(state, x); } function f() { sink(state.a); }",
                false,
            ),
            ("const state = {a: ''}; function g(x) { state.ab = x; } function f() { sink(state.a); }", true),
            (
                "const state = {a: ''}; function g(x) { return state.a === x; } function f() { sink(state.a); }",
                true,
            ),
            ("const state = {a: ''}; function f() { sink(state.b); }", false),
            ("const LABELS = {a: name()}; function f() { sink(`<p>${LABELS.a}</p>`); }", false),
        ] {
            assert_eq!(sunk(Language::JavaScript, text).origin <= Origin::Clean, harmless, "{text}");
        }
    }
}
