//! Conditions that are decided before anything is asked: `if False:`, `if (false && x)`, `if (x || true)`.

use super::assertion::in_brackets;
use crate::context::FileContext;
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Node, Notion};

/// Tells of new branches that are never taken, and of new questions whose answer does not matter.
pub(super) fn check(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    if !file.added().any(|line| may_be_fixed(line.text.trim_ascii()) && !file.in_test(line.number)) {
        return;
    }
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    for node in tree.root().descendants().filter(|node| node.is_named() && is_branch(*node)) {
        let Some(condition) = node.child("condition") else { continue };
        let line = condition.line();
        if !file.touched_lines().is_added(line) || file.in_test(line) || node.has_error() {
            continue;
        }
        let message = match fixed(condition, file.language) {
            Some(Fixed::Never) if is_for_tools(node) => continue,
            Some(Fixed::Never) => "This condition never holds, so what it guards never runs",
            Some(Fixed::Always) => "This condition always holds, whatever it asks besides",
            None => continue,
        };
        report.add(Draft::lines(head, line, line, message.to_owned()));
    }
}

/// By its words alone, so that most files need not be parsed.
fn may_be_fixed(line: &[u8]) -> bool {
    const WORDS: [&[u8]; 5] = [b"false", b"False", b"true", b"True", b"(0"];
    let asks = [&b"if"[..], b"elif", b"} else if", b"else if", b"while", b"unless"];
    asks.iter().any(|word| line.starts_with(word))
        && WORDS.iter().any(|word| memchr::memmem::find(line, word).is_some())
}

fn is_branch(node: Node<'_>) -> bool {
    ["if", "elif", "while"].iter().any(|word| node.kind().starts_with(word))
}

enum Fixed {
    Never,
    Always,
}

fn fixed(condition: Node<'_>, language: Language) -> Option<Fixed> {
    const LONGEST: usize = 400;
    let text = condition.bytes();
    let text = text.get(..LONGEST).unwrap_or(text).trim_ascii();
    let text = in_brackets(text).unwrap_or(text).trim_ascii();
    let zero = matches!(language, Language::C | Language::Cpp) && text == b"0";
    let joined_by = |words: &[&[u8]]| words.iter().any(|word| memchr::memmem::find(text, word).is_some());
    let (and, or) = (joined_by(&[b"&&", b" and "]), joined_by(&[b"||", b" or "]));
    let begins = |words: &[&[u8]]| words.iter().any(|word| text.starts_with(word));
    let ends = |words: &[&[u8]]| words.iter().any(|word| text.ends_with(word));
    match (and, or) {
        (false, false) => (zero || matches!(text, b"false" | b"False")).then_some(Fixed::Never),
        (true, false) => {
            let never = begins(&[b"false &&", b"False and "]) || ends(&[b"&& false", b" and False"]);
            never.then_some(Fixed::Never)
        }
        // Nothing binds less than an or: where one of its ends is true, all of it is.
        (_, true) => {
            let always = begins(&[b"true ||", b"True or "]) || ends(&[b"|| true", b" or True"]);
            always.then_some(Fixed::Always)
        }
    }
}

/// What makes a function of Python a generator, or tells a type checker of a module, is not there to be run.
fn is_for_tools(node: Node<'_>) -> bool {
    let first = node.child("consequence").and_then(|body| body.named_children().next());
    first.is_some_and(|first| first.is(Notion::Import) || first.bytes().starts_with(b"yield"))
}
