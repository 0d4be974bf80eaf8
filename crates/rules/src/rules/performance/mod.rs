//! What is right for one and slow for a thousand.

mod blocking;
mod endless;
mod growth;
mod mapped;
mod quadratic;
mod queries;
mod reads;
mod unclosed;

pub(super) use blocking::BlockingInAsync;
pub(super) use endless::EndlessLoop;
pub(super) use growth::UnboundedGrowth;
pub(super) use quadratic::QuadraticLoop;
pub(super) use queries::QueryInLoop;
pub(super) use reads::UnboundedRead;
pub(super) use unclosed::UnclosedResource;

use std::collections::HashSet;

use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Call, Node, Notion, Tree};

/// The calls that the change touched, outside of tests.
fn new_calls<'t>(file: &'t FileContext<'_>, tree: &'t Tree) -> impl Iterator<Item = Call<'t>> {
    let lines = file.touched_lines();
    tree.all(Notion::Call)
        .filter(|node| lines.is_added(node.line()) && !file.in_test(node.line()))
        .filter_map(|node| node.call())
}

/// The innermost function, named or not, around a node.
fn around(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors().find(|around| is_function(*around))
}

fn is_function(node: Node<'_>) -> bool {
    const KINDS: [&str; 12] = [
        "function_item",
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "method_declaration",
        "constructor_declaration",
        "method",
        "singleton_method",
        "local_function_statement",
        "func_literal",
        "async_block",
    ];
    node.is_kind(&KINDS) || node.is(Notion::Lambda)
}

/// A call as `a.b.c`, without white space and without what stands in brackets.
fn path_of(call: &Call<'_>) -> String {
    let mut depth = 0_u32;
    let mut path = String::new();
    for c in String::from_utf8_lossy(call.callee()).chars().take(LONGEST_CALLEE) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if depth == 0 && !c.is_whitespace() => path.push(c),
            _ => {}
        }
    }
    path.replace("->", ".").replace("?.", ".").replace("::", ".").replace('$', "")
}

/// The variables and fields that a file of Go makes or declares clients of `net/http`.
fn http_clients<'f>(file: &'f FileContext<'_>) -> HashSet<&'f [u8]> {
    const LONGEST_NAME: usize = 120;
    let text = match (file.language, file.head()) {
        (Language::Go, Some(head)) => head.text(),
        _ => return HashSet::new(),
    };
    let named = |at: usize| {
        let line = text.get(at.saturating_sub(LONGEST_NAME)..at)?.rsplit(|byte| *byte == b'\n').next()?;
        let without = |text: &'f [u8], endings: [&[u8]; 2]| {
            let text = text.trim_ascii_end();
            endings.iter().find_map(|ending| text.strip_suffix(*ending)).unwrap_or(text).trim_ascii_end()
        };
        let line = without(without(line, [b"*", b"&"]), [b":=", b"="]);
        let start = line.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        line.get(start.map_or(0, |start| start + 1)..).filter(|name| !name.is_empty())
    };
    memchr::memmem::find_iter(text, b"http.Client").filter_map(named).collect()
}

/// Whether a call asks another server through one of these.
fn asks_through(path: &str, clients: &HashSet<&[u8]>) -> bool {
    let Some((owner, "Get" | "Do" | "Post" | "PostForm" | "Head")) = path.rsplit_once('.') else {
        return false;
    };
    clients.contains(owner.rsplit('.').next().unwrap_or(owner).as_bytes())
}

/// Longer chains are cut: what decides stands in front or is asked for by name.
const LONGEST_CALLEE: usize = 300;

/// Longer functions are not searched for where a variable goes: each variable would cost all of it. In bytes.
const LONGEST_FUNCTION: usize = 16 * 1024;
