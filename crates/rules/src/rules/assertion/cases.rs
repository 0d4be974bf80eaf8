//! The cases that a test is run with.

use super::find::{Unit, marker_nodes};
use crate::language::Language;
use crate::syntax::{Node, Notion};

/// More are not compared one by one.
const MOST: usize = 1_000;

/// The cases that a test is no longer run with, where many more are gone than were written in their place. None where it has no cases any more:
/// then it was written in another way.
pub(super) fn lost_cases(before: &Unit<'_>, after: &Unit<'_>) -> Vec<Vec<u8>> {
    let (mut was, now) = (cases(before), cases(after));
    if now.is_empty() || was.len() <= now.len() || was.len() > MOST {
        return Vec::new();
    }
    let mut written = 0;
    for case in &now {
        match was.iter().position(|had| had == case) {
            Some(at) => {
                was.swap_remove(at);
            }
            None => written += 1,
        }
    }
    // Some of them may be others in new words.
    if was.len() <= 2 * written {
        was.clear();
    }
    was
}

/// Each as formatters leave it.
pub(super) fn cases(unit: &Unit<'_>) -> Vec<Vec<u8>> {
    let markers = marker_nodes(unit.node);
    let rows = markers.into_iter().flat_map(of_marker).chain(of_go(unit.node)).chain(of_script(unit.node));
    rows.take(MOST + 1).map(super::scan::normalised).collect()
}

/// `#[case(1, 2)]`, `[InlineData(1, 2)]`, and the rows of `@pytest.mark.parametrize("a", [...])`, `@CsvSource({...})` and
/// `@Test(arguments: [...])`.
fn of_marker(marker: Node<'_>) -> Vec<&[u8]> {
    const ONE_EACH: [&[u8]; 3] = [b"#[case", b"#[test_case", b"#[rstest::case"];
    const IN_LIST: [&[u8]; 3] = [b"InlineData", b"TestCase", b"DataRow"];
    match marker.kind() {
        "attribute_item" if ONE_EACH.iter().any(|mark| marker.bytes().starts_with(mark)) => {
            vec![marker.bytes()]
        }
        "attribute_list" => {
            let named = |inner: &Node<'_>| {
                let name = inner.child("name").map(|name| name.bytes()).unwrap_or_default();
                inner.kind() == "attribute" && IN_LIST.contains(&name)
            };
            marker.named_children().filter(named).map(|row| row.bytes()).collect()
        }
        "decorator" => {
            let call = marker.named_children().next().and_then(|inner| inner.call());
            let rows =
                call.filter(|call| call.name() == "parametrize").and_then(|call| call.arguments().nth(1));
            rows_of(rows)
        }
        "modifiers" => marker.named_children().flat_map(|inner| of_annotation(inner.bytes())).collect(),
        _ => Vec::new(),
    }
}

/// A list as it is written, or the constant that it is called by.
fn rows_of(list: Option<Node<'_>>) -> Vec<&[u8]> {
    let is_list = |list: &Node<'_>| list.is_kind(&["list", "array", "tuple"]);
    let meant = list.and_then(|list| if list.kind() == "identifier" { named(list) } else { Some(list) });
    // `[...] as const`
    let inner = meant.filter(|meant| !is_list(meant)).and_then(|meant| meant.named_children().next());
    let list = inner.or(meant).filter(is_list);
    let rows = list.into_iter().flat_map(|list| list.named_children());
    rows.filter(|row| !row.is(Notion::Comment)).map(|row| row.bytes()).collect()
}

/// So many statements are looked through for a constant.
const MOST_STATEMENTS: usize = 2_000;

