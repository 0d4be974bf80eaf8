use std::collections::{HashMap, HashSet};

use domain::change::{Hunk, LineKind};

use super::before::squeezed;
use super::{Swallow, Weight};
use crate::context::{AddedLine, FileContext};
use crate::syntax::{Node, Notion, Tree};

/// What is called for its effect, where there is nothing left to do if it fails.
const POLITE: [&str; 42] = [
    "send",
    "try_send",
    "blocking_send",
    "write",
    "writeln",
    "write_str",
    "write_fmt",
    "write_char",
    "print",
    "flush",
    "lock",
    "try_lock",
    "join",
    "recv",
    "try_recv",
    "recv_timeout",
    "remove_file",
    "remove_dir",
    "remove_dir_all",
    "shutdown",
    "kill",
    "wait",
    "close",
    "set",
    "init",
    "try_init",
    "set_logger",
    "install",
    "dotenv",
    "parse",
    "get",
    "set_nodelay",
    "set_global_default",
    "catch_unwind",
    "compare_exchange",
    "compare_exchange_weak",
    "fetch_update",
    "unpark",
    "cancel",
    "set_hook",
    "binary_search",
    "push",
];

/// What is called to keep something: if it fails, something is lost.
const KEEPS: [&str; 9] = [
    "write_all",
    "sync_all",
    "sync_data",
    "commit",
    "rename",
    "create_dir_all",
    "create_dir",
    "execute",
    "save",
];

pub(super) fn swallows(tree: &Tree) -> Vec<Swallow<'_>> {
    let own = own_fallible(tree);
    tree.root().descendants().filter_map(|node| swallow(node, &own)).collect()
}

fn swallow<'t>(node: Node<'t>, own: &HashSet<&[u8]>) -> Option<Swallow<'t>> {
    match node.kind() {
        "let_declaration" => discarded(node, own),
        "expression_statement" => made_optional(node).or_else(|| dropped(node, own)),
        "match_expression" => matched_by_all(node, own),
        "if_expression" => empty_if(node).or_else(|| taken_if_well(node)),
        "match_arm" => empty_arm(node),
        "call_expression" => replaced(node),
        _ => None,
    }
}

/// `let _ = f();`
fn discarded<'t>(node: Node<'t>, own: &HashSet<&[u8]>) -> Option<Swallow<'t>> {
    let tried = node.child("pattern").filter(|pattern| pattern.bytes() == b"_").and(node.child("value"))?;
    let next =
        std::iter::successors(node.next_sibling(), Node::next_sibling).find(|one| !one.is(Notion::Comment));
    if next.is_some_and(|next| returns_an_error(next.bytes())) {
        return None;
    }
    thrown_away(node, tried, "let _ =", own)
}

/// `drop(f());`
fn dropped<'t>(node: Node<'t>, own: &HashSet<&[u8]>) -> Option<Swallow<'t>> {
    let call = node.named_children().next()?.call()?;
    let is_drop = matches!(call.callee(), b"drop" | b"mem::drop" | b"std::mem::drop");
    let mut given = call.arguments().filter(|_| is_drop);
    let (tried, None) = (given.next()?, given.next()) else { return None };
    thrown_away(node, tried, "drop", own)
}

/// `match f() { _ => () }`
fn matched_by_all<'t>(node: Node<'t>, own: &HashSet<&[u8]>) -> Option<Swallow<'t>> {
    let mut arms = node.child("body")?.named_children().filter(|arm| arm.kind() == "match_arm");
    let (arm, None) = (arms.next()?, arms.next()) else { return None };
    let is_all = arm.child("pattern").is_some_and(|pattern| pattern.bytes() == b"_");
    let does_nothing = arm.child("value").is_some_and(is_nothing);
    thrown_away(node, node.child("value").filter(|_| is_all && does_nothing)?, "match", own)
}

