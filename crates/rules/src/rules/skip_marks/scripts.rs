//! JavaScript, TypeScript, Ruby and PHP.

use super::{LONGEST, Skip, Tests, by_reason, has_text};
use crate::syntax::{Call, Node, Notion};

pub(super) fn in_script<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    const TESTS: [&str; 6] = ["it", "test", "describe", "context", "suite", "specify"];
    const CROSSED: [&str; 5] = ["xit", "xdescribe", "xtest", "xcontext", "xspecify"];
    let call = node.call().filter(|call| call.node.kind() == "call_expression")?;
    let callee = call.callee();
    let callee = dotted(&String::from_utf8_lossy(&callee[..callee.len().min(LONGEST)]));
    let chain = callee.split(['(', '`', '<']).next().unwrap_or_default();
    let mut words = chain.split('.').map(str::trim);
    let first = words.next().unwrap_or_default();
    let title = call.arguments().next().is_some_and(|given| given.is(Notion::String));
    let tagged = node.named_children().any(|child| child.kind() == "template_string");
    if CROSSED.contains(&first) {
        return (title || tagged || call.arguments().count() > 1).then_some((first.to_owned(), Skip::Bare));
    }
    if ["t.skip", "this.skip", "ctx.skip"].contains(&callee.as_str()) {
        return tests.left_by(node).then(|| (callee.to_string(), Skip::Bare));
    }
    if !TESTS.contains(&first) {
        return None;
    }
    if skips_always(&callee) {
        return title.then(|| (format!("{first}, never run"), Skip::Bare));
    }
    let Some(off) = words.find(|word| ["skip", "todo", "fixme", "fails", "failing"].contains(word)) else {
        return option_of(&call).map(|(option, skip)| (format!("{first} with {option}"), skip));
    };
    let name = format!("{first}.{off}");
    if off == "todo" {
        return Some((name, Skip::Announced));
    }
    // Playwright's `test.skip(condition, "why")`: what is skipped has no title here.
    let given = call.arguments().count();
    let conditional =
        !title && given > 1 && call.arguments().nth(1).is_some_and(|why| why.is(Notion::String));
    by_reason(name, conditional)
}

/// `it["skip"]` as `it.skip`.
fn dotted(callee: &str) -> String {
    let mut plain = callee.to_owned();
    for quote in ["\"", "'"] {
        plain = plain.replace(&format!("[{quote}skip{quote}]"), ".skip");
    }
    plain
}

/// `it.skipIf(true)(...)`, `it.runIf(false)(...)`, and `it.each([])(...)`, which has no case.
fn skips_always(callee: &str) -> bool {
    let plain: String = callee.chars().filter(|c| !c.is_whitespace()).collect();
    [".skipIf(true)", ".runIf(false)", ".each([])"].iter().any(|end| plain.ends_with(end))
}

/// `test("title", { skip: true }, () => {})`.
fn option_of(call: &Call<'_>) -> Option<(&'static str, Skip)> {
    let options =
        call.arguments().filter(|given| given.kind() == "object").flat_map(|given| given.named_children());
    options.filter(|pair| pair.kind() == "pair").find_map(|pair| {
        let (key, value) = (pair.child("key")?, pair.child("value")?);
        match (key.bytes(), value.bytes()) {
            (b"skip", b"true") => Some(("skip", Skip::Bare)),
            (b"todo", b"true") => Some(("todo", Skip::Announced)),
            (b"skip", _) if value.is(Notion::String) => Some(("skip", Skip::Reasoned)),
            _ => None,
        }
    })
}

pub(super) fn in_ruby<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    const CROSSED: [&str; 5] = ["xit", "xdescribe", "xcontext", "xspecify", "xexample"];
    const TESTS: [&str; 6] = ["it", "specify", "example", "describe", "context", "scenario"];
    // Without anything given to it, it is a word.
    if node.kind() == "identifier" && [&b"skip"[..], b"pending"].contains(&node.bytes()) {
        let stands = node.parent().is_some_and(|around| around.is(Notion::Block));
        return (stands && tests.left_by(node)).then(|| (node.text().into_owned(), Skip::Bare));
    }
    let call = node.call()?;
    let name = call.name();
    if call.callee().len() != name.len() {
        return None;
    }
    let has_block = node.named_children().any(|child| child.is(Notion::Lambda));
    match name.as_str() {
        word if CROSSED.contains(&word) => Some((name, Skip::Bare)),
        "pending" if has_block => Some((name, Skip::Bare)),
        "skip" | "pending" if !has_block && tests.left_by(node) => by_reason(name, has_text(node)),
        word if TESTS.contains(&word) && has_block => {
            let option = call.arguments().find(|given| is_switch(*given))?;
            by_reason(format!("{word} with skip"), has_text(option))
        }
        _ => None,
    }
}

/// `skip: true`, `:skip`, `pending: "why"`.
fn is_switch(given: Node<'_>) -> bool {
    const WORDS: [&[u8]; 4] = [b"skip", b"pending", b":skip", b":pending"];
    match given.kind() {
        "pair" => {
            given.child("key").is_some_and(|key| WORDS.contains(&key.bytes()))
                && given
                    .child("value")
                    .is_some_and(|value| value.bytes() == b"true" || value.is(Notion::String))
        }
        "simple_symbol" => WORDS.contains(&given.bytes()),
        _ => false,
    }
}

/// `markTestSkipped()` of PHPUnit, `->skip()` and `->todo()` of Pest.
pub(super) fn in_php<'t>(node: Node<'t>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    let call = node.call()?;
    let name = call.name();
    match name.as_str() {
        "markTestSkipped" | "markTestIncomplete" => tests.left_by(node).then_some(())?,
        "skip" | "todo" => {
            let test = node.child("object").and_then(|object| object.call())?;
            ["it", "test", "describe"].contains(&test.name().as_str()).then_some(())?;
        }
        _ => return None,
    }
    by_reason(name, has_text(call.argument_list()?))
}
