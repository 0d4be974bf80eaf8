//! What is right for one and slow for a thousand.

mod blocking;
mod endless;
mod quadratic;
mod queries;
mod reads;
mod unclosed;

pub(super) use blocking::BlockingInAsync;
pub(super) use endless::EndlessLoop;
pub(super) use quadratic::QuadraticLoop;
pub(super) use queries::QueryInLoop;
pub(super) use reads::UnboundedRead;
pub(super) use unclosed::UnclosedResource;

use crate::context::FileContext;
use crate::syntax::{Call, Node, Notion, Tree};

/// The calls that the change touched, outside of tests.
fn new_calls<'t>(file: &'t FileContext<'_>, tree: &'t Tree) -> impl Iterator<Item = Call<'t>> {
    let lines = file.touched_lines();
    tree.all(Notion::Call)
        .filter(|node| lines.is_added(node.line()) && !file.in_test(node.line()))
        .filter_map(|node| node.call())
}

/// The innermost function, named or not, around a node.
fn function_around(node: Node<'_>) -> Option<Node<'_>> {
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

/// Longer chains are cut: what decides stands in front or is asked for by name.
const LONGEST_CALLEE: usize = 300;

/// Longer functions are not searched for where a variable goes: each variable would cost all of it. In bytes.
const LONGEST_FUNCTION: usize = 16 * 1024;
