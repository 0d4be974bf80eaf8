//! What a "not implemented" may mean besides that somebody forgot to write it.

use std::collections::HashSet;
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

static EXTENDED: Pattern = Pattern::new(r"\bextends\s+([A-Za-z_$][\w$]*)");

/// Reads the statements of one file.
pub(super) struct Reader<'a> {
    file: &'a FileContext<'a>,
    /// The names that classes of the file inherit from.
    extended: HashSet<Vec<u8>>,
}

impl<'a> Reader<'a> {
    pub(super) fn of(file: &'a FileContext<'a>) -> Self {
        let code = file.head().map(Source::code).unwrap_or_default();
        let extended = EXTENDED.regex().captures_iter(code).map(|groups| groups[1].to_vec()).collect();
        Reader { file, extended }
    }

    pub(super) fn read(&self, line: &AddedLine<'_>, at: &Range<usize>) -> Reading {
        let said = line.text.get(at.start..).unwrap_or_default();
        let rust = self.file.language == Language::Rust;
        if !rust && BUILT.regex().is_match(said) {
            return Reading::Guard;
        }
        if KNOWN.regex().is_match(said) || (rust && RUST_VALUE.regex().is_match(said)) {
            return Reading::Known;
        }
        let left = self.file.head().is_some_and(|head| self.is_left_to_others(head, line.number, at.start));
        if left { Reading::Abstract } else { Reading::Stub }
    }

    fn is_left_to_others(&self, head: &Source, line: u32, column: usize) -> bool {
        let code = head.code();
        let mut offset = head.start_of(line) + column;
        for _ in 0..MOST_BLOCKS {
            let Some(open) = head.brackets().around(code, offset, b'{') else { return false };
            let above = open.saturating_sub(LONGEST_HEADER);
            let end_before = code[above..open].iter().rposition(|byte| b";{}".contains(byte));
            let from = end_before.map_or(above, |at| above + at + 1);
            if LEFT_TO_OTHERS.regex().is_match(&head.text()[from..open]) {
                return true;
            }
            let header = &code[from..open];
            if let Some(groups) = TYPE.regex().captures(header) {
                return BASE_NAME.regex().is_match(&groups[1])
                    || memchr::memmem::find(header, b"abstract ").is_some()
                    || self.extended.contains(&groups[1]);
            }
            offset = open;
        }
        false
    }
}

/// More blocks around a statement than anybody nests.
const MOST_BLOCKS: usize = 8;

/// How far in front of a block its header and the comment on it are looked for. In bytes.
const LONGEST_HEADER: usize = 600;
