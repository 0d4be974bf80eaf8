use tree_sitter::Node;

/// Deeper code is not looked into.
const DEEPEST: usize = 1_000;

/// What to do after a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Into,
    Over,
}

/// Visits everything inside `root`, itself first, in the order of the text and without recursion.
pub(crate) fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> Step) {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let step = visit(cursor.node());
        if step == Step::Into && depth < DEEPEST && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while depth > 0 && !cursor.goto_next_sibling() {
            cursor.goto_parent();
            depth -= 1;
        }
        if depth == 0 {
            return;
        }
    }
}
