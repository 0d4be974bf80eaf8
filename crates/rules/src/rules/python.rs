//! Python functions by indentation, on masked code.

use crate::pattern::Pattern;
use crate::source::Source;

static DEFINITION: Pattern = Pattern::new(r"^[ \t]*(?:async\s+)?(?:def|class)\s+\w");

/// A `def` or `class` that is still open.
struct Open {
    indent: usize,
    index: usize,
}

/// The first and the last line of every `def` and `class`, outer ones first.
pub(super) fn definitions(source: &Source) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut last_code = 0;
    let mut signature_end = 0;
    for line in 1..=source.line_count() {
        let code = source.code_line(line);
        let trimmed = code.trim_ascii();
        if trimmed.is_empty() || line <= signature_end {
            continue;
        }
        let indent = code.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let continues = matches!(trimmed[0], b')' | b']' | b'}');
        while !continues && open.last().is_some_and(|one| one.indent >= indent) {
            if let Some(one) = open.pop() {
                found[one.index].1 = last_code;
            }
        }
        if DEFINITION.regex().is_match(code) {
            signature_end = signature_end_of(source, line);
            open.push(Open { indent, index: found.len() });
            found.push((line, signature_end));
        }
        last_code = line.max(signature_end);
    }
    for one in open {
        found[one.index].1 = last_code;
    }
    found
}

/// The last line of a signature; one that is longer than 50 lines is cut at its first.
fn signature_end_of(source: &Source, line: u32) -> u32 {
    let start = source.start_of(line);
    let end = source.start_of(line.saturating_add(50));
    let mut depth = 0usize;
    for (at, byte) in source.code()[start..end].iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return source.line_of(start + at),
            _ => {}
        }
    }
    line
}