/// What becomes of the error of a call whose result goes nowhere.
fn thrown_away<'t>(node: Node<'t>, tried: Node<'t>, by: &str, own: &HashSet<&[u8]>) -> Option<Swallow<'t>> {
    let name = called(tried)?;
    let weight = match () {
        () if in_drop(node) => Weight::Deliberate,
        () if writes_file(tried) => Weight::Perhaps,
        () if is_polite(&name) => Weight::Deliberate,
        () if KEEPS.contains(&name.as_str()) || own.contains(name.as_bytes()) => Weight::Perhaps,
        () => Weight::Deliberate,
    };
    Some(Swallow {
        at: node,
        tried: Some(tried),
        message: format!("`{by}` drops the error of `{name}`"),
        weight,
    })
}

/// `write!` to a buffer cannot fail; a file that is not written is lost.
fn writes_file(tried: Node<'_>) -> bool {
    let call = if tried.kind() == "await_expression" { tried.named_children().next() } else { Some(tried) };
    let callee = call.and_then(|call| call.call()).map(|call| call.callee()).unwrap_or_default();
    [&b"fs::write"[..], b"fs::copy"].iter().any(|path| callee.ends_with(path))
}

/// `f().ok();`, and `f().is_ok();`, of which nobody takes the answer.
fn made_optional(node: Node<'_>) -> Option<Swallow<'_>> {
    let call = node.named_children().next().filter(|_| node.bytes().ends_with(b";"))?;
    let tried = receiver(call, &["ok", "is_ok", "is_err"])?;
    let by = call.call()?.name();
    let name = called(tried)?;
    let weight = if is_polite(&name) || in_drop(node) { Weight::Deliberate } else { Weight::Likely };
    Some(Swallow {
        at: node,
        tried: Some(tried),
        message: format!("`.{by}()` drops the error of `{name}`"),
        weight,
    })
}

/// `if let Err(_) = f() {}`
fn empty_if(node: Node<'_>) -> Option<Swallow<'_>> {
    let condition = node.child("condition").filter(|condition| condition.kind() == "let_condition")?;
    let is_error = condition.child("pattern").is_some_and(is_error_pattern);
    let is_empty = node.child("consequence").is_some_and(|block| block.named_children().next().is_none());
    let tried = condition.child("value").filter(|_| is_error && is_empty)?;
    node.child("alternative").is_none().then(|| Swallow {
        at: node,
        tried: Some(tried),
        message: "The error is looked at and then dropped".to_owned(),
        weight: Weight::Certain,
    })
}

/// `if let Ok(x) = f() { ... }` without an `else`, which weighs something only where the error was passed on before.
fn taken_if_well(node: Node<'_>) -> Option<Swallow<'_>> {
    let condition = node.child("condition").filter(|condition| condition.kind() == "let_condition")?;
    let is_well = condition.child("pattern").is_some_and(|pattern| pattern.bytes().starts_with(b"Ok("));
    let tried = condition.child("value").filter(|_| is_well && node.child("alternative").is_none())?;
    let message = "An error that was passed on before is left out here".to_owned();
    Some(Swallow { at: node, tried: Some(without_wrapping(tried)), message, weight: Weight::Replaced })
}

/// Without what only says of an error where it comes from: `f()` of `f().map_err(Failed::Read)`.
pub(super) fn without_wrapping(tried: Node<'_>) -> Node<'_> {
    const WRAPS: [&str; 5] = ["map_err", "context", "with_context", "wrap_err", "wrap_err_with"];
    std::iter::successors(Some(tried), |node| receiver(*node, &WRAPS)).take(4).last().unwrap_or(tried)
}

/// `Err(_) => {}`
fn empty_arm(node: Node<'_>) -> Option<Swallow<'_>> {
    let pattern = node.child("pattern")?.named_children().next()?;
    let is_empty = node.child("value").is_some_and(is_nothing);
    if !is_error_pattern(pattern) || !is_empty {
        return None;
    }
    let tried = node.parent()?.parent()?.child("value")?;
    // What was called before, and kept, may be anything.
    let polite = match called(tried) {
        Some(name) => is_polite(&name) || name.starts_with("try_"),
        None => tried.kind() != "identifier",
    };
    let weight = if polite || in_drop(node) { Weight::Deliberate } else { Weight::Perhaps };
    Some(Swallow { at: node, tried: Some(tried), message: "This arm drops the error".to_owned(), weight })
}

/// `{}` and `()`.
fn is_nothing(value: Node<'_>) -> bool {
    match value.kind() {
        "block" => value.named_children().next().is_none(),
        kind => kind == "unit_expression",
    }
}

/// `f().unwrap_or_default()`
fn replaced(node: Node<'_>) -> Option<Swallow<'_>> {
    let tried = receiver(node, &["unwrap_or_default", "unwrap_or"])?;
    let message = "A default takes the place of an error that was passed on before".to_owned();
    Some(Swallow { at: node, tried: Some(tried), message, weight: Weight::Replaced })
}

/// What a method with one of these names is called on.
fn receiver<'t>(call: Node<'t>, names: &[&str]) -> Option<Node<'t>> {
    let method = call.child("function").filter(|method| method.kind() == "field_expression")?;
    let name = method.child("field")?.text();
    names.contains(&name.as_ref()).then(|| method.child("value")).flatten()
}

/// The name of what is called, also behind `.await`.
fn called(node: Node<'_>) -> Option<String> {
    let call = if node.kind() == "await_expression" { node.named_children().next()? } else { node };
    Some(call.call()?.name())
}

fn is_error_pattern(pattern: Node<'_>) -> bool {
    pattern.kind() == "tuple_struct_pattern"
        && pattern.child("type").is_some_and(|name| name.bytes() == b"Err")
}

fn is_polite(name: &str) -> bool {
    POLITE.contains(&name) || name.starts_with("set_") || name.starts_with("try_recv")
}

/// Nobody can be told while a value is dropped.
fn in_drop(node: Node<'_>) -> bool {
    let of_drop = |around: Node<'_>| around.child("trait").is_some_and(|name| name.bytes() == b"Drop");
    node.ancestors().any(|around| around.kind() == "impl_item" && of_drop(around))
}

/// The functions of the file that give a `Result`.
fn own_fallible(tree: &Tree) -> HashSet<&[u8]> {
    let gives_result = |node: &Node<'_>| {
        let given = node.child("return_type").map(|given| given.bytes());
        given.is_some_and(|given| memchr::memmem::find(given, b"Result").is_some())
    };
    let functions = tree.all(Notion::Function).filter(gives_result);
    functions.filter_map(|node| Some(node.child("name")?.bytes())).collect()
}

/// Added lines that drop what a removed line passed on with `?`. Without a tree: macros have none inside.
pub(super) fn unhandled_lines<'h>(
    file: &'h FileContext<'_>,
    hits: &'h [AddedLine<'h>],
) -> impl Iterator<Item = AddedLine<'h>> {
    let removed =
        file.change.hunks().iter().flat_map(Hunk::lines).filter(|line| line.kind == LineKind::Removed);
    let tried = |text: &[u8]| Some(squeezed(text.trim_ascii().strip_suffix(b"?;")?));
    let mut passed_on: HashMap<Vec<u8>, usize> = HashMap::new();
    for was in removed.filter_map(|line| tried(line.text)) {
        *passed_on.entry(was).or_default() += 1;
    }
    // What is still passed on, though elsewhere, nobody took away.
    if !passed_on.is_empty() {
        for still in file.added().filter_map(|line| tried(line.text)) {
            passed_on.entry(still).and_modify(|count| *count = count.saturating_sub(1));
        }
        passed_on.retain(|_, count| *count > 0);
    }
    hits.iter().copied().filter(move |line| {
        !passed_on.is_empty()
            && dropped_in(line.text).is_some_and(|tried| passed_on.contains_key(&squeezed(tried)))
            && !fails_next(file, line.number)
    })
}

fn fails_next(file: &FileContext<'_>, number: u32) -> bool {
    file.head().is_some_and(|head| returns_an_error(head.line(number.saturating_add(1)).trim_ascii()))
}

/// Right behind, the error of the cleaning up would only hide this one.
fn returns_an_error(statement: &[u8]) -> bool {
    [&b"return Err("[..], b"Err(", b"bail!("].iter().any(|word| statement.starts_with(word))
}

fn dropped_in(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let discarded = || line.strip_prefix(b"let _ = ")?.strip_suffix(b";");
    let made_optional = || line.strip_suffix(b".ok();");
    let looked_at = || line.strip_prefix(b"if let Err(_) = ")?.strip_suffix(b" {}");
    discarded().or_else(made_optional).or_else(looked_at)
}
