//! The trees of the parser, laid out flat.

use super::table::Compiled;
use super::tree::{DEEPEST, Data, Marks, NONE};

/// The nodes of a tree in the order of the text, and which node of the parser's tree each is, unless it was made from
/// another.
pub(super) struct Flat {
    pub(super) nodes: Vec<Data>,
    pub(super) ids: Vec<usize>,
}

/// Another tree, from which the parser took over what is the same, with the numbers of its nodes. It has to be alive:
/// then what has one number in both is one thing in memory.
type Known<'k> = (&'k [Data], &'k [usize]);

/// What is smaller is sooner laid out than looked up.
const WORTH_COPYING: usize = 16;

/// What the parser calls a node that it could not read.
const ERROR: u16 = u16::MAX;

/// `None` if it is nested too deep.
pub(super) fn flatten(
    raw: &tree_sitter::Tree,
    compiled: &Compiled,
    known: Option<Known<'_>>,
) -> Option<Flat> {
    let root = raw.root_node();
    let count = root.descendant_count();
    let numbered = if known.is_some() { 0 } else { count };
    let mut flat = Flat { nodes: Vec::with_capacity(count), ids: Vec::with_capacity(numbered) };
    let known = known.map(Taken::of);
    let reading = Reading { compiled, sound: !root.has_error() };
    let mut open: Vec<Open> = Vec::new();
    let mut cursor = raw.walk();
    loop {
        let index = u32::try_from(flat.nodes.len()).ok().filter(|index| *index != NONE)?;
        let node = cursor.node();
        let field = cursor.field_id().map_or(0, std::num::NonZero::get);
        let laid = reading.data(&node, field, open.last().map(|around| around.index), index + 1)?;
        flat.nodes.push(laid);
        let copied = match &known {
            Some(known) => known.copy(&node, open.len(), &mut flat.nodes).is_some(),
            None => {
                flat.ids.push(node.id());
                false
            }
        };
        // The root of a file with an error may be one, and its children are whole all the same.
        let readable = laid.kind != ERROR || open.is_empty();
        let children = if copied || !readable { 0 } else { node.child_count() };
        if children > 0 && cursor.goto_first_child() {
            open.push(Open { index, left: children - 1 });
            if open.len() > DEEPEST {
                return None;
            }
            continue;
        }
        loop {
            let Some(around) = open.last_mut() else {
                debug_assert!(!reading.sound || flat.nodes.len() == count, "nodes were left out");
                return Some(flat);
            };
            if around.left > 0 && cursor.goto_next_sibling() {
                around.left -= 1;
                break;
            }
            flat.nodes[around.index as usize].after = u32::try_from(flat.nodes.len()).ok()?;
            open.pop();
            cursor.goto_parent();
        }
    }
}

/// A node whose children are being laid out. They are counted, as it takes the cursor long to see that there are no more.
struct Open {
    index: u32,
    left: u32,
}

/// What is the same for all nodes of a tree.
struct Reading<'c> {
    compiled: &'c Compiled,
    /// Nothing in it is broken or missing, so that no node has to be asked.
    sound: bool,
}

impl Reading<'_> {
    fn data(
        &self,
        node: &tree_sitter::Node<'_>,
        field: u16,
        parent: Option<u32>,
        after: u32,
    ) -> Option<Data> {
        let (start, end) = (node.start_position(), node.end_position());
        let last_row = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
        let kind = node.kind_id();
        let mut marks = Marks::of_field(field);
        if self.compiled.is_named(kind) {
            marks = marks.named();
        }
        if !self.sound && (node.has_error() || node.is_missing()) {
            marks = marks.broken();
        }
        Some(Data {
            kind,
            marks,
            start: u32::try_from(node.start_byte()).ok()?,
            end: u32::try_from(node.end_byte()).ok()?,
            first_line: u32::try_from(start.row).ok()? + 1,
            last_line: u32::try_from(last_row).ok()? + 1,
            parent: parent.unwrap_or(NONE),
            after,
        })
    }
}

/// What can be copied from another tree, by number.
struct Taken<'k> {
    nodes: &'k [Data],
    /// In order, to be searched: there are too few for a table to be worth its making.
    places: Vec<(usize, u32)>,
}

impl<'k> Taken<'k> {
    fn of(known: Known<'k>) -> Self {
        let large = (0_u32..)
            .zip(known.0.iter().zip(known.1))
            .filter(|(index, (node, _))| (node.after - index) as usize >= WORTH_COPYING);
        let mut places: Vec<(usize, u32)> = large.map(|(index, (_, id))| (*id, index)).collect();
        places.sort_unstable();
        Taken { nodes: known.0, places }
    }

    /// Puts what is inside of a node behind it, which is the last there is. What it is to what stands around it may be
    /// another thing than there; what is inside is the same, moved.
    fn copy(&self, node: &tree_sitter::Node<'_>, depth: usize, laid: &mut Vec<Data>) -> Option<()> {
        if node.descendant_count() < WORTH_COPYING {
            return None;
        }
        let place = self.places.binary_search_by_key(&node.id(), |(id, _)| *id).ok()?;
        let (_, there) = *self.places.get(place)?;
        let old = self.nodes.get(there as usize)?;
        // Deeper down than there it might be too deep.
        let ancestors = std::iter::successors(Some(old), |one| self.nodes.get(one.parent as usize));
        if depth >= ancestors.count() {
            return None;
        }
        let inside = there as usize + 1..old.after as usize;
        let here = u32::try_from(laid.len()).ok()?.checked_sub(1)?;
        let new = laid.last_mut()?;
        let moved = Moved {
            index: here.wrapping_sub(there),
            byte: new.start.wrapping_sub(old.start),
            line: new.first_line.wrapping_sub(old.first_line),
        };
        new.after = old.after.wrapping_add(moved.index);
        laid.extend(self.nodes.get(inside)?.iter().map(|one| moved.apply(one)));
        Some(())
    }
}

/// How far something stands from where it stood, in either direction.
#[derive(Clone, Copy)]
struct Moved {
    index: u32,
    byte: u32,
    line: u32,
}

impl Moved {
    fn apply(self, one: &Data) -> Data {
        Data {
            start: one.start.wrapping_add(self.byte),
            end: one.end.wrapping_add(self.byte),
            first_line: one.first_line.wrapping_add(self.line),
            last_line: one.last_line.wrapping_add(self.line),
            parent: one.parent.wrapping_add(self.index),
            after: one.after.wrapping_add(self.index),
            ..*one
        }
    }
}
