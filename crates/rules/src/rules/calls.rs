//! What a piece of code calls, as far as its own file does not tell what that does.

use std::collections::HashSet;

use crate::language::Language;
use crate::pattern::Pattern;

/// What stands before the name (`new `, `.`), the name, and what makes it a call.
static CALL: Pattern = Pattern::new(
    r"(\bnew\s+[\w.$]*|[.:])?\b([A-Za-z_$][\w$]*)\s*(!\s*[({\[]|::<[^\n;]{0,80}?>\s*\(|<[\w\s,.<>\[\]]{0,60}>\(|\(|\{)",
);

/// A generic function that does nothing: calling it shows that a type keeps to its bounds.
static BOUND: Pattern = Pattern::new(r"\bfn\s+(\w+)\s*<[^{;(]{1,200}>\s*\([^{;]{0,200}\)[^{;]{0,200}\{\s*\}");

/// Waiting for a value fails if it does.
static AWAITED: Pattern = Pattern::new(r"\bawait\s+[\w$]|\breturn\s+[\w$]");

/// Words that a bracket follows without a call.
#[rustfmt::skip]
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "for" | "while" | "switch" | "match" | "return" | "catch" | "function" | "func" | "fn" | "fun" | "def"
            | "async" | "await" | "in" | "not" | "and" | "or" | "else" | "try" | "do" | "with" | "synchronized"
            | "when" | "loop" | "unsafe" | "move" | "let" | "const" | "var" | "val" | "defer" | "go" | "struct"
            | "interface" | "typeof" | "finally" | "lambda" | "super"
    )
}

/// Functions, methods and macros that everybody knows to assert nothing.
#[rustfmt::skip]
fn is_harmless(word: &str) -> bool {
    matches!(
        word,
        "print" | "println" | "printf" | "eprint" | "eprintln" | "dbg" | "pprint" | "log" | "logf" | "info" | "debug"
            | "warn" | "warning" | "format" | "format_args" | "sprintf" | "sprint" | "sprintln" | "new" | "default"
            | "clone" | "deepcopy" | "sleep" | "push" | "append" | "len" | "length" | "vec" | "to_string"
            | "tostring" | "to_owned" | "to_vec" | "into" | "as_str" | "as_ref" | "as_bytes" | "iter" | "into_iter"
            | "collect" | "enumerate" | "range" | "drop" | "str" | "int" | "float" | "bool" | "list" | "dict"
            | "tuple" | "bytes" | "repr" | "sorted" | "string" | "make" | "cap" | "parallel" | "helper" | "aslist"
            | "listof" | "mapof" | "setof" | "arrayof" | "stringify" | "with_capacity"
    )
}

/// Offsets of calls of what is neither defined in the file nor known to be harmless. What is called with its
/// type alone, as `is_send::<T>()`, counts as well: the compiler checks it. Sorted.
pub(super) fn calls_out(code: &[u8], language: Language, defined: &HashSet<&[u8]>) -> Vec<usize> {
    let mut bounds: HashSet<&[u8]> = HashSet::new();
    if language == Language::Rust {
        let names = BOUND.regex().captures_iter(code).filter_map(|groups| groups.get(1));
        bounds.extend(names.map(|name| name.as_bytes()));
    }
    let mut found: Vec<usize> = Vec::new();
    let mut from = 0;
    while let Some(groups) = CALL.regex().captures_at(code, from) {
        let (Some(name), Some(opening)) = (groups.get(2), groups.get(3)) else { break };
        from = opening.start().max(name.end());
        let constructs = groups.get(1).is_some_and(|before| before.as_bytes().starts_with(b"new"))
            || (name.as_bytes()[0].is_ascii_uppercase()
                && matches!(language, Language::Rust | Language::Python | Language::Kotlin));
        let block = opening.as_bytes() == b"{";
        if constructs || (block && language != Language::Kotlin) {
            continue;
        }
        let checked_by_compiler = opening.as_bytes().starts_with(b"::<") || bounds.contains(name.as_bytes());
        let word = String::from_utf8_lossy(name.as_bytes()).to_ascii_lowercase();
        let known = is_keyword(&word) || is_harmless(&word);
        if !known && (checked_by_compiler || !defined.contains(name.as_bytes())) {
            found.push(name.start());
        }
    }
    if matches!(language, Language::JavaScript | Language::TypeScript | Language::Python) {
        found.extend(AWAITED.regex().find_iter(code).map(|found| found.start()));
        found.sort_unstable();
    }
    found
}
