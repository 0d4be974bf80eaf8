use std::collections::{HashMap, HashSet};

use super::catches::{caught, is_broad, is_empty_catch};
use super::{go, rust, swallows};
use crate::context::FileContext;
use crate::language::Language;
use crate::syntax::{Node, Notion, Tree};

/// What the file did with its errors before the change.
#[derive(Default)]
pub(super) struct Before {
    /// How often each error was dropped in lines that are gone, by its text without white space.
    dropped: HashMap<Vec<u8>, usize>,
    /// What was tried in lines that are gone, and whose error somebody heard of; with what the handlers caught.
    handled: HashMap<Vec<u8>, Vec<String>>,
    /// What was tried in lines that are gone, and whose error was passed on.
    passed_on: HashSet<Vec<u8>>,
    /// The same for single handlers: what was tried, and what they catch.
    handlers: HashSet<(Vec<u8>, Vec<u8>)>,
}

impl Before {
    pub(super) fn of(file: &FileContext<'_>) -> Self {
        let mut before = Before::default();
        let Some(tree) = file.base_tree() else { return before };
        let touched = file.touched_lines();
        // What was not touched is still there, and stands for itself.
        for swallow in swallows(tree, file.language).into_iter().filter(|one| touched.base(one.at)) {
            *before.dropped.entry(squeezed(swallow.at.bytes())).or_default() += 1;
        }
        let gone = || handled(tree, file.language).into_iter().filter(|node| touched.base(*node));
        let tried = |node: Node<'_>| Some(squeezed(tried_in(node)?.bytes()));
        before.passed_on = gone().filter(|node| passes_on(*node)).filter_map(tried).collect();
        if file.language == Language::Go {
            let returned = go::returned(tree).filter(|(at, _)| touched.base(*at));
            before.passed_on.extend(returned.map(|(_, call)| squeezed(call.bytes())));
        }
        before.handled = gone().filter_map(|node| Some((tried(node)?, all_caught(node)))).collect();
        // What is still passed on, though elsewhere, nobody took away.
        if file.language == Language::Rust
            && let Some(head) = file.touched_tree().filter(|_| !before.handled.is_empty())
        {
            let mut left: HashMap<Vec<u8>, usize> = HashMap::new();
            for was in gone().filter_map(tried) {
                *left.entry(was).or_default() += 1;
            }
            for now in handled(head, file.language).into_iter().filter(|node| touched.head(*node)) {
                if let Some(count) = tried(now).and_then(|now| left.get_mut(&now)) {
                    *count = count.saturating_sub(1);
                }
            }
            before.handled.retain(|tried, _| left.get(tried).is_some_and(|count| *count > 0));
        }
        let catches = tree.all(Notion::Catch).filter(|one| touched.base(*one) && !is_empty_catch(*one));
        before.handlers = catches.filter_map(handler).collect();
        before
    }

    /// Whether the same was there already; each of them is counted once.
    pub(super) fn had(&mut self, swallow: Node<'_>) -> bool {
        match self.dropped.get_mut(&squeezed(swallow.bytes())) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Whether somebody heard of the errors of what is tried, or of those that this handler drops.
    pub(super) fn handling(&self, tried: Node<'_>, at: Node<'_>) -> Handling {
        if !self.handlers.is_empty() && handler(at).is_some_and(|one| self.handlers.contains(&one)) {
            return Handling::Taken;
        }
        if self.handled.is_empty() && self.passed_on.is_empty() {
            return Handling::Never;
        }
        match self.handled.get(&squeezed(tried.bytes())) {
            // Of Go, the call may stand where it stood, while what looked at its error is gone.
            None if self.passed_on(tried) => Handling::Taken,
            None => Handling::Never,
            Some(caught) if is_narrowed(caught, at) => Handling::Narrowed,
            Some(_) => Handling::Taken,
        }
    }

    /// Whether the errors of what is tried were passed on.
    pub(super) fn passed_on(&self, tried: Node<'_>) -> bool {
        !self.passed_on.is_empty() && self.passed_on.contains(&squeezed(tried.bytes()))
    }
}

/// What became of an error that somebody heard of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handling {
    /// Nobody did.
    Never,
    /// Only some of it is dropped: the rest is no longer caught at all.
    Narrowed,
    Taken,
}

