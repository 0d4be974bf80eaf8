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
    r#"(?i)^(?:fatalError|preconditionFailure)\(\s*"(?:(?:\w+(?:\([\w:]*\))?|this|method) (?:is |has )?)?(?:not (?:yet )?(?:been )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`])"#,
);
/// What the editor writes for an initialiser that a class has to have and nobody calls.
static SWIFT_REQUIRED: Pattern = Pattern::new(r#"^\w+\(\s*"init\("#);
static RUBY: Pattern = Pattern::new(
    r#"(?i)^raise[\s(]+(?:(?:::)?NotImplementedError(?:\.new)?\s*\)?\s*(?:$|[,(]\s*["'](?:not (?:yet )?implemented|(?-i:TODO)\b|todo\s*[:!"'`]))|["'](?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]))"#,
);
static RUBY_WORDED: Pattern = Pattern::new(
    r#"(?i)^raise[\s(]+(?:::)?NotImplementedError(?:\.new)?\s*[,(]\s*["'][^"'#\n]{1,80}\b(?:not (?:yet )?(?:been )?(?:implemented|available|written|ready|done)|coming soon|work in progress)"#,
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
    let refuses = match language {
        Language::Rust => return in_rust(node),
        Language::JavaScript | Language::TypeScript => throws(&SCRIPT),
        Language::Kotlin => is_todo(node) || throws(&JVM),
        Language::Java => throws(&JVM),
        Language::CSharp => throws(&CSHARP),
        Language::Php => throws(&PHP),
        Language::Go => calls(&GO) || (node.is(Notion::Return) && GO_ERROR.regex().is_match(said(node))),
        Language::Swift => calls(&SWIFT) && !SWIFT_REQUIRED.regex().is_match(said(node)),
        Language::Cpp => throws(&CPP) || calls(&C),
        Language::C => calls(&C),
        Language::Scala => (node.kind() == "operator_identifier" && node.bytes() == b"???") || throws(&SCALA),
        Language::Ruby => calls(&RUBY) || is_worded(node, language),
        _ => false,
    };
    refuses.then(|| quoted(node))
}

/// Whether Ruby's error comes with a sentence of its own, as it also does where an heir is to write the method.
pub(super) fn is_worded(node: Node<'_>, language: Language) -> bool {
    language == Language::Ruby
        && node.is(Notion::Call)
        && RUBY_WORDED.regex().is_match(said(node))
        && !RUBY.regex().is_match(said(node))
}

/// As much of it as a sentence can bear.
const LONGEST_QUOTE: usize = 80;

/// What stands there, on one line.
fn quoted(node: Node<'_>) -> String {
    let text = String::from_utf8_lossy(said(node)).into_owned();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(';');
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
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

fn says_so_in_rust(node: Node<'_>) -> bool {
    let text = said(node);
    let fails =
        || RUST_ERROR.regex().is_match(text) && !RUST_ANSWER.regex().is_match(text) && is_whole_body(node);
    match node.kind() {
        "macro_invocation" => RUST_PANIC.regex().is_match(text) || fails(),
        "call_expression" => fails(),
        _ => false,
    }
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
    if says_so_in_rust(node) {
        return Some(quoted(node));
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
    let is_whole = node.kind() == "macro_invocation";
    let known = ["todo", "unimplemented"].contains(&name);
    known.then(|| if is_whole { quoted(node) } else { format!("{text}!()") })
}
