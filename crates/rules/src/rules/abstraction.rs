//! What a "not implemented" may mean besides that somebody forgot to write it.

use std::ops::Range;

use super::stub::BASE_NAME;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::source::Source;

/// How a statement that says "not implemented" is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It refuses a value at run time, which its message names.
    Guard,
    /// It names the platform it does not support, or the ticket that will do it.
    Known,
    /// A subclass is meant to do it, or the type only stands in for another.
    Abstract,
    Stub,
}

/// A message that is put together from values.
static BUILT: Pattern = Pattern::new(r#"["'`]\s*\+|\$\{|["`]\s*,\s*[\w&]|%[svdqw]"#);

static KNOWN: Pattern = Pattern::new(
    r#"(?i)#\d+|\b[A-Z][A-Z0-9]+-\d+\b|https?://|\b(?:windows|linux|mac ?os|unix|android|ios|wasm\d*|platforms?|unsupported|not supported)\b"#,
);

static RUST_VALUE: Pattern = Pattern::new(r#"unimplemented!\s*[(\[{]\s*"[^"\n]*\{"#);

/// The header of a class, an implementation or an interface, with the name that tells what it is for.
static TYPE: Pattern = Pattern::new(
    r"\b(?:class|interface|trait|object|impl(?:\s*<[^>\n]*>)?(?:\s+[\w:<>, ]+\s+for)?)\s+([A-Za-z_$][\w$]*)",
);

static LEFT_TO_OTHERS: Pattern =
    Pattern::new(r"(?i)overrid|subclass|@abstract|implementers?\b|derived class");

pub(super) fn reading(file: &FileContext<'_>, line: &AddedLine<'_>, at: Range<usize>) -> Reading {
    let said = line.text.get(at.start..).unwrap_or_default();
    let rust = file.language == Language::Rust;
    if !rust && BUILT.regex().is_match(said) {
        return Reading::Guard;
    }
    if KNOWN.regex().is_match(said) || (rust && RUST_VALUE.regex().is_match(said)) {
        return Reading::Known;
    }
    let left = file.head().is_some_and(|head| is_left_to_others(head, line.number, at.start));
    if left { Reading::Abstract } else { Reading::Stub }
}

/// More blocks around a statement than anybody nests.
const MOST_BLOCKS: usize = 8;

/// How far above a block its header and the comment on it begin.
const LINES_ABOVE: u32 = 6;

fn is_left_to_others(head: &Source, line: u32, column: usize) -> bool {
    let code = head.code();
    let mut offset = head.start_of(line) + column;
    for _ in 0..MOST_BLOCKS {
        let Some(open) = head.brackets().around(code, offset, b'{') else { return false };
        let opening = head.line_of(open);
        let above = head.start_of(opening.saturating_sub(LINES_ABOVE).max(1));
        let from = code[above..open]
            .iter()
            .rposition(|byte| b";{}".contains(byte))
            .map_or(above, |at| above + at + 1);
        let header = &code[from..open];
        if LEFT_TO_OTHERS.regex().is_match(&head.text()[from..open]) {
            return true;
        }
        if let Some(groups) = TYPE.regex().captures(header) {
            let name = &groups[1];
            return BASE_NAME.regex().is_match(name)
                || memchr::memmem::find(header, b"abstract ").is_some()
                || is_extended(code, name);
        }
        offset = open;
    }
    false
}

/// Whether another class of the file extends it.
fn is_extended(code: &[u8], name: &[u8]) -> bool {
    memchr::memmem::find_iter(code, b"extends ").take(1000).any(|at| {
        let heir = code[at + 8..].trim_ascii_start();
        heir.starts_with(name)
            && !heir.get(name.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    })
}