/// What a name is given in a statement of the file, or of a block around.
fn named(name: Node<'_>) -> Option<Node<'_>> {
    const WRAPPERS: [&str; 4] =
        ["expression_statement", "lexical_declaration", "variable_declaration", "export_statement"];
    let statements = name.ancestors().flat_map(|around| around.named_children()).take(MOST_STATEMENTS);
    let assigned = statements.filter(|statement| statement.is_kind(&WRAPPERS)).filter_map(|statement| {
        let inner = statement.named_children().next()?;
        let inner = if inner.is_kind(&WRAPPERS) { inner.named_children().next()? } else { inner };
        let called = inner.child("left").or_else(|| inner.child("name"))?;
        let value = inner.child("right").or_else(|| inner.child("value"))?;
        (called.bytes() == name.bytes()).then_some(value)
    });
    assigned.into_iter().next()
}

/// What stands between the brackets of `@ValueSource(ints = {1, 2})`, in Kotlin `[1, 2]`, or in the lines of a text block.
fn of_annotation(text: &[u8]) -> Vec<&[u8]> {
    const NAMES: [&[u8]; 3] = [b"@ValueSource", b"@CsvSource", b"@Test"];
    let open = memchr::memchr(b'(', text).filter(|open| NAMES.contains(&text[..*open].trim_ascii_end()));
    let Some(inside) = open.and_then(|open| text.get(open + 1..text.len().checked_sub(1)?)) else {
        return Vec::new();
    };
    // What else a test of Swift or Java is told is not what it is run with.
    let is_bare = text.starts_with(b"@Test");
    if is_bare && memchr::memmem::find(inside, b"arguments:").is_none() {
        return Vec::new();
    }
    let quotes: Vec<usize> = memchr::memmem::find_iter(inside, b"\"\"\"").take(2).collect();
    if let [start, end] = quotes.as_slice() {
        let lines = inside[start + 3..*end].split(|byte| *byte == b'\n');
        return lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect();
    }
    let quote = memchr::memchr(b'"', inside).unwrap_or(inside.len());
    let open = inside[..quote].iter().position(|byte| matches!(byte, b'{' | b'['));
    let close = inside.iter().rposition(|byte| matches!(byte, b'}' | b']'));
    let listed = open.zip(close).and_then(|(open, close)| inside.get(open + 1..close)).unwrap_or(inside);
    super::scan::listed_up_to(listed, MOST + 1)
}

/// The rows of Go's `[]struct{ ... }{ ... }`.
fn of_go(test: Node<'_>) -> Vec<&[u8]> {
    let is_table = |node: &Node<'_>| {
        let kind = node.child("type").map(|kind| kind.bytes()).unwrap_or_default();
        node.kind() == "composite_literal"
            && (kind.starts_with(b"[]struct") || kind.starts_with(b"map[string]struct"))
    };
    let tables = test.descendants().filter(is_table).filter_map(|table| table.child("body"));
    let rows = tables.flat_map(|body| body.named_children()).filter(|row| !row.is(Notion::Comment));
    rows.map(|row| row.bytes()).collect()
}

/// The rows of `it.each([...])("title", ...)`, and of the `describe.each` around it if it is the first test in there: what
/// all of them lost is told once.
fn of_script(test: Node<'_>) -> Vec<&[u8]> {
    if !matches!(test.tree().table().language(), Language::JavaScript | Language::TypeScript) {
        return Vec::new();
    }
    let around = test.ancestors().filter(|around| around.kind() == "call_expression");
    let around = around.filter(|around| is_each(*around, &["describe", "suite", "context"]));
    let around = around.filter(|around| is_first_test(test, *around));
    let own = is_each(test, &["it", "test", "specify"]).then_some(test);
    own.into_iter().chain(around).flat_map(of_each).collect()
}

/// Whether a call runs `describe.each(...)("title", ...)`.
fn is_each(call: Node<'_>, names: &[&str]) -> bool {
    let table = call.child("function").and_then(|table| table.call());
    table.is_some_and(|table| {
        let callee = table.callee();
        let callee = String::from_utf8_lossy(&callee[..callee.len().min(60)]);
        let mut words = callee.split('.');
        words.next().is_some_and(|first| names.contains(&first))
            && ["each", "for"].contains(&table.name().as_str())
    })
}

fn is_first_test(test: Node<'_>, around: Node<'_>) -> bool {
    let is_test = |node: &Node<'_>| {
        let callee = node.call().map(|call| call.callee()).unwrap_or_default();
        let first = callee.split(|byte| !byte.is_ascii_alphanumeric()).next();
        matches!(first, Some(b"it" | b"test" | b"specify"))
    };
    around.descendants().take(MOST_STATEMENTS).find(is_test).is_some_and(|first| first == test)
}

fn of_each(call: Node<'_>) -> Vec<&[u8]> {
    let Some(table) = call.child("function").and_then(|table| table.call()) else { return Vec::new() };
    match table.argument_list() {
        Some(rows) if rows.kind() == "template_string" => {
            let lines = rows.bytes().split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
            lines.filter(|line| memchr::memmem::find(line, b"${").is_some()).collect()
        }
        _ => rows_of(table.arguments().next()),
    }
}
