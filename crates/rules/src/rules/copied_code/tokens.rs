//! The words of a function, with names and values taken out. Read from the text, not from a tree: of most files that the
//! change touches, most bodies are not parsed.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::Token;
use crate::language::Language;
use crate::mask::Kind;
use crate::source::Source;
use crate::syntax::Function;

/// The bytes of a body. In a tree that leaves bodies out, one of Python begins with its last statement.
pub(super) fn extent(function: &Function<'_>, source: &Source) -> Option<Range<usize>> {
    let body = function.body?;
    if function.node.tree().table().language() != Language::Python {
        return Some(body.range());
    }
    let head = ["return_type", "parameters"].iter().find_map(|part| function.node.child(part));
    let from = head.map_or(body.range().start, |head| head.range().end);
    let colon = memchr::memchr(b':', source.code().get(from..body.range().end)?);
    Some(colon.map_or(body.range().start, |colon| from + colon + 1)..body.range().end)
}

/// There are no more tokens than this in a text, whatever of it is in strings and comments. Most functions are too short for
/// a copy to be told, and this is soon known.
pub(super) fn most_tokens(text: &[u8]) -> usize {
    let mut within = false;
    let begins = |byte: &&u8| {
        let is_word = is_word(**byte);
        let goes_on = std::mem::replace(&mut within, is_word) && is_word;
        !goes_on && !byte.is_ascii_whitespace()
    };
    text.iter().filter(begins).count()
}

/// A text as it was read.
pub(super) struct Reading {
    pub(super) tokens: Vec<Token>,
    /// A hash over all tokens in which every name is the same, also of what is called and of fields.
    pub(super) shape: u64,
    /// How often the text goes one way or another.
    pub(super) turns: u32,
}

impl Reading {
    fn push(&mut self, token: Token, shape: u64) {
        self.shape = self.shape.rotate_left(7).wrapping_mul(0x0100_0000_01b3) ^ shape;
        self.tokens.push(token);
    }
}

/// Variables and values are all the same; what is called and which field is read is not: code that does the same to other
/// things is a copy, code that does something else to them is not.
pub(super) fn read(source: &Source, range: Range<usize>) -> Reading {
    let (code, mask) = (source.code(), source.mask());
    let mut found = Reading { tokens: Vec::with_capacity(range.len() / 4), shape: 0, turns: 0 };
    let name = hashed(b"a");
    let mut line = source.line_of(range.start);
    let mut at = range.start;
    while let Some(&byte) = code.get(at).filter(|_| at < range.end) {
        let start = at;
        if mask.kind(at) == Kind::String {
            at += (at..range.end).take_while(|at| mask.kind(*at) == Kind::String).count();
            let hash = hashed(b"\"\"");
            found.push(Token { hash, line }, hash);
            line = line.saturating_add(lines_in(&code[start..at]));
        } else if is_word(byte) {
            at += code[at..range.end].iter().take_while(|byte| is_word(**byte)).count();
            let (hash, text) = (word(code, start..at), &code[start..at]);
            let is_name = is_name(text);
            found.turns += u32::from(!is_name && TURNS.contains(&text));
            found.push(Token { hash, line }, if is_name { name } else { hash });
        } else if OPERATOR.contains(&byte) {
            at += code[at..range.end].iter().take_while(|byte| OPERATOR.contains(byte)).count();
            let hash = hashed(&code[start..at]);
            found.push(Token { hash, line }, hash);
        } else {
            at += 1;
            line = line.saturating_add(u32::from(byte == b'\n'));
            if !byte.is_ascii_whitespace() {
                let hash = hashed(&[byte]);
                found.push(Token { hash, line }, hash);
            }
        }
    }
    found
}

/// Tables are written with `match` and `case`, which are not meant.
const TURNS: [&[u8]; 13] = [
    b"if", b"elif", b"elsif", b"elseif", b"unless", b"guard", b"for", b"foreach", b"while", b"until",
    b"loop", b"catch", b"except",
];

/// Whether a word was chosen by who wrote the text.
fn is_name(word: &[u8]) -> bool {
    !word[0].is_ascii_digit() && !is_fixed(word)
}

/// The names of a text, in its order.
pub(super) fn names(source: &Source, range: Range<usize>) -> Vec<&[u8]> {
    let (code, mask) = (source.code(), source.mask());
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end.min(code.len()) {
        let length = code[at..range.end.min(code.len())].iter().take_while(|byte| is_word(**byte)).count();
        let word = &code[at..at + length];
        if length > 0 && mask.kind(at) != Kind::String && is_name(word) {
            found.push(word);
        }
        at += length.max(1);
    }
    found
}

const OPERATOR: &[u8] = b"=!<>+-*/%&|^:";

