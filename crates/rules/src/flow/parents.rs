use std::cell::OnceCell;
use std::collections::HashMap;

use tree_sitter::Node;

use super::Flow;

/// What stands around each node of a file. A node of the parser looks for that from the root down, past all that stands in
/// front of it, each time it is asked.
#[derive(Debug, Default)]
pub(super) struct Parents<'t> {
    /// By the number of what stands in it. Without signs and keywords, which are hardly ever asked about.
    known: OnceCell<HashMap<usize, Node<'t>>>,
}

impl<'t> Flow<'t> {
    /// The node around one of this file.
    pub(super) fn parent(&self, node: Node<'t>) -> Option<Node<'t>> {
        let known = self.parents.known.get_or_init(|| all_below(self.root));
        known.get(&node.id()).copied().or_else(|| node.parent())
    }

    /// The nearest class around a node; without one the whole file.
    pub(crate) fn class_around(&self, node: Node<'t>) -> Node<'t> {
        let mut current = node;
        while let Some(parent) = self.parent(current) {
            current = parent;
            if CLASSES.contains(&parent.kind()) {
                break;
            }
        }
        current
    }
}

const CLASSES: [&str; 10] = [
    "class",
    "class_declaration",
    "class_definition",
    "class_expression",
    "class_specifier",
    "enum_declaration",
    "object_declaration",
    "object_definition",
    "record_declaration",
    "struct_specifier",
];

fn all_below(root: Node<'_>) -> HashMap<usize, Node<'_>> {
    let mut found = HashMap::new();
    let mut around: Vec<Node<'_>> = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if let Some(parent) = around.last().filter(|_| node.is_named()) {
            found.insert(node.id(), *parent);
        }
        if cursor.goto_first_child() {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            around.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Step, walk};
    use super::*;
    use crate::language::Language;

    /// Asks about all nodes of a text.
    fn each(language: Language, text: &str, mut ask: impl for<'t> FnMut(&Flow<'t>, Node<'t>)) {
        let grammar = crate::data::Grammar::of(language, "").unwrap();
        let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
        let flow = Flow::new(tree.root_node(), text.as_bytes(), language);
        walk(tree.root_node(), |node| {
            ask(&flow, node);
            Step::Into
        });
    }

    #[test]
    fn a_node_stands_where_the_parser_says() {
        for (language, text) in [
            (Language::Python, "@a\ndef f(x, *y):\n    return [z for z in x if z] + (1,)\n"),
            (Language::JavaScript, "const f = (a) => { if (a) b(`x ${a}`); else c?.d(); };\n"),
            (Language::Go, "package a\nfunc f(x, y int) { for i := range x { g(i) } }\n"),
            (Language::CSharp, "class A { int B(int c) => c switch { 1 => 2, _ => 3 }; }\n"),
        ] {
            each(language, text, |flow, node| assert_eq!(flow.parent(node), node.parent(), "{node:?}"));
        }
    }

    #[test]
    fn deep_code_is_asked_about_as_often_as_it_likes() {
        let text = format!(
            "function f(p) {{\n{}{}{}}}\n",
            "if (p) {\n".repeat(300),
            "read(p.a.b);\n".repeat(2_000),
            "}\n".repeat(300)
        );
        let mut calls = 0;
        each(Language::JavaScript, &text, |flow, node| {
            if node.kind() == "call_expression" {
                assert!(flow.text_of(flow.around(node)).starts_with("function f"));
                calls += 1;
            }
        });
        assert_eq!(calls, 2_000);
    }
}
