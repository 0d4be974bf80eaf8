use std::collections::HashSet;

use super::super::assertion::is_literal;
use super::{Swallow, Weight};
use crate::syntax::{Node, Notion, Tree};

/// Functions of the standard library whose last result is an error that matters.
const FALLIBLE: [&[u8]; 22] = [
    b"json.Unmarshal",
    b"json.Marshal",
    b"os.Open",
    b"os.Create",
    b"os.OpenFile",
    b"os.ReadFile",
    b"os.WriteFile",
    b"os.Rename",
    b"os.MkdirAll",
    b"io.ReadAll",
    b"io.Copy",
    b"ioutil.ReadAll",
    b"ioutil.ReadFile",
    b"ioutil.WriteFile",
    b"http.Get",
    b"http.Post",
    b"http.NewRequest",
    b"sql.Open",
    b"strconv.Atoi",
    b"strconv.ParseInt",
    b"time.Parse",
    b"url.Parse",
];

/// Where there is nothing left to do if it fails.
const POLITE: [&str; 16] = [
    "Close",
    "Fprintf",
    "Fprintln",
    "Fprint",
    "Remove",
    "RemoveAll",
    "Flush",
    "Sync",
    "Shutdown",
    "Kill",
    "Wait",
    "Write",
    "WriteString",
    "WriteByte",
    "Rollback",
    "Stop",
];

pub(super) fn swallows(tree: &Tree) -> Vec<Swallow<'_>> {
    let known = known_fallible(tree);
    tree.root().descendants().filter_map(|node| swallow(node, &known)).collect()
}

fn swallow<'t>(node: Node<'t>, known: &HashSet<Vec<u8>>) -> Option<Swallow<'t>> {
    match node.kind() {
        "assignment_statement" | "short_var_declaration" => {
            discarded(node, known).or_else(|| put_aside(node))
        }
        "if_statement" => empty_if(node).or_else(|| turned_into_nothing(node)),
        "expression_statement" => recovered(node).or_else(|| unheard(node)),
        _ => None,
    }
}

/// `_ = f()` and `x, _ := f()`.
fn discarded<'t>(node: Node<'t>, known: &HashSet<Vec<u8>>) -> Option<Swallow<'t>> {
    let last = node.child("left")?.named_children().last().filter(|last| last.bytes() == b"_")?;
    let right = node.child("right")?;
    let call = right
        .named_children()
        .next()
        .filter(|value| right.named_children().count() == 1 && value.is(Notion::Call))?;
    let (callee, name) = (call.call()?.callee(), call.call()?.name());
    let fails = FALLIBLE.contains(&callee) || known.contains(callee);
    let in_defer = node.ancestors().any(|around| around.kind() == "defer_statement");
    let weight = if fails && !POLITE.contains(&name.as_str()) && !in_defer {
        Weight::Likely
    } else {
        Weight::Deliberate
    };
    let message = format!("`{}` drops the error of `{}`", last.text(), String::from_utf8_lossy(callee));
    Some(Swallow { at: node, tried: Some(call), message, weight })
}