fn lines_in(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn word(code: &[u8], range: Range<usize>) -> u64 {
    let word = &code[range.clone()];
    let before = &code[..range.start];
    let is_member = before.ends_with(b".") || before.ends_with(b"->");
    let is_called = code.get(range.end).is_some_and(|next| matches!(next, b'(' | b'!'));
    let is_told = || is_fixed(word) || is_command(before, &code[range.end..]);
    match word[0] {
        b'0'..=b'9' => hashed(b"0"),
        b'a'..=b'z' | b'_' if !is_member && !is_called && !is_told() => hashed(b"a"),
        _ => hashed(word),
    }
}

fn hashed(text: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Whether a word begins a line and is followed by another: a call without brackets, or a type.
fn is_command(before: &[u8], behind: &[u8]) -> bool {
    let begins =
        before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| *byte == b'\n');
    begins && matches!(behind, [b' ', next, ..] if is_word(*next) || b"@$*&".contains(next))
}

/// Whether it belongs to the language, one of those that we look at. In order, to be searched.
fn is_fixed(word: &[u8]) -> bool {
    FIXED.binary_search(&word).is_ok()
}

const FIXED: [&[u8]; 145] = [
    b"and",
    b"any",
    b"array",
    b"as",
    b"assert",
    b"async",
    b"auto",
    b"await",
    b"begin",
    b"bool",
    b"boolean",
    b"break",
    b"byte",
    b"case",
    b"catch",
    b"chan",
    b"char",
    b"class",
    b"const",
    b"continue",
    b"crate",
    b"debugger",
    b"decimal",
    b"def",
    b"default",
    b"defer",
    b"del",
    b"delete",
    b"do",
    b"double",
    b"dyn",
    b"echo",
    b"elif",
    b"else",
    b"elseif",
    b"elsif",
    b"end",
    b"endif",
    b"ensure",
    b"enum",
    b"except",
    b"extends",
    b"f32",
    b"f64",
    b"false",
    b"fileprivate",
    b"final",
    b"finally",
    b"float",
    b"fn",
    b"for",
    b"foreach",
    b"from",
    b"fun",
    b"func",
    b"function",
    b"given",
    b"global",
    b"go",
    b"goto",
    b"guard",
    b"i32",
    b"i64",
    b"if",
    b"impl",
    b"implicit",
    b"import",
    b"in",
    b"inout",
    b"instanceof",
    b"int",
    b"interface",
    b"internal",
    b"is",
    b"isset",
    b"lambda",
    b"lazy",
    b"let",
    b"lock",
    b"long",
    b"loop",
    b"map",
    b"match",
    b"module",
    b"move",
    b"mut",
    b"new",
    b"nil",
    b"nonlocal",
    b"not",
    b"null",
    b"nullptr",
    b"object",
    b"open",
    b"operator",
    b"or",
    b"out",
    b"override",
    b"params",
    b"pass",
    b"private",
    b"protected",
    b"public",
    b"raise",
    b"range",
    b"ref",
    b"rescue",
    b"rethrow",
    b"return",
    b"sealed",
    b"select",
    b"self",
    b"short",
    b"signed",
    b"sizeof",
    b"static",
    b"str",
    b"string",
    b"struct",
    b"super",
    b"switch",
    b"template",
    b"then",
    b"this",
    b"throw",
    b"throws",
    b"true",
    b"try",
    b"typename",
    b"typeof",
    b"undefined",
    b"unless",
    b"unset",
    b"unsigned",
    b"until",
    b"using",
    b"usize",
    b"val",
    b"var",
    b"void",
    b"when",
    b"where",
    b"while",
    b"with",
    b"yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &'static str) -> Vec<u64> {
        let source = Source::new(text.into(), Language::Rust);
        read(&source, 0..text.len()).tokens.into_iter().map(|token| token.hash).collect()
    }

    #[test]
    fn names_and_values_do_not_count_but_calls_and_fields_do() {
        assert_eq!(hashes("let a = f(b, 1) + c.d;"), hashes("let x = f(\ny /* z */, 22) + w.d;"));
        assert_ne!(hashes("f(b)"), hashes("g(b)"));
        assert_ne!(hashes("c.d"), hashes("c.e"));
        assert_ne!(hashes("if a { b }"), hashes("while a { b }"));
        assert_eq!(hashes("f(\"a\nb\")"), hashes("f(\"x\")"));
    }

    #[test]
    fn code_has_one_shape_whatever_it_calls() {
        let shape = |text: &'static str| read(&Source::new(text.into(), Language::Rust), 0..text.len()).shape;
        assert_eq!(shape("if f(b, 1) { c.d }"), shape("if g(x, 22) { y.z }"));
        assert_ne!(shape("if f(b) { c.d }"), shape("while f(b) { c.d }"));
        assert_ne!(shape("f(b)"), shape("f(b, c)"));
        assert_ne!(shape("f(b)"), shape("f(1)"));
    }

    #[test]
    fn an_estimate_is_never_too_low() {
        for text in ["a", "a b", "a.b(c, 1)", "x => `y`", "f(\"a b\") // c", " ", ""] {
            let source = Source::new(text.into(), Language::TypeScript);
            assert!(most_tokens(text.as_bytes()) >= read(&source, 0..text.len()).tokens.len(), "{text}");
        }
    }

    #[test]
    fn each_word_knows_its_line() {
        let source = Source::new("a\n\"b\nc\" d\n\n// e\nf".into(), Language::Rust);
        let lines: Vec<u32> =
            read(&source, 0..source.text().len()).tokens.iter().map(|one| one.line).collect();
        assert_eq!(lines, [1, 2, 3, 6]);
    }

    #[test]
    fn words_of_languages_are_in_order() {
        assert!(FIXED.is_sorted());
    }
}
