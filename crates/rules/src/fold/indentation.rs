use super::Body;
use crate::mask::Kind;
use crate::source::Source;

/// A statement, or the head of one, however many lines it takes.
struct Line {
    /// Of the first byte of its first line.
    start: usize,
    indent: usize,
}

/// The bodies of the outermost functions, in order, each without its last statement: something has to stand there, and
/// the last one keeps the function as long as it is. `None` where brackets are not in pairs, or tabs and spaces are mixed.
pub(super) fn bodies(source: &Source) -> Option<Vec<Body>> {
    let (code, lines) = (source.code(), lines(source)?);
    let starts_with = |line: &Line, word: &[u8]| code[line.start + line.indent..].starts_with(word);
    let is_function = |line: &Line| starts_with(line, b"def ") || starts_with(line, b"async def ");
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(head) = lines.get(at) {
        at += 1;
        if !is_function(head) {
            continue;
        }
        let behind = lines[at..].iter().take_while(|line| line.indent > head.indent).count();
        let (body, end) =
            (&lines[at..at + behind], lines.get(at + behind).map_or(code.len(), |next| next.start));
        at += behind;
        let (Some(first), Some(last)) = (body.first(), body.last()) else { continue };
        if CLAUSES.iter().any(|word| starts_with(last, word)) {
            continue;
        }
        let before = &lines[..at - behind - 1];
        let decorators = before.iter().rev().take_while(|line| starts_with(line, b"@")).last();
        let start = decorators.unwrap_or(head).start;
        found.push(Body { function: start..end, inside: first.start..last.start });
    }
    Some(found)
}

/// What cannot stand alone.
const CLAUSES: [&[u8]; 6] = [b"else", b"elif", b"except", b"finally", b"case", b"@"];

/// Every statement in the order of the text. A comment is none.
fn lines(source: &Source) -> Option<Vec<Line>> {
    let (text, code) = (source.text(), source.code());
    let mut lines = Vec::new();
    let (mut depth, mut goes_on) = (0_usize, false);
    let (mut tabs, mut spaces) = (false, false);
    for number in 1..=source.line_count() {
        let start = source.start_of(number);
        let line = source.line(number);
        let blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let is_written = line.get(blank).is_some_and(|byte| !byte.is_ascii_whitespace());
        if !goes_on && is_written && source.mask().kind(start + blank) != Kind::Comment {
            tabs |= line[..blank].contains(&b'\t');
            spaces |= line[..blank].contains(&b' ');
            lines.push(Line { start, indent: blank });
        }
        for byte in &code[start..start + line.len()] {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        let end = start + line.len();
        let in_string = end < text.len() && source.mask().kind(end) == Kind::String;
        goes_on = depth > 0 || in_string || code[start..end].trim_ascii_end().ends_with(b"\\");
    }
    (depth == 0 && !(tabs && spaces)).then_some(lines)
}
