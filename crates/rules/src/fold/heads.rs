//! What stands before the brace that opens the body of a function.

use crate::language::Language;

/// How functions of a language announce themselves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// Words of which one stands before the name.
    words: &'static [&'static [u8]],
    /// Whether a list of parameters is enough, and what may begin between it and the body.
    behind_parameters: Option<&'static [&'static [u8]]>,
    /// Whether an arrow does.
    pub(super) arrows: bool,
}

/// `None` where bodies are not in braces, or braces say too little.
pub(super) fn of(language: Language) -> Option<Heads> {
    let by_word = |words| Some(Heads { words, behind_parameters: None, arrows: false });
    let by_parameters = |behind| Some(Heads { words: &[], behind_parameters: Some(behind), arrows: false });
    match language {
        Language::Rust => by_word(&[b"fn"]),
        Language::Go | Language::Swift => by_word(&[b"func"]),
        Language::Kotlin => by_word(&[b"fun"]),
        Language::Php => by_word(&[FUNCTION]),
        Language::Java => by_parameters(&[b"throws"]),
        Language::CSharp => by_parameters(&[b"where"]),
        Language::C => by_parameters(&[]),
        Language::Cpp => by_parameters(&[b"const", b"noexcept", b"override", b"final", b"->"]),
        Language::JavaScript | Language::TypeScript => {
            Some(Heads { words: &[FUNCTION], behind_parameters: Some(&[b":"]), arrows: true })
        }
        _ => None,
    }
}

const FUNCTION: &[u8] = b"function";

/// What braces with a list in parentheses may be as well.
const BRANCHES: [&[u8]; 22] = [
    b"if",
    b"else",
    b"for",
    b"foreach",
    b"while",
    b"do",
    b"switch",
    b"catch",
    b"finally",
    b"try",
    b"with",
    b"using",
    b"lock",
    b"synchronized",
    b"return",
    b"new",
    b"await",
    b"yield",
    b"case",
    b"default",
    b"throw",
    b"static_assert",
];

const TYPES: [&[u8]; 14] = [
    b"class",
    b"interface",
    b"enum",
    b"record",
    b"struct",
    b"union",
    b"namespace",
    b"object",
    b"trait",
    b"extension",
    b"module",
    b"extern",
    b"protocol",
    b"actor",
];

impl Heads {
    /// Whether this announces a function, strings and comments blanked.
    pub(super) fn announce(&self, head: &[u8]) -> bool {
        let plain = without_lists(head);
        let plain = plain.trim_ascii();
        let is_type = || words(plain).any(|word| TYPES.contains(&word));
        let says_so = |word: &&'static [u8]| !is_type() && is_before_name(plain, word);
        if self.words.iter().any(says_so) {
            return !words(plain).last().is_some_and(|last| TYPES.contains(&last));
        }
        let Some(behind) = self.behind_parameters else { return false };
        let Some(end) = memchr::memrchr(b')', plain) else { return false };
        let rest = plain[end + 1..].trim_ascii();
        // Where statements need no end, there may be several before it.
        let list = memchr::memrchr(b'(', &plain[..end]).unwrap_or(end);
        let (first, named) = (words(plain).next(), words(&plain[..list]).last());
        let is_branch = |word: Option<&[u8]>| word.is_none_or(|word| BRANCHES.contains(&word));
        let is_expected = |sign: &&'static [u8]| {
            rest.strip_prefix(*sign).is_some_and(|rest| !rest.trim_ascii().is_empty() || sign.len() > 1)
        };
        (rest.is_empty() || behind.iter().any(is_expected))
            && !rest.contains(&b',')
            && !plain.contains(&b'=')
            && !plain.contains(&b'?')
            && !is_branch(first)
            && !is_branch(named)
            && !is_type()
    }
}

/// Without what stands in parentheses and square brackets.
fn without_lists(head: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(head.len());
    let mut depth = 0_usize;
    for byte in head {
        let closes = matches!(byte, b')' | b']');
        depth = depth.saturating_sub(usize::from(closes));
        if depth == 0 {
            plain.push(*byte);
        }
        depth += usize::from(matches!(byte, b'(' | b'['));
    }
    plain
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_word(*byte)).filter(|word| !word.is_empty())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether the word stands in the text as one, with a name and parameters behind it. Where a type is spelt like this,
/// parameters follow at once; a function of scripts need not have a name.
fn is_before_name(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find_iter(text, word).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let behind = text.get(at + word.len());
        before.is_none_or(|byte| !is_word(*byte))
            && behind
                .is_some_and(|byte| byte.is_ascii_whitespace() || (word == FUNCTION && b"(*".contains(byte)))
            && memchr::memchr(b'(', &text[at..]).is_some()
    })
}
