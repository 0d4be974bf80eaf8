//! The cases that a test is run with.

use super::find::{Unit, marker_nodes};
use crate::syntax::{Node, Notion};

/// More are not compared one by one.
const MOST: usize = 1_000;

/// The cases that a test is no longer run with, where none were written in their place. None where it has no cases any more:
/// then it was written in another way.
pub(super) fn lost_cases(before: &Unit<'_>, after: &Unit<'_>) -> Vec<Vec<u8>> {
    let (mut was, now) = (cases(before), cases(after));
    if now.is_empty() || was.len() <= now.len() || was.len() > MOST {
        return Vec::new();
    }
    for case in &now {
        match was.iter().position(|had| had == case) {
            Some(at) => {
                was.swap_remove(at);
            }
            None => return Vec::new(),
        }
    }
    was
}

/// Each as formatters leave it.
fn cases(unit: &Unit<'_>) -> Vec<Vec<u8>> {
    let markers = marker_nodes(unit.node);
    let rows = markers.into_iter().flat_map(of_marker).chain(of_table(unit.node));
    rows.take(MOST + 1).map(|row| super::scan::normalised(row.bytes())).collect()
}

/// `#[case(1, 2)]`, `[InlineData(1, 2)]`, and the rows of `@pytest.mark.parametrize("a", [...])`.
fn of_marker(marker: Node<'_>) -> Vec<Node<'_>> {
    const ONE_EACH: [&[u8]; 3] = [b"#[case", b"#[test_case", b"#[rstest::case"];
    const IN_LIST: [&[u8]; 2] = [b"InlineData", b"TestCase"];
    match marker.kind() {
        "attribute_item" if ONE_EACH.iter().any(|mark| marker.bytes().starts_with(mark)) => vec![marker],
        "attribute_list" => {
            let named = |inner: &Node<'_>| {
                let name = inner.child("name").map(|name| name.bytes()).unwrap_or_default();
                inner.kind() == "attribute" && IN_LIST.contains(&name)
            };
            marker.named_children().filter(named).collect()
        }
        "decorator" => {
            let call = marker.named_children().next().and_then(|inner| inner.call());
            let rows =
                call.filter(|call| call.name() == "parametrize").and_then(|call| call.arguments().nth(1));
            rows_of(rows)
        }
        _ => Vec::new(),
    }
}

fn rows_of(list: Option<Node<'_>>) -> Vec<Node<'_>> {
    let list = list.filter(|list| list.is_kind(&["list", "array", "tuple"]));
    list.into_iter().flat_map(|list| list.named_children()).filter(|row| !row.is(Notion::Comment)).collect()
}

/// The rows of Go's `[]struct{ ... }{ ... }`.
fn of_table(test: Node<'_>) -> Vec<Node<'_>> {
    let is_table = |node: &Node<'_>| {
        let kind = node.child("type").map(|kind| kind.bytes()).unwrap_or_default();
        node.kind() == "composite_literal"
            && (kind.starts_with(b"[]struct") || kind.starts_with(b"map[string]struct"))
    };
    let tables = test.descendants().filter(is_table).filter_map(|table| table.child("body"));
    tables.flat_map(|body| body.named_children()).filter(|row| !row.is(Notion::Comment)).collect()
}
