//! Tokens that code puts together from several texts: `"AK" + "IA..."`, `"ghp_" "..."`, `["ghp_", "..."].join("")`.
//!
//! Only what an issuer's prefix opens is looked for there. What is merely called a password, or looks random, says
//! nothing any more once texts were glued.

use std::ops::Range;

/// A longer text is data.
const LONGEST_PIECE: usize = 2_000;
/// More pieces are a table.
const MOST_PIECES: usize = 64;
/// Between two pieces: a sign, and the indentation of the next line.
const LONGEST_JOINT: usize = 160;

/// Texts that become one, without what stands between them.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) text: Vec<u8>,
    /// What each piece is in the source.
    pieces: Vec<Range<usize>>,
}

impl Chain {
    fn of(source: &[u8], pieces: Vec<Range<usize>>) -> Chain {
        let text = pieces.iter().flat_map(|piece| &source[piece.clone()]).copied().collect();
        Chain { text, pieces }
    }

    /// Where in the source a part of the whole stands, if it stands in more than one piece.
    pub(super) fn across(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let (first, start) = self.place(part.start)?;
        let (last, end) = self.place(part.end.checked_sub(1)?)?;
        (first < last).then(|| start..end + 1)
    }

    fn place(&self, at: usize) -> Option<(usize, usize)> {
        let mut passed = 0;
        self.pieces.iter().enumerate().find_map(|(number, piece)| {
            let inside = at.checked_sub(passed).filter(|inside| *inside < piece.len());
            passed += piece.len();
            Some((number, piece.start + inside?))
        })
    }
}

/// What is between two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `+`, `.`, `&`, `||`, or nothing at all.
    Sign,
    /// They are items of a list, which may be joined or not.
    Comma,
}

/// Every chain in the text. Quotes are taken in pairs, each with the next of its kind; where a pair was none, nothing
/// that looks like a token comes of it. The ways from quotes to the next of their kind make up the text thrice at most.
pub(super) fn chains(text: &[u8]) -> Vec<Chain> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = next_quote(text, at) {
        let (pieces, by_comma) = follow(text, open);
        at = match pieces.last() {
            Some(last) if pieces.len() > 1 => last.end + 1,
            _ => open + 1,
        };
        if pieces.len() > 1 && (!by_comma || is_joined(text, &pieces)) {
            found.push(Chain::of(text, pieces));
        }
    }
    found
}

fn next_quote(text: &[u8], from: usize) -> Option<usize> {
    memchr::memchr3(b'"', b'\'', b'`', text.get(from..)?).map(|at| from + at)
}

fn follow(text: &[u8], open: usize) -> (Vec<Range<usize>>, bool) {
    let (mut pieces, mut by_comma, mut open) = (Vec::new(), false, Some(open));
    while let Some(piece) = open.and_then(|open| piece(text, open)) {
        let next = behind_joint(text, piece.end);
        pieces.push(piece);
        open = None;
        if let Some((joint, next)) = next.filter(|_| pieces.len() < MOST_PIECES) {
            // In `["a" + "b", "c"]` the first two are what can be told.
            if joint == Joint::Comma && !by_comma && pieces.len() > 1 {
                break;
            }
            by_comma |= joint == Joint::Comma;
            open = Some(next);
        }
    }
    (pieces, by_comma)
}

/// The text that a quote opens, on one line.
fn piece(text: &[u8], open: usize) -> Option<Range<usize>> {
    let quote = *text.get(open)?;
    let reach = &text[open + 1..text.len().min(open + 2 + LONGEST_PIECE)];
    let end = memchr::memchr2(quote, b'\n', reach)?;
    (reach[end] == quote).then(|| open + 1..open + 1 + end)
}

/// Where the next text opens.
fn behind_joint(text: &[u8], close: usize) -> Option<(Joint, usize)> {
    let reach = text.get(close + 1..text.len().min(close + 1 + LONGEST_JOINT))?;
    let is_blank = |byte: u8| byte.is_ascii_whitespace() || byte == b'\\';
    let (mut between, mut signs, mut commas) = (0, 0, 0);
    while let Some(byte) = reach.get(between) {
        let comment = comment_at(&reach[between..]);
        match byte {
            _ if comment > 0 => between += comment,
            byte if is_blank(*byte) => between += 1,
            b'+' | b'.' | b'&' | b'|' | b',' => {
                signs += 1;
                commas += usize::from(*byte == b',');
                between += 1;
            }
            _ => break,
        }
    }
    // Two lines of a diff may have a sign in front each.
    let joint = match (signs, commas) {
        (0..=3, 0) => Joint::Sign,
        (1..=2, 1) => Joint::Comma,
        _ => return None,
    };
    let kind = reach[between..].iter().take(2).take_while(|byte| b"bBrRuULN@$".contains(byte)).count();
    let next = between + kind;
    let opens = reach.get(next).is_some_and(|byte| b"\"'`".contains(byte));
    (between > 0 && opens).then_some((joint, close + 1 + next))
}

