//! Python functions by indentation, on masked code.

use crate::pattern::Pattern;
use crate::source::Source;

static DEFINITION: Pattern = Pattern::new(r"^([ \t]*)(?:async\s+)?(def|class)\s+(\w+)");

/// A `def` or `class` with everything below it.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) indent: usize,
    /// The line of the `def` or `class`.
    pub(super) line: u32,
    /// The first line of the body: behind the colon that ends the signature.
    pub(super) body: u32,
    /// The last line that is indented below it.
    pub(super) end: u32,
    pub(super) decorated: bool,
    /// The index of the class or function around it.
    pub(super) parent: Option<usize>,
    /// The masked text from the name to the colon.
    pub(super) signature: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Class,
}

/// All definitions of a file, outer ones first.
pub(super) fn definitions(source: &Source) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut last_code = 0;
    let mut decorated = false;
    let mut signature_end = 0;
    for line in 1..=source.line_count() {
        let code = source.code_line(line);
        let trimmed = code.trim_ascii();
        if trimmed.is_empty() || line <= signature_end {
            continue;
        }
        let indent = code.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let continues = matches!(trimmed[0], b')' | b']' | b'}');
        while !continues && open.last().is_some_and(|index| found[*index].indent >= indent) {
            if let Some(index) = open.pop() {
                found[index].end = last_code;
            }
        }
        if let Some(groups) = DEFINITION.regex().captures(code) {
            let name = String::from_utf8_lossy(&groups[3]).into_owned();
            let kind = if &groups[2] == b"def" { Kind::Function } else { Kind::Class };
            let (signature, last) = signature(source, line);
            signature_end = last;
            let parent = open.last().copied();
            open.push(found.len());
            found.push(Definition {
                kind,
                name,
                indent,
                line,
                body: last + 1,
                end: last,
                decorated,
                parent,
                signature,
            });
        }
        decorated = trimmed.starts_with(b"@") || (decorated && continues);
        last_code = line.max(signature_end);
    }
    for index in open {
        found[index].end = last_code;
    }
    found
}

/// The signature's text and its last line; a signature longer than 50 lines is cut there.
fn signature(source: &Source, line: u32) -> (String, u32) {
    let start = source.start_of(line);
    let end = source.start_of(line.saturating_add(50));
    let mut depth = 0usize;
    for (at, byte) in source.code()[start..end].iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => {
                let text = String::from_utf8_lossy(&source.code()[start..start + at]).into_owned();
                return (text, source.line_of(start + at));
            }
            _ => {}
        }
    }
    (String::from_utf8_lossy(source.code_line(line)).into_owned(), line)
}

/// The statements of a body on one line each, without strings and comments; also what follows the colon.
pub(super) fn body<'a>(source: &'a Source, definition: &Definition) -> Vec<&'a [u8]> {
    let signature_line = source.code_line(definition.body - 1);
    let inline = signature_line.iter().rposition(|byte| *byte == b':').map(|at| &signature_line[at + 1..]);
    let below = (definition.body..=definition.end).map(|line| source.code_line(line));
    inline.into_iter().chain(below).map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect()
}
