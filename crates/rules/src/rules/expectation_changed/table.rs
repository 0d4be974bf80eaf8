//! What Go's tests expect of each row of their table.

use std::collections::{HashMap, HashSet};

use super::super::assertion::{is_fixed, listed_up_to, normalised};
use crate::syntax::{Node, Notion};

/// A row: what is given, and what is expected of it.
#[derive(Debug)]
struct Row<'t> {
    node: Node<'t>,
    /// The names of the fields that are given.
    given: Vec<Vec<u8>>,
    expected: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A row of which another value is expected than before, though it gives the same.
#[derive(Debug)]
pub(super) struct Changed<'t> {
    pub(super) node: Node<'t>,
    given: Vec<Vec<u8>>,
}

/// More rows are not compared.
const MOST_ROWS: usize = 2_000;
const MOST_FIELDS: usize = 40;
/// Longer rows are not read.
const LONGEST_ROW: usize = 8 * 1024;
/// Longer calls are not looked through.
const LONGEST_CALL: usize = 300;

pub(super) fn changed_row<'t>(before: Node<'_>, after: Node<'t>) -> Option<Changed<'t>> {
    let (was, now) = (rows(before), rows(after));
    let found = now.into_iter().filter_map(|(key, row)| {
        let (row, was) = (row?, was.get(&key)?.as_ref()?);
        let mut pairs = was.expected.iter().zip(&row.expected);
        let is_other = pairs
            .any(|((field, was), (same, now))| field == same && was != now && is_value(was) && is_value(now));
        (is_other && was.expected.len() == row.expected.len()).then_some(row)
    });
    let first = found.min_by_key(|row| row.node.range().start)?;
    Some(Changed { node: first.node, given: first.given })
}

impl Changed<'_> {
    /// The functions that are called with something that the row gives.
    pub(super) fn subjects(&self, test: Node<'_>) -> HashSet<String> {
        let takes = |text: &[u8]| {
            let text = &text[..text.len().min(LONGEST_CALL)];
            self.given.iter().any(|field| mentions(text, field))
        };
        let calls = test.descendants().filter_map(|node| node.call());
        calls.filter(|call| takes(call.node.bytes())).map(|call| call.name()).collect()
    }
}

/// `.name`, not as the beginning of a longer one.
fn mentions(text: &[u8], field: &[u8]) -> bool {
    memchr::memmem::find_iter(text, field).any(|at| {
        let next = text.get(at + field.len());
        at > 0
            && text[at - 1] == b'.'
            && !next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    })
}

/// The rows by all that they give; `None` where two give the same.
fn rows(test: Node<'_>) -> HashMap<Vec<u8>, Option<Row<'_>>> {
    let mut rows: HashMap<Vec<u8>, Option<Row<'_>>> = HashMap::new();
    let tables = test.descendants().filter(|node| node.kind() == "composite_literal");
    let all = tables.flat_map(|table| {
        let fields = table.child("type").map(fields).unwrap_or_default();
        let body = table.child("body").filter(|_| is_table(table));
        let rows = body.into_iter().flat_map(|body| body.named_children());
        rows.filter(|row| !row.is(Notion::Comment)).filter_map(move |row| read(row, &fields))
    });
    for (key, row) in all.take(MOST_ROWS) {
        let row = if rows.contains_key(&key) { None } else { Some(row) };
        rows.insert(key, row);
    }
    rows
}

fn is_table(literal: Node<'_>) -> bool {
    let kind = literal.child("type").map(|kind| kind.bytes()).unwrap_or_default();
    kind.starts_with(b"[]") || kind.starts_with(b"map[string]")
}

/// The fields of the type that is written where the table is.
fn fields(kind: Node<'_>) -> Vec<Vec<u8>> {
    let declared = kind.descendants().filter(|node| node.kind() == "field_declaration");
    let names = declared.flat_map(|field| field.named_children());
    names.filter(|name| name.kind() == "field_identifier").map(|name| name.bytes().to_vec()).collect()
}

fn read<'t>(node: Node<'t>, fields: &[Vec<u8>]) -> Option<(Vec<u8>, Row<'t>)> {
    let text = Some(node.bytes()).filter(|text| text.len() <= LONGEST_ROW)?;
    let open = memchr::memchr(b'{', text)?;
    let inner = text.get(open + 1..text.len().checked_sub(1)?).filter(|_| text.ends_with(b"}"))?;
    let parts = listed_up_to(inner, MOST_FIELDS);
    let mut key = normalised(&text[..open]);
    let mut row = Row { node, given: Vec::new(), expected: Vec::new() };
    for (at, part) in parts.iter().enumerate() {
        let (name, value) = match named(part) {
            Some((name, value)) => (name.to_vec(), value),
            None => (fields.get(at).filter(|_| parts.len() == fields.len())?.clone(), *part),
        };
        if is_expected(&name) {
            row.expected.push((name, normalised(value)));
        } else {
            key.extend([&name[..], b":", &normalised(value), b","].concat());
            row.given.push(name);
        }
    }
    (!row.expected.is_empty() && !row.given.is_empty()).then_some((key, row))
}

fn named(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', part)?;
    let name = part[..colon].trim_ascii();
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_name.then(|| (name, part[colon + 1..].trim_ascii()))
}

fn is_expected(name: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 3] = [b"want", b"expect", b"output"];
    const NAMES: [&[u8]; 4] = [b"exp", b"out", b"result", b"res"];
    let name = name.to_ascii_lowercase();
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) || NAMES.contains(&name.as_slice())
}

/// A value that stands there to be read.
fn is_value(text: &[u8]) -> bool {
    is_fixed(text) || text.starts_with(b"[]") || text.starts_with(b"map[")
}