/// `_ = err`, which is there for the compiler alone.
fn put_aside(node: Node<'_>) -> Option<Swallow<'_>> {
    let (left, right) = (node.child("left")?, node.child("right")?);
    let is_error = right.bytes().to_ascii_lowercase().starts_with(b"err");
    let is_name = right.named_children().all(|value| value.kind() == "identifier");
    (left.bytes() == b"_" && is_error && is_name).then(|| Swallow {
        at: node,
        tried: called_before(node, right.bytes()),
        message: format!("`_ = {}` drops the error", right.text()),
        weight: Weight::Likely,
    })
}

/// `os.Remove(path)` as a statement, whose error has not even a name. Not where a branch has failed already, and tidies up.
fn unheard(node: Node<'_>) -> Option<Swallow<'_>> {
    let call = node.named_children().next().filter(|call| call.is(Notion::Call))?;
    let callee = call.call()?.callee();
    let is_tidying = || {
        let branch = node.ancestors().find(|around| around.is_kind(&["if_statement", "func_literal"]));
        branch.is_some_and(|branch| {
            let asked = branch.child("condition").map(|asked| asked.bytes()).unwrap_or(b"err");
            memchr::memmem::find(asked, b"err").is_some()
        })
    };
    let weight = match callee {
        b"os.Remove" | b"os.RemoveAll" if is_tidying() => return None,
        b"os.Remove" | b"os.RemoveAll" => Weight::Perhaps,
        b"os.Rename" | b"os.WriteFile" | b"os.MkdirAll" | b"os.Mkdir" | b"os.Chmod" | b"os.Truncate" => {
            Weight::Likely
        }
        _ => return None,
    };
    let message = format!("Nobody hears of the error of `{}`", String::from_utf8_lossy(callee));
    Some(Swallow { at: node, tried: Some(call), message, weight })
}

/// `if err != nil {}`
fn empty_if(node: Node<'_>) -> Option<Swallow<'_>> {
    let is_empty = node
        .child("consequence")
        .is_some_and(|block| block.named_children().all(|inner| inner.is(Notion::Comment)));
    (error_of(node).is_some() && is_empty && node.child("alternative").is_none()).then(|| Swallow {
        at: node,
        tried: tried_before(node),
        message: "The error is looked at and then dropped".to_owned(),
        weight: Weight::Certain,
    })
}

/// The error that is there, if a branch is taken because of one: `err` of `if err != nil`.
fn error_of(branch: Node<'_>) -> Option<&[u8]> {
    let condition = branch.child("condition")?;
    let mut sides = condition.named_children();
    let (name, nil) = (sides.next()?, sides.next()?);
    let differs = condition.child("operator").is_some_and(|sign| sign.bytes() == b"!=");
    let is_error = name.bytes().to_ascii_lowercase().starts_with(b"err");
    (differs && is_error && nil.bytes() == b"nil").then_some(name.bytes())
}

/// `if err != nil { return nil, nil }` and `{ continue }`, which weigh something only where the error was passed on before.
fn turned_into_nothing(node: Node<'_>) -> Option<Swallow<'_>> {
    error_of(node).filter(|_| node.child("alternative").is_none())?;
    let only = only_statement(node)?;
    let says_nothing = match only.kind() {
        "continue_statement" | "break_statement" => true,
        "return_statement" => only
            .named_children()
            .flat_map(|list| list.named_children())
            .all(|value| value.bytes() == b"nil" || is_literal(value.bytes())),
        _ => false,
    };
    says_nothing.then(|| Swallow {
        at: node,
        tried: tried_before(node),
        message: "Nothing takes the place of an error that was passed on before".to_owned(),
        weight: Weight::TurnedIntoNothing,
    })
}

fn only_statement(branch: Node<'_>) -> Option<Node<'_>> {
    let block = branch.child("consequence")?;
    let block = block.child_of(&["statement_list"]).unwrap_or(block);
    let mut inside = block.named_children().filter(|inner| !inner.is(Notion::Comment));
    let (only, None) = (inside.next()?, inside.next()) else { return None };
    Some(only)
}

/// The call whose error a branch looks at: in the branch itself, or right before it.
fn tried_before(branch: Node<'_>) -> Option<Node<'_>> {
    let error = error_of(branch)?;
    match branch.child("initializer") {
        Some(given) => call_giving(given, error),
        None => called_before(branch, error),
    }
}

/// The call right before a statement whose error has this name.
fn called_before<'t>(statement: Node<'t>, error: &[u8]) -> Option<Node<'t>> {
    let before = std::iter::successors(statement.previous_sibling(), Node::previous_sibling);
    call_giving(before.take(4).find(Node::is_named)?, error)
}

fn call_giving<'t>(given: Node<'t>, error: &[u8]) -> Option<Node<'t>> {
    given.child("left")?.named_children().last().filter(|last| last.bytes() == error)?;
    given.child("right")?.named_children().next().filter(|call| call.is(Notion::Call))
}

/// Branches that hand an error back, with the call that gave it.
pub(super) fn returned(tree: &Tree) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
    let branches = tree.root().descendants().filter(|node| node.kind() == "if_statement");
    branches.filter_map(|branch| {
        let name = error_of(branch)?;
        let block = branch.child("consequence")?;
        let last = block.child_of(&["statement_list"]).unwrap_or(block).named_children().last()?;
        let hands_back = last.kind() == "return_statement"
            && last.descendants().any(|inner| inner.kind() == "identifier" && inner.bytes() == name);
        Some((branch, tried_before(branch).filter(|_| hands_back)?))
    })
}

/// `recover()`, of whose value nobody takes notice.
fn recovered(node: Node<'_>) -> Option<Swallow<'_>> {
    let call = node.named_children().next()?.call().filter(|call| call.callee() == b"recover")?;
    Some(Swallow {
        at: call.node,
        tried: None,
        message: "`recover` drops whatever went wrong".to_owned(),
        weight: Weight::Likely,
    })
}

/// What the file itself shows to give an error: its own functions, and what it calls elsewhere as `x, err := f()`.
fn known_fallible(tree: &Tree) -> HashSet<Vec<u8>> {
    tree.root().descendants().filter_map(fallible).collect()
}

fn fallible(node: Node<'_>) -> Option<Vec<u8>> {
    match node.kind() {
        "function_declaration" => {
            let result = node.child("result")?.bytes();
            let gives_error = result == b"error" || result.ends_with(b"error)");
            node.child("name").filter(|_| gives_error).map(|name| name.bytes().to_vec())
        }
        "short_var_declaration" | "assignment_statement" => {
            let last = node.child("left")?.named_children().last()?;
            let call = node.child("right")?.named_children().next()?.call()?;
            (last.bytes() == b"err").then(|| call.callee().to_vec())
        }
        _ => None,
    }
}
