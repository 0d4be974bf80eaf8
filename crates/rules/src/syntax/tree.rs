use std::sync::OnceLock;

use bytes::Bytes;

use super::node::Node;
use super::notion::Notion;
use super::table::{Compiled, Table};
use super::walk::Known;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// Deeper trees are not looked at: nobody reads code that is nested like this, and rules may walk to the root.
pub(super) const DEEPEST: usize = 1_000;

/// A file as a tree, laid out flat in the order of the text, so that nothing ever recurses and a parent is one step
/// away. What could not be read is there as a leaf of kind `ERROR`; what it holds is left out.
pub struct Tree {
    pub(super) text: Bytes,
    pub(super) table: &'static Table,
    raw: Option<tree_sitter::Tree>,
    pub(super) nodes: Vec<Data>,
    pub(super) definitions: OnceLock<Vec<Known>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Data {
    pub(super) kind: u16,
    pub(super) field: u16,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) parent: u32,
    /// The index behind everything inside it.
    pub(super) after: u32,
    pub(super) named: bool,
    pub(super) broken: bool,
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tree({}, {} nodes)", self.table.language().as_str(), self.nodes.len())
    }
}

impl Tree {
    /// `None` if it is nested too deep.
    pub(super) fn new(text: Bytes, table: &'static Table, raw: tree_sitter::Tree) -> Option<Self> {
        let nodes = flatten(&raw)?;
        Some(Tree { text, table, raw: Some(raw), nodes, definitions: OnceLock::new() })
    }

    pub fn root(&self) -> Node<'_> {
        Node { tree: self, index: 0 }
    }

    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// As the parser made it, for what matches patterns on it. Given up when all that looks at the file alone is done.
    pub fn raw(&self) -> Option<&tree_sitter::Tree> {
        self.raw.as_ref()
    }

    /// Gives up [`Self::raw`], which is most of a tree.
    pub(crate) fn without_raw(&mut self) {
        self.raw = None;
    }

    /// Every node that is one, in the order of the text.
    pub fn all(&self, notion: Notion) -> impl Iterator<Item = Node<'_>> {
        self.root().descendants().filter(move |node| node.is(notion))
    }

    /// The innermost node that holds all bytes of the range.
    pub fn covering(&self, range: std::ops::Range<usize>) -> Node<'_> {
        let mut node = self.root();
        while let Some(inner) =
            node.children().find(|child| child.range().start <= range.start && child.range().end >= range.end)
        {
            node = inner;
        }
        node
    }

    pub(super) fn compiled(&self) -> &'static Compiled {
        self.table.compiled()
    }
}

fn flatten(raw: &tree_sitter::Tree) -> Option<Vec<Data>> {
    let mut nodes: Vec<Data> = Vec::with_capacity(raw.root_node().descendant_count());
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = raw.walk();
    loop {
        let index = u32::try_from(nodes.len()).ok().filter(|index| *index != NONE)?;
        let node = cursor.node();
        let field = cursor.field_id().map_or(0, std::num::NonZero::get);
        nodes.push(data(&node, field, open.last().copied(), index + 1)?);
        // The root of a file with an error may be one, and its children are whole all the same.
        let readable = !node.is_error() || open.is_empty();
        if readable && cursor.goto_first_child() {
            open.push(index);
            if open.len() > DEEPEST {
                return None;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            let Some(parent) = open.pop() else { return Some(nodes) };
            let after = u32::try_from(nodes.len()).ok()?;
            nodes[parent as usize].after = after;
            cursor.goto_parent();
        }
    }
}

fn data(node: &tree_sitter::Node<'_>, field: u16, parent: Option<u32>, after: u32) -> Option<Data> {
    let (start, end) = (node.start_position(), node.end_position());
    let first_line = u32::try_from(start.row).ok()? + 1;
    let last_row = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    Some(Data {
        kind: node.kind_id(),
        field,
        start: u32::try_from(node.start_byte()).ok()?,
        end: u32::try_from(node.end_byte()).ok()?,
        first_line,
        last_line: u32::try_from(last_row).ok()? + 1,
        parent: parent.unwrap_or(NONE),
        after,
        named: node.is_named(),
        broken: node.has_error() || node.is_missing(),
    })
}
