use tree_sitter::Node;

use super::Flow;

/// So many lines above a value its statement may begin.
const MOST_LINES: usize = 5;

/// What only takes, casts or hands on the value that ends it.
const TAKERS: [&str; 21] = [
    "assignment",
    "assignment_expression",
    "assignment_statement",
    "await",
    "await_expression",
    "cast_expression",
    "expression_list",
    "expression_statement",
    "field_declaration",
    "lexical_declaration",
    "local_variable_declaration",
    "parenthesized_expression",
    "public_field_definition",
    "return_statement",
    "short_var_declaration",
    "type_conversion_expression",
    "unary_expression",
    "var_declaration",
    "var_spec",
    "variable_declaration",
    "variable_declarator",
];

impl<'t> Flow<'t> {
    /// The statement that takes a value, where it is no more than that: people look at `rows =` and put their comments
    /// above it, though the call stands on the next line.
    pub(crate) fn statement_of(&self, node: Node<'t>) -> Node<'t> {
        let mut current = node;
        while let Some(parent) = self.parent(current) {
            // The rest of a chain of calls begins with it.
            let begins_with_it = parent.start_byte() == current.start_byte();
            let ends_with_it = || last_named(parent) == Some(current) && TAKERS.contains(&parent.kind());
            let is_near = || node.start_position().row - parent.start_position().row <= MOST_LINES;
            if !(begins_with_it || ends_with_it()) || !is_near() {
                break;
            }
            current = parent;
        }
        current
    }
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use crate::flow::{Flow, Invocation, Step, walk};
    use crate::language::Language;

    /// The line at which the statement of the call on a line begins.
    fn begins(language: Language, text: &str, line: usize) -> usize {
        let grammar = crate::data::Grammar::of(language, "").unwrap();
        let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
        let flow = Flow::new(tree.root_node(), text.as_bytes(), language);
        let mut begins = None;
        walk(tree.root_node(), |node| {
            if begins.is_none() && node.start_position().row + 1 == line && Invocation::of(node).is_some() {
                begins = Some(flow.statement_of(node).start_position().row + 1);
            }
            Step::Into
        });
        begins.unwrap()
    }

    #[test]
    fn a_value_belongs_to_the_statement_that_takes_it() {
        let java = "class A {\n  void f() {\n    Rows rows =\n        (Rows)\n            db.find(q)\n                .all();\n  }\n}\n";
        assert_eq!(begins(Language::Java, java, 5), 3);
        assert_eq!(begins(Language::Python, "def f():\n    rows = (\n        db.find(q)\n    )\n", 3), 2);
        assert_eq!(begins(Language::JavaScript, "const rows =\n  await db.find(q);\n", 2), 1);
        assert_eq!(begins(Language::Go, "package a\nfunc f() {\n\trows, err :=\n\t\tdb.Find(q)\n}\n", 4), 3);
    }

    #[test]
    fn an_argument_does_not() {
        assert_eq!(begins(Language::JavaScript, "show(\n  db.find(q),\n);\n", 2), 2);
        assert_eq!(begins(Language::Python, "rows = [\n    db.find(q)\n]\n", 2), 2);
        assert_eq!(begins(Language::JavaScript, "const f = () => {\n  db.find(q);\n};\n", 2), 2);
    }
}