/// How long the comment is that begins here, up to the end of its line.
pub(super) fn comment_at(text: &[u8]) -> usize {
    match text {
        [b'/', b'*', rest @ ..] => memchr::memmem::find(rest, b"*/").map_or(0, |end| end + 4),
        [b'/', b'/', ..] | [b'#', ..] => memchr::memchr(b'\n', text).unwrap_or(text.len()),
        _ => 0,
    }
}

/// Whether a list is put together with nothing in between. Rust's `concat!` is left out: it is how samples are written
/// so that nobody takes them for a leak.
fn is_joined(text: &[u8], pieces: &[Range<usize>]) -> bool {
    const BEFORE: [&[u8]; 6] =
        [b"\"\".join(", b"''.join(", b"\"\".concat(", b"string.concat(", b"implode('',", b"implode(\"\","];
    const BEHIND: [&[u8]; 4] = [b".join(\"\")", b".join('')", b".join(``)", b".jointostring(\"\")"];
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    let before = plain(text[..first.start - 1].iter().rev().take(80).rev());
    let behind = plain(text[last.end + 1..].iter().take(80));
    let before_list = before.strip_suffix(b"[").or_else(|| before.strip_suffix(b"(")).unwrap_or(&before);
    let announced = BEFORE.iter().any(|sign| before.ends_with(sign) || before_list.ends_with(sign));
    let behind = behind.strip_prefix(b",").unwrap_or(&behind);
    let closed = behind.strip_prefix(b"]").or_else(|| behind.strip_prefix(b")"));
    let joins = closed.is_some_and(|rest| BEHIND.iter().any(|sign| rest.starts_with(sign)));
    // Go says behind the items what is put between them.
    let in_go = before.ends_with(b"strings.join([]string{") && behind.starts_with(b"},\"\")");
    announced || joins || in_go
}

fn plain<'t>(bytes: impl Iterator<Item = &'t u8>) -> Vec<u8> {
    bytes.filter(|byte| !byte.is_ascii_whitespace()).map(u8::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        chains(text.as_bytes()).into_iter().map(|chain| String::from_utf8(chain.text).unwrap()).collect()
    }

    #[test]
    fn what_is_put_together_is_one_text() {
        for text in [
            "x = \"ab\" + \"cd\"",
            "x = 'ab' . \"cd\"",
            "x = (\"ab\"\n     \"cd\")",
            "x = \"ab\" \\\n    \"cd\"",
            "x = \"ab\" +\n+    \"cd\"",
            "x = \"ab\" + // the prefix\n    \"cd\"",
            "x = (\"ab\"  # the prefix\n     \"cd\")",
            "x = \"ab\" /* and */ + \"cd\"",
            "x = b'ab' b'cd'",
            "x = 'a' || 'bc' || 'd'",
            "[\"ab\", \"cd\"].join(\"\")",
            "[\n  'ab',\n  'cd',\n].join('')",
            "\"\".join([\"ab\", \"cd\"])",
            "''.join(('ab', 'cd'))",
            "implode('', ['ab', 'cd'])",
            "String.Concat(\"ab\", \"cd\")",
            "strings.Join([]string{\"ab\", \"cd\"}, \"\")",
        ] {
            assert!(folded(text).iter().any(|chain| chain == "abcd"), "{text}: {:?}", folded(text));
        }
    }

    #[test]
    fn what_stays_apart_is_none() {
        for text in [
            "x = [\"ab\", \"cd\"]",
            "call(\"ab\", \"cd\")",
            "[\"ab\", \"cd\"].join(\"-\")",
            "'-'.join(['ab', 'cd'])",
            "strings.Join([]string{\"ab\", \"cd\"}, \"-\")",
            "x = \"ab\" + y + \"cd\"",
            "x = \"ab\"\"cd\"",
            "{\"ab\": \"cd\"}",
            "x = \"ab\";\ny = \"cd\"",
            "concat!(\"ab\", \"cd\")",
        ] {
            assert!(!folded(text).iter().any(|chain| chain.contains("abcd")), "{text}: {:?}", folded(text));
        }
    }

    #[test]
    fn a_part_is_where_its_pieces_are() {
        let chains = chains(b"x = \"ab\" + \"cd\"");
        assert_eq!(chains[0].across(&(1..3)), Some(6..13));
        assert_eq!(chains[0].across(&(0..2)), None);
    }
}
