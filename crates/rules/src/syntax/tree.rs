use std::sync::OnceLock;

use bytes::Bytes;

use super::flat::{Flat, flatten};
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
    compiled: &'static Compiled,
    raw: Option<tree_sitter::Tree>,
    pub(super) nodes: Vec<Data>,
    /// Which node of [`Self::raw`] each is, while that is there. Empty where the tree was made from another: no third is
    /// made from it.
    pub(super) ids: Vec<usize>,
    pub(super) definitions: OnceLock<Vec<Known>>,
}

/// There are millions of them: what is said of one takes 28 bytes and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) kind: u16,
    pub(super) marks: Marks,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) parent: u32,
    /// The index behind everything inside it.
    pub(super) after: u32,
}

/// The number of a field, and above it whether the node has a name and whether it could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u16);

impl Marks {
    const NAMED: u16 = 1 << 15;
    const BROKEN: u16 = 1 << 14;

    /// No grammar has fields of numbers that do not fit.
    pub(super) fn of_field(field: u16) -> Self {
        Marks(if field < Self::BROKEN { field } else { 0 })
    }

    pub(super) fn named(self) -> Self {
        Marks(self.0 | Self::NAMED)
    }

    pub(super) fn broken(self) -> Self {
        Marks(self.0 | Self::BROKEN)
    }

    pub(super) fn field(self) -> u16 {
        self.0 & !(Self::NAMED | Self::BROKEN)
    }

    pub(super) fn is_named(self) -> bool {
        self.0 & Self::NAMED != 0
    }

    pub(super) fn is_broken(self) -> bool {
        self.0 & Self::BROKEN != 0
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tree({}, {} nodes)", self.table.language().as_str(), self.nodes.len())
    }
}

impl Tree {
    /// `None` if it is nested too deep. What the parser took over from another tree is copied from there.
    pub(super) fn new(
        text: Bytes,
        table: &'static Table,
        raw: tree_sitter::Tree,
        from: Option<&Tree>,
    ) -> Option<Self> {
        let known = from.filter(|from| from.raw.is_some());
        let compiled = table.compiled();
        let Flat { nodes, ids } =
            flatten(&raw, compiled, known.map(|tree| (&tree.nodes[..], &tree.ids[..])))?;
        Some(Tree { text, table, compiled, raw: Some(raw), nodes, ids, definitions: OnceLock::new() })
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
        self.ids = Vec::new();
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

    /// The innermost node that is these bytes and no others, found without a look at those before it.
    pub(crate) fn exactly(&self, range: &std::ops::Range<usize>) -> Option<Node<'_>> {
        let first = self.nodes.partition_point(|node| (node.start as usize) < range.start);
        let begin = self
            .nodes
            .iter()
            .enumerate()
            .skip(first)
            .take_while(|(_, one)| one.start as usize == range.start);
        let (index, _) = begin.filter(|(_, one)| one.end as usize == range.end).last()?;
        Some(Node { tree: self, index: u32::try_from(index).ok()? })
    }

    pub(super) fn compiled(&self) -> &'static Compiled {
        self.compiled
    }
}
