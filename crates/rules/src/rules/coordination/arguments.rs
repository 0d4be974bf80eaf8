//! How many arguments a call gives, as far as it shows.

use crate::language::Language;
use crate::syntax::{Call, Node, Tree};

/// Absent where the call does not show how many arguments it gives.
pub(super) fn counted(call: &Call<'_>) -> Option<u32> {
    let is_macro = call.node.kind() == "macro_invocation";
    let open = has_more_behind(call.node) || is_macro || call.argument_list().is_none();
    let given = call.arguments().filter(|argument| argument.kind() != "block_argument");
    (!open && !call.arguments().any(may_be_several)).then(|| u32::try_from(given.count()).unwrap_or(u32::MAX))
}

/// Whether one argument may stand for any number of them.
fn may_be_several(argument: Node<'_>) -> bool {
    const SPREAD: [&str; 6] = [
        "spread_element",
        "list_splat",
        "dictionary_splat",
        "splat_argument",
        "variadic_argument",
        "spread_expression",
    ];
    let text = argument.bytes();
    let spread = text.starts_with(b"*") || text.starts_with(b"...") || text.ends_with(b"...");
    spread || argument.is_kind(&SPREAD) || is_macro_of_c(argument)
}

/// `PAIR(x)` may be written out as two arguments.
fn is_macro_of_c(argument: Node<'_>) -> bool {
    let of_c = matches!(argument.tree().table().language(), Language::C | Language::Cpp);
    let name = argument.child("function").filter(|_| of_c && argument.kind() == "call_expression");
    let is_shouted = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    name.is_some_and(|name| name.bytes().iter().all(is_shouted))
}

/// Blocks and further lists that stand behind the parentheses and are given as well.
fn has_more_behind(call: Node<'_>) -> bool {
    const BLOCKS: [&str; 2] = ["annotated_lambda", "lambda_literal"];
    let suffix = call.child_of(&["call_suffix"]).unwrap_or(call);
    if call.child_of(&BLOCKS).or_else(|| suffix.child_of(&BLOCKS)).is_some() {
        return true;
    }
    let language = call.tree().table().language();
    // The grammar gives a block to what stands around the call where it may belong to either.
    if language == Language::Swift {
        let behind = call.tree().text().get(call.range().end..).unwrap_or_default();
        return behind.iter().find(|byte| !b" \t".contains(byte)) == Some(&b'{');
    }
    // The grammars of these take what stands behind a call for a call of what came out of it.
    let around = call.parent().filter(|around| around.kind() == call.kind());
    matches!(language, Language::Kotlin | Language::Scala)
        && around.is_some_and(|around| around.children().next() == Some(call))
}

/// Of the arguments that have one.
pub(super) fn names_of_arguments(call: &Call<'_>) -> Vec<String> {
    let named = call.arguments().filter(|argument| argument.kind() == "keyword_argument");
    named.filter_map(|argument| Some(argument.child("name")?.text().into_owned())).collect()
}

/// A call inside of a macro of Rust, where the grammar sees nothing but words.
pub(super) struct Worded {
    pub(super) name: String,
    /// What stands in front of the name.
    pub(super) before: String,
    pub(super) line: u32,
    pub(super) arguments: u32,
}

/// Those that `wanted` knows, in what is given to macros such as `println!`. Only where commas tell the arguments apart.
pub(super) fn in_macros(tree: &Tree, wanted: impl Fn(&str) -> bool) -> Vec<Worded> {
    let words = tree.root().descendants().filter(|node| {
        node.kind() == "identifier" && node.parent().is_some_and(|list| list.kind() == "token_tree")
    });
    let calls = words.filter_map(|word| {
        let list = word.next_sibling().filter(|next| next.kind() == "token_tree")?;
        let name = Some(word.text().into_owned()).filter(|name| wanted(name) && is_evaluated(word))?;
        let arguments = in_parentheses(list.bytes().strip_prefix(b"(")?.strip_suffix(b")")?)?;
        let text = tree.text().get(..word.range().start)?;
        let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:.".contains(byte);
        let from = text.iter().rposition(|byte| !is_path(byte)).map_or(0, |at| at + 1);
        let before = String::from_utf8_lossy(&text[from..]).into_owned();
        Some(Worded { name, before, line: word.line(), arguments })
    });
    calls.collect()
}

/// Whether the macros around a word do nothing with what they are given but to evaluate it.
fn is_evaluated(word: Node<'_>) -> bool {
    const PLAIN: [&str; 31] = [
        "print",
        "println",
        "eprint",
        "eprintln",
        "format",
        "write",
        "writeln",
        "format_args",
        "panic",
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "vec",
        "dbg",
        "matches",
        "todo",
        "unreachable",
        "unimplemented",
        "error",
        "warn",
        "info",
        "debug",
        "trace",
        "anyhow",
        "bail",
        "ensure",
        "join",
        "try_join",
    ];
    let around = word.ancestors().filter(|around| around.is_kind(&["macro_invocation", "macro_definition"]));
    let names = around.map(|one| one.child("macro").map(|path| path.text().into_owned()).unwrap_or_default());
    let mut names = names.peekable();
    names.peek().is_some() && names.all(|path| PLAIN.contains(&path.rsplit("::").next().unwrap_or_default()))
}

/// Not where commas may stand for something else: in texts, closures and lists of types.
fn in_parentheses(inner: &[u8]) -> Option<u32> {
    let inner = inner.trim_ascii();
    let inner = inner.strip_suffix(b",").unwrap_or(inner);
    if inner.iter().any(|byte| b"\"'|<>$".contains(byte)) {
        return None;
    }
    let (mut depth, mut commas) = (0_i32, 0_u32);
    for byte in inner {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => commas += 1,
            _ => {}
        }
    }
    Some(if inner.is_empty() { 0 } else { commas + 1 })
}
