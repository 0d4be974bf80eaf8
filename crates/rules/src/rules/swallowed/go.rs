use std::collections::HashSet;

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
        "assignment_statement" | "short_var_declaration" => discarded(node, known),
        "if_statement" => empty_if(node),
        "expression_statement" => unheard(node),
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
    let condition = node.child("condition")?.text();
    let words: Vec<&str> = condition.split_whitespace().collect();
    let is_error = matches!(words[..], [name, "!=", "nil"] if name.to_ascii_lowercase().starts_with("err"));
    let is_empty = node.child("consequence").is_some_and(|block| block.named_children().next().is_none());
    (is_error && is_empty && node.child("alternative").is_none()).then(|| Swallow {
        at: node,
        tried: None,
        message: "The error is looked at and then dropped".to_owned(),
        weight: Weight::Certain,
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
