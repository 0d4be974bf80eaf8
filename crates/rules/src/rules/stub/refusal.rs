//! Statements that say "not implemented", language by language.

use crate::language::Language;
use crate::pattern::Pattern;
use crate::syntax::{Node, Notion};

// `Todo not found` is about an item of somebody's list, `TODO` and `todo: later` are not.

static SCRIPT: Pattern = Pattern::new(
    r#"(?i)^throw\s+(?:new\s+)?\w*Error\(\s*["'`](?:method |function )?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]|implement me)"#,
);
static JVM: Pattern = Pattern::new(
    r#"(?i)^throw\s+(?:new\s+)?(?:NotImplemented\w*\(|\w*(?:Exception|Error)\(\s*"(?:method )?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]|implement me))"#,
);
static CSHARP: Pattern = Pattern::new(r"^throw\s+new\s+(?:System\.)?NotImplementedException\(");
static PHP: Pattern = Pattern::new(
    r#"(?i)^throw\s+new\s+\\?\w*(?:Exception|Error)\(\s*["'](?:method )?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
static GO: Pattern = Pattern::new(
    r#"(?i)^panic\(\s*(?:errors\.New\(\s*|fmt\.(?:Sprintf|Errorf)\(\s*)?["`](?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]|implement me)"#,
);
static GO_ERROR: Pattern = Pattern::new(
    r#"(?i)^return\b[^"]{0,60}(?:errors\.New|fmt\.Errorf)\(\s*"(?:[\w.]+:? (?:is )?)?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
static SWIFT: Pattern = Pattern::new(
    r#"(?i)^(?:fatalError|preconditionFailure)\(\s*"(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
static RUBY: Pattern = Pattern::new(
    r#"(?i)^raise[\s(]+(?:(?:::)?NotImplementedError(?:\.new)?\s*\)?\s*(?:$|[,(]\s*["'](?:not (?:yet )?implemented|(?-i:TODO)\b|todo\s*[:!"'`]))|["'](?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]))"#,
);

static CPP: Pattern = Pattern::new(
    r#"(?i)^throw\s+(?:std::)?(?:logic_error|runtime_error|exception)\s*[({]\s*"(?:[\w:]+ (?:is )?)?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
static C: Pattern = Pattern::new(
    r#"(?i)^(?:assert|static_assert)\s*\(\s*!\s*"(?:[\w:]+ (?:is )?)?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
static SCALA: Pattern = Pattern::new(
    r#"(?i)^throw\s+new\s+(?:NotImplementedError|\w*(?:Exception|Error)\(\s*"(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]))"#,
);

/// So much of a statement is read.
const LONGEST: usize = 400;

pub(super) fn said(node: Node<'_>) -> &[u8] {
    let bytes = node.bytes();
    &bytes[..bytes.len().min(LONGEST)]
}

/// What a node says in place of an implementation, as it is usually written.
pub(super) fn refusal(node: Node<'_>, language: Language) -> Option<String> {
    let throws = |pattern: &Pattern| node.is(Notion::Throw) && pattern.regex().is_match(said(node));
    let calls = |pattern: &Pattern| node.is(Notion::Call) && pattern.regex().is_match(said(node));
    let what = match language {
        Language::Rust => return in_rust(node),
        Language::JavaScript | Language::TypeScript if throws(&SCRIPT) => {
            "throw new Error(\"not implemented\")"
        }
        Language::Kotlin if is_todo(node) => "TODO()",
        Language::Java | Language::Kotlin if throws(&JVM) => "throw \"not implemented\"",
        Language::CSharp if throws(&CSHARP) => "throw new NotImplementedException()",
        Language::Php if throws(&PHP) => "throw \"not implemented\"",
        Language::Go if calls(&GO) => "panic(\"not implemented\")",
        Language::Go if node.is(Notion::Return) && GO_ERROR.regex().is_match(said(node)) => {
            "return \"not implemented\""
        }
        Language::Swift if calls(&SWIFT) => "fatalError(\"not implemented\")",
        Language::Cpp if throws(&CPP) => "throw \"not implemented\"",
        Language::C | Language::Cpp if calls(&C) => "assert(!\"not implemented\")",
        Language::Scala if node.kind() == "operator_identifier" && node.bytes() == b"???" => "???",
        Language::Scala if throws(&SCALA) => "throw \"not implemented\"",
        Language::Ruby if calls(&RUBY) => "raise NotImplementedError",
        _ => return None,
    };
    Some(what.to_owned())
}

fn is_todo(node: Node<'_>) -> bool {
    node.call().is_some_and(|call| call.callee() == b"TODO")
}

/// A panic that says so; and where that is all a function does, an error that does.
static RUST_PANIC: Pattern = Pattern::new(
    r#"(?i)^(?:(?:std|core)::)?(?:panic|unreachable)!\s*[(\[{]\s*"(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]|implement me)"#,
);
static RUST_ERROR: Pattern = Pattern::new(
    r#"(?i)^(?:(?:\w+::)?bail!|Err)\s*\(\s*(?:[\w:]{0,40}!?\(\s*)?"(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
/// An answer that a protocol has for what a server does not offer.
static RUST_ANSWER: Pattern = Pattern::new(r"(?i)::(?:unimplemented|unsupported|not_?implemented)\w*\(");

fn says_so_in_rust(node: Node<'_>) -> Option<&'static str> {
    let text = said(node);
    match node.kind() {
        "macro_invocation" if RUST_PANIC.regex().is_match(text) => Some(panics_with(text)),
        "macro_invocation" | "call_expression"
            if RUST_ERROR.regex().is_match(text)
                && !RUST_ANSWER.regex().is_match(text)
                && is_whole_body(node) =>
        {
            Some("Err(\"not implemented\")")
        }
        _ => None,
    }
}

fn panics_with(text: &[u8]) -> &'static str {
    let is_unreachable = memchr::memmem::find(text, b"unreachable!").is_some();
    if is_unreachable { "unreachable!(\"not implemented\")" } else { "panic!(\"not implemented\")" }
}

/// Whether there is nothing else in the function around it.
fn is_whole_body(node: Node<'_>) -> bool {
    const BETWEEN: [&str; 3] = ["expression_statement", "return_expression", "block"];
    let body = std::iter::once(node)
        .chain(node.ancestors().take_while(|around| around.is_kind(&BETWEEN)))
        .last()
        .unwrap_or(node);
    let alone =
        |around: Node<'_>| around.named_children().filter(|inner| !inner.is(Notion::Comment)).count() == 1;
    body.kind() == "block"
        && body.parent().is_some_and(|function| function.kind() == "function_item")
        && std::iter::successors(Some(node), Node::parent)
            .skip(1)
            .take_while(|around| around.range() != body.range() && body.contains(*around))
            .chain([body])
            .all(alone)
}

/// A call of the macro, or the same as a word and a mark inside another macro.
fn in_rust(node: Node<'_>) -> Option<String> {
    if let Some(what) = says_so_in_rust(node) {
        return Some(what.to_owned());
    }
    let path = match node.kind() {
        "macro_invocation" => node.child("macro")?,
        "identifier" => {
            let mark = node.next_sibling().filter(|mark| mark.kind() == "!")?;
            let group = mark.next_sibling().filter(|group| group.kind() == "token_tree")?;
            group.parent().filter(|around| around.kind() == "token_tree")?;
            node
        }
        _ => return None,
    };
    let text = path.text();
    let name = ["std::", "core::"].iter().find_map(|root| text.strip_prefix(root)).unwrap_or(&text);
    ["todo", "unimplemented"].contains(&name).then(|| format!("{text}!()"))
}
