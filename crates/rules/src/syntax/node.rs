use std::borrow::Cow;
use std::ops::Range;

use super::notion::{Notion, Notions};
use super::shapes::Call;
use super::tree::{Data, NONE, Tree};

/// A node of a [`Tree`]. Cheap to copy; every step to a neighbour takes constant time.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    pub(super) tree: &'t Tree,
    pub(super) index: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Node<'_> {}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at line {}", self.kind(), self.line())
    }
}

impl<'t> Node<'t> {
    fn data(&self) -> &'t Data {
        &self.tree.nodes[self.index as usize]
    }

    fn at(&self, index: u32) -> Option<Node<'t>> {
        (index != NONE).then_some(Node { tree: self.tree, index })
    }

    pub fn tree(&self) -> &'t Tree {
        self.tree
    }

    /// As the grammar calls it.
    pub fn kind(&self) -> &'static str {
        self.tree.compiled().kind(self.data().kind)
    }

    pub fn is(&self, notion: Notion) -> bool {
        self.tree.compiled().notions(self.data().kind).has(notion)
    }

    pub(super) fn is_any(&self, notions: Notions) -> bool {
        self.tree.compiled().notions(self.data().kind).meets(notions)
    }

    pub fn is_kind(&self, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind())
    }

    /// What it is to its parent; empty where the grammar does not say.
    pub fn field(&self) -> &'static str {
        self.tree.compiled().field(self.data().marks.field())
    }

    /// False for punctuation and keywords.
    pub fn is_named(&self) -> bool {
        self.data().marks.is_named()
    }

    /// Whether the text in it could not be read as the language wants it.
    pub fn has_error(&self) -> bool {
        self.data().marks.is_broken()
    }

    pub fn range(&self) -> Range<usize> {
        self.data().start as usize..self.data().end as usize
    }

    pub fn bytes(&self) -> &'t [u8] {
        self.text_between(self.range().start, self.range().end)
    }

    pub fn text(&self) -> Cow<'t, str> {
        String::from_utf8_lossy(self.bytes())
    }

    pub(super) fn text_between(&self, start: usize, end: usize) -> &'t [u8] {
        self.tree.text().get(start..end).unwrap_or_default()
    }

    /// One-based, where it begins.
    pub fn line(&self) -> u32 {
        self.data().first_line
    }

    /// One-based, inclusive.
    pub fn end_line(&self) -> u32 {
        self.data().last_line
    }

    pub fn parent(&self) -> Option<Node<'t>> {
        self.at(self.data().parent)
    }

    /// From the parent to the root. Trees are never deep enough for this to matter.
    pub fn ancestors(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        std::iter::successors(self.parent(), Node::parent)
    }

    /// The nearest node around it that is one.
    pub fn enclosing(&self, notion: Notion) -> Option<Node<'t>> {
        self.ancestors().find(|node| node.is(notion))
    }

    pub fn children(&self) -> Children<'t> {
        Children { tree: self.tree, next: self.index + 1, end: self.data().after }
    }

    pub fn named_children(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.children().filter(Node::is_named)
    }

    /// The first child that the grammar gives this field.
    pub fn child(&self, field: &str) -> Option<Node<'t>> {
        self.children().find(|child| child.field() == field)
    }

    /// The first child of one of these kinds, named or not.
    pub fn child_of(&self, kinds: &[&str]) -> Option<Node<'t>> {
        self.children().find(|child| child.is_kind(kinds))
    }

    /// The node behind it under the same parent.
    pub fn next_sibling(&self) -> Option<Node<'t>> {
        let (parent, after) = (self.parent()?, self.data().after);
        (after < parent.data().after).then_some(Node { tree: self.tree, index: after })
    }

    /// The node before it under the same parent.
    pub fn previous_sibling(&self) -> Option<Node<'t>> {
        let parent = self.data().parent;
        let before = self.at(self.index.checked_sub(1)?)?;
        if before.index == parent {
            return None;
        }
        std::iter::successors(Some(before), Node::parent).find(|node| node.data().parent == parent)
    }

    /// Everything inside it, in the order of the text, without itself.
    pub fn descendants(&self) -> Descendants<'t> {
        Descendants { tree: self.tree, next: self.index + 1, end: self.data().after }
    }

    pub fn contains(&self, other: Node<'_>) -> bool {
        (self.index..self.data().after).contains(&other.index)
    }

    /// As a call, if it is one.
    pub fn call(&self) -> Option<Call<'t>> {
        let shape = self.tree.table().spec.calls.iter().find(|shape| shape.kind == self.kind())?;
        let of_callee = || self.children().filter(|child| shape.callee.contains(&child.field()));
        let (first, last) = match shape.callee {
            [] => (self.named_children().next()?, self.named_children().next()?),
            _ => (of_callee().next()?, of_callee().last()?),
        };
        let step = |at: Node<'t>, name: &str| at.child(name).or_else(|| at.child_of(&[name]));
        let arguments = shape.arguments.iter().fold(None, |at, name| step(at.unwrap_or(*self), name).or(at));
        Some(Call { node: *self, first, last, arguments })
    }

    /// Whether it is an operation that may leave out its second operand.
    pub fn is_logical(&self) -> bool {
        self.is(Notion::Logical)
            && self.children().any(|child| !child.is_named() && child.is_kind(self.tree.table().spec.logical))
    }

    /// Whether it asserts something: a statement of the language or a call with a telling name.
    pub fn is_assertion(&self) -> bool {
        self.is(Notion::Assertion)
            || (self.is(Notion::Call)
                && self.call().is_some_and(|call| (self.tree.table().spec.asserts)(&call.name())))
    }
}

/// See [`Node::children`].
#[derive(Debug, Clone)]
pub struct Children<'t> {
    tree: &'t Tree,
    next: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let child = (self.next < self.end).then_some(Node { tree: self.tree, index: self.next })?;
        self.next = child.data().after;
        Some(child)
    }
}

/// See [`Node::descendants`].
#[derive(Debug, Clone)]
pub struct Descendants<'t> {
    tree: &'t Tree,
    next: u32,
    end: u32,
}

impl<'t> Descendants<'t> {
    /// Goes on behind the node that came last, without what is inside it.
    pub fn skip_inside(&mut self, node: Node<'t>) {
        self.next = self.next.max(node.data().after);
    }
}

impl<'t> Iterator for Descendants<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let node = (self.next < self.end).then_some(Node { tree: self.tree, index: self.next })?;
        self.next += 1;
        Some(node)
    }
}
