//! Which lines of a file are run. Types, constants and tables are not: no test can fail for them.

use crate::context::FileContext;
use crate::syntax::{Node, Notion, functions, table};

/// Lines that are run, first and last of each piece, in order.
#[derive(Debug)]
pub(super) struct Running {
    pieces: Vec<(u32, u32)>,
    /// Lines inside of texts, which nothing is put into.
    texts: Vec<(u32, u32)>,
}

impl Running {
    /// `None` where nothing can be told: without a grammar every line may be run. What a grammar cannot read does not count; that
    /// nobody could look into it is told by `source-unread`.
    pub(super) fn of(file: &FileContext<'_>) -> Option<Self> {
        table(file.language, &file.change.new.as_ref()?.path)?;
        let Some(tree) = file.touched_tree() else {
            return Some(Running { pieces: Vec::new(), texts: Vec::new() });
        };
        let whole = |node: Node<'_>| (node.line(), node.end_line());
        let bodies = functions(tree).into_iter().filter(|one| one.body.is_some()).map(|one| whole(one.node));
        let mut pieces: Vec<(u32, u32)> = bodies.collect();
        let mut texts = Vec::new();
        for node in tree.root().descendants() {
            if node.is(Notion::String)
                && node.end_line() > node.line()
                && !node.named_children().any(is_put_in)
            {
                texts.push((node.line() + 1, node.end_line()));
            }
            if node.is(Notion::Lambda) || node.is_kind(&WHOLE) {
                pieces.push(whole(node));
            } else if node.is(Notion::Call) || node.is(Notion::Branch) || node.is(Notion::Loop) {
                // What a call is given may be a table.
                pieces.push((node.line(), node.line()));
            }
        }
        pieces.sort_unstable();
        // With the furthest end so far, so that what is inside another need not be looked for.
        let mut furthest = 0;
        for piece in &mut pieces {
            furthest = furthest.max(piece.1);
            piece.1 = furthest;
        }
        Some(Running { pieces, texts })
    }

    pub(super) fn holds(&self, line: u32) -> bool {
        let begun = self.texts.partition_point(|(first, _)| *first <= line);
        if self.texts[..begun].last().is_some_and(|(_, last)| line <= *last) {
            return false;
        }
        let before = self.pieces.partition_point(|(first, _)| *first <= line);
        self.pieces[..before].last().is_some_and(|(_, last)| line <= *last)
    }
}

/// Whether a part of a text is an expression.
fn is_put_in(part: Node<'_>) -> bool {
    part.kind().contains("interpol") || part.kind().contains("substitution")
}

/// What may hold code that the grammar does not read, and methods by other names.
const WHOLE: [&str; 5] = [
    "macro_definition",
    "macro_invocation",
    "preproc_function_def",
    "static_initializer",
    "computed_property",
];
