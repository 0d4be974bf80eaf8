//! A token whose pieces stand on lines below one another.

use std::cell::OnceCell;

use super::detect::{Found, Grade, secrets_in};
use crate::context::{AddedLine, FileContext};
use crate::redact::MASK;

/// More lines are a table.
const MOST_LINES: usize = 12;

/// The added lines of a file, around one of them.
pub(super) struct Windows<'f, 'a> {
    file: &'f FileContext<'a>,
    added: OnceCell<Vec<AddedLine<'f>>>,
    /// The last line that was part of a find, which is told once.
    told: u32,
}

impl<'f, 'a> Windows<'f, 'a> {
    pub(super) fn new(file: &'f FileContext<'a>) -> Self {
        Windows { file, added: OnceCell::new(), told: 0 }
    }

    /// The token that begins on this line and ends on one below, and the line without its part of it.
    pub(super) fn secret(&mut self, line: &AddedLine<'_>) -> Option<(Found, Vec<u8>)> {
        if line.number <= self.told || !goes_on(line.text) {
            return None;
        }
        let (text, start, lines) = self.around(line)?;
        let own = start..start + line.text.len();
        let found = secrets_in(&text).into_iter().find(|found| {
            let begins = own.contains(&found.range.start) && found.range.end > own.end;
            found.grade == Grade::Format && begins && is_joined(&text[found.range.clone()])
        })?;
        self.told = line.number + lines;
        let from = found.range.start - start;
        let masked = [&line.text[..from], MASK.as_bytes()].concat();
        Some((found, masked))
    }

    /// The text from the line above to where the expression ends, where the line begins in it, and how many lines are
    /// below.
    fn around(&self, line: &AddedLine<'_>) -> Option<(Vec<u8>, usize, u32)> {
        let added = self.added.get_or_init(|| self.file.added().collect());
        let at = added.binary_search_by_key(&line.number, |one| one.number).ok()?;
        let mut text = Vec::new();
        let above = at.checked_sub(1).map(|above| added[above]);
        if let Some(above) = above.filter(|above| above.number + 1 == line.number && opens(above.text)) {
            text.extend_from_slice(above.text);
            text.push(b'\n');
        }
        let start = text.len();
        text.extend_from_slice(line.text);
        let mut below = 0;
        for (last, next) in added[at..].iter().zip(&added[at + 1..]).take(MOST_LINES) {
            if next.number != last.number + 1 || !(goes_on(last.text) && follows(next.text)) {
                break;
            }
            text.push(b'\n');
            text.extend_from_slice(next.text);
            below += 1;
        }
        (below > 0).then_some((text, start, below))
    }
}

/// A longer line was not written by hand.
const LONGEST_LINE: usize = 500;

/// Whether an expression of texts may go on below. A comment may stand behind it.
fn goes_on(line: &[u8]) -> bool {
    let ends = |code: &[u8]| code.trim_ascii_end().last().is_some_and(|byte| b"\"'`+.&|,\\".contains(byte));
    let comments = [&b" //"[..], b" #", b" /*"];
    let mut before = comments.iter().filter_map(|mark| memchr::memmem::rfind(line, mark));
    line.len() <= LONGEST_LINE && (ends(line) || before.any(|end| ends(&line[..end])))
}

fn follows(line: &[u8]) -> bool {
    line.len() <= LONGEST_LINE
        && line.trim_ascii_start().first().is_some_and(|byte| b"\"'`+.&|])}bBrRuULN@$".contains(byte))
}

fn opens(line: &[u8]) -> bool {
    line.len() <= LONGEST_LINE && line.trim_ascii_end().last().is_some_and(|byte| b"([{".contains(byte))
}

/// Whether a token was found over the joint of two texts: none of its own has quotes.
pub(super) fn is_joined(token: &[u8]) -> bool {
    token.iter().any(|byte| b"\"'`".contains(byte))
}
