//! New functions that take something and do nothing with it.

use domain::review::Confidence;

use super::BASE_NAME;
use crate::context::FileContext;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Function, Node, Notion, Takes, functions};

const LANGUAGES: [Language; 10] = [
    Language::Rust,
    Language::JavaScript,
    Language::TypeScript,
    Language::Go,
    Language::Java,
    Language::Kotlin,
    Language::CSharp,
    Language::Php,
    Language::Swift,
    Language::Scala,
];

/// Doing nothing is what these are for.
static NOTHING: Pattern = Pattern::new(
    r"(?i)^_|^(?:on|handle|init|set_?up|tear_?down|before|after|visit|close|dispose|drop|log|trace|debug)(?:_|[A-Z]|$)|noop|no_op|nothing|ignore|empty|sink|black_?box|assert|is_send|is_sync",
);

pub(super) fn check(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    if !LANGUAGES.contains(&file.language) || !may_be_empty(file) {
        return;
    }
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    for function in functions(tree) {
        let line = function.name_line();
        let is_new = file.touched_lines().is_added(line) && !file.in_test(line);
        if is_new && is_empty(&function) && takes_something(&function) && is_chosen(&function) {
            let message = format!("The body of `{}` is empty", function.name);
            report.add(Draft::lines(head, line, line, message).confidence(Confidence::Low));
        }
    }
}

/// By lines alone: `{}`, or a brace that the next line closes.
fn may_be_empty(file: &FileContext<'_>) -> bool {
    let mut open = None;
    file.added().any(|line| {
        let text = line.text.trim_ascii();
        let closes = text == b"}" && open.is_some_and(|before: u32| before + 1 == line.number);
        open = text.ends_with(b"{").then_some(line.number);
        closes || memchr::memmem::find(text, b"{}").is_some()
    })
}

fn is_empty(function: &Function<'_>) -> bool {
    function.body.is_some_and(|body| {
        let inside = body.bytes().strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
        let nothing = inside.is_some_and(|inside| inside.trim_ascii().is_empty());
        let is_block = body.is(Notion::Block) || body.kind() == "function_body";
        is_block && nothing && !function.local && !function.is_test
    })
}

/// Parameters that are not marked as unused.
fn takes_something(function: &Function<'_>) -> bool {
    let parameters = function.parameters();
    parameters.iter().any(|one| one.takes != Takes::Receiver)
        && !parameters.iter().any(|one| one.node.bytes().starts_with(b"_"))
        && function.node.child("type_parameters").is_none()
}

/// Whether nobody else asked for a function of that name: no trait, interface or class above, no framework.
fn is_chosen(function: &Function<'_>) -> bool {
    let node = function.node;
    let header = |around: Node<'_>| {
        let opens = memchr::memchr(b'{', around.bytes()).map(|at| around.range().start + at);
        let end = around.child("body").map(|body| body.range().start).or(opens).unwrap_or(around.range().end);
        let length = end.saturating_sub(around.range().start).min(around.bytes().len());
        around.bytes()[..length].to_vec()
    };
    let own = header(node);
    let outer = node.ancestors().find(|around| around.is(Notion::Type) || around.kind() == "impl_item");
    let inherits = outer.is_some_and(|outer| {
        let header = header(outer);
        let says = |word: &[u8]| memchr::memmem::find(&header, word).is_some();
        outer.kind() == "trait_item"
            || (outer.kind() == "impl_item" && outer.child("trait").is_some())
            || says(b"extends")
            || says(b"implements")
            || says(b"abstract")
            || says(b"interface")
            || says(b"trait ")
            || says(b"protocol ")
            || (header.contains(&b':') && outer.kind() != "impl_item")
            || outer.child("name").is_some_and(|name| BASE_NAME.regex().is_match(name.bytes()))
    });
    const NAMED: [&str; 5] = [
        "function_item",
        "function_declaration",
        "method_definition",
        "method_declaration",
        "function_definition",
    ];
    let named = node.is_kind(&NAMED) && memchr::memmem::find(&own, b"override").is_none();
    let of_interface = node.child("receiver").is_some();
    let marked = own.contains(&b'@') || memchr::memmem::find(&own, b"extern").is_some();
    named
        && !inherits
        && !of_interface
        && !marked
        && function.name != "constructor"
        && !NOTHING.regex().is_match(function.name.as_bytes())
}