/// Whether a handler catches something that none before it named, and not everything.
fn is_narrowed(before: &[String], at: Node<'_>) -> bool {
    let now = if at.is(Notion::Catch) { caught(at) } else { Vec::new() };
    !now.is_empty() && !is_broad(&now) && !now.iter().any(|name| before.contains(name))
}

fn all_caught(node: Node<'_>) -> Vec<String> {
    node.children().filter(|child| child.is(Notion::Catch)).flat_map(caught).collect()
}

/// Whether a handler throws anew.
fn passes_on(node: Node<'_>) -> bool {
    let catches = node.children().filter(|child| child.is(Notion::Catch));
    // Swift has one kind of node for all that leaves.
    let throws = |inner: Node<'_>| {
        inner.is(Notion::Throw)
            || (inner.kind() == "control_transfer_statement" && inner.bytes().starts_with(b"throw"))
    };
    catches.flat_map(|catch| catch.descendants().take(MOST_WITHIN)).any(throws)
}

/// So much of a handler is looked through.
const MOST_WITHIN: usize = 200;

/// Nodes that heard of an error: `x?`, `err := x`, a `try` none of whose handlers is empty.
fn handled(tree: &Tree, language: Language) -> Vec<Node<'_>> {
    let nodes = tree.root().descendants();
    match language {
        Language::Rust => {
            nodes.filter(|node| node.kind() == "try_expression" && !gives_option(*node)).collect()
        }
        Language::Go => nodes.filter(|node| node.is(Notion::Call) && is_heard(*node)).collect(),
        _ => nodes.filter(|node| is_try(*node) && !has_empty_catch(*node)).collect(),
    }
}

/// What a handler is for, and what it catches.
fn handler(catch: Node<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let tried = tried_in(catch.parent().filter(|parent| is_try(*parent))?)?;
    let body = catch.child("body").or_else(|| catch.child_of(&["block"]))?;
    let head = body.range().start.checked_sub(catch.range().start)?;
    Some((squeezed(tried.bytes()), squeezed(catch.bytes().get(..head)?)))
}

/// Whether handlers may follow what is tried here. Ruby needs no word for it in a method, and Swift has another.
fn is_try(node: Node<'_>) -> bool {
    let may_have = node.is_kind(&["begin", "body_statement", "do_statement"]);
    node.kind().starts_with("try_") || (may_have && node.children().any(|child| child.is(Notion::Catch)))
}

/// What may fail: of Ruby, where nothing stands around it, the first of it.
pub(super) fn tried_in(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "try_expression" if node.tree().table().language() == Language::Rust => {
            node.named_children().next().map(rust::without_wrapping)
        }
        "begin" | "body_statement" => node.named_children().find(|child| !child.is(Notion::Comment)),
        _ if is_try(node) => node.child("body").or_else(|| node.child_of(&["block", "statements"])),
        _ => Some(node),
    }
}

/// In a function that gives an option, `?` passes on that something is absent.
fn gives_option(node: Node<'_>) -> bool {
    let around = node.ancestors().find(|around| around.is_kind(&["function_item", "closure_expression"]));
    let given = around.and_then(|function| function.child("return_type"));
    given.is_some_and(|given| given.bytes().starts_with(b"Option<"))
}

fn is_heard(call: Node<'_>) -> bool {
    let around = |levels: usize| call.ancestors().nth(levels);
    let Some(statement) =
        around(1).filter(|_| around(0).is_some_and(|list| list.kind() == "expression_list"))
    else {
        return false;
    };
    match statement.kind() {
        "return_statement" => true,
        "assignment_statement" | "short_var_declaration" => statement
            .child("left")
            .and_then(|left| left.named_children().last())
            .is_some_and(|last| last.bytes().to_ascii_lowercase().starts_with(b"err")),
        _ => false,
    }
}

fn has_empty_catch(node: Node<'_>) -> bool {
    let mut catches = node.children().filter(|child| child.is(Notion::Catch)).peekable();
    catches.peek().is_none() || catches.any(is_empty_catch)
}

pub(super) fn squeezed(text: &[u8]) -> Vec<u8> {
    text.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect()
}
