//! A reason that goes on in the comment lines below the one it starts on.

use crate::change::Lines;

/// A reason that is longer is prose about something else.
const MOST_LINES: usize = 8;

/// What a comment goes on with, and where it ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Continued<'a> {
    pub(super) texts: Vec<&'a str>,
    /// The last line of it.
    pub(super) last: Option<u32>,
}

/// How many lines above the code its comment may begin.
pub(super) const FARTHEST: u32 = MOST_LINES as u32 + 1;

/// `opening` is the sign that opens the comment of the line, at the column `at`; `rest` is what follows in the hunk. Only lines
/// that are nothing but a comment of the same kind, at the same place and directly below, go on with it.
pub(super) fn continued<'a>(line: &str, opening: &str, at: usize, rest: Lines<'a>) -> Continued<'a> {
    let below = rest.filter_map(|line| Some((line.new?, std::str::from_utf8(line.text).ok())));
    match opening {
        "/*" if !line.contains("*/") => in_block(below, "*/"),
        "<!--" if !line.contains("-->") => in_block(below, "-->"),
        "/*" | "<!--" | "*" => Continued::default(),
        _ => line_by_line(line, opening, at, below),
    }
}

fn line_by_line<'a>(
    line: &str,
    opening: &str,
    at: usize,
    below: impl Iterator<Item = (u32, Option<&'a str>)>,
) -> Continued<'a> {
    let indent = line.get(..at).unwrap_or_default();
    let mut found = Continued::default();
    for (number, text) in below {
        let Some(said) = text.and_then(|text| said(text, opening, indent)) else { break };
        if found.texts.len() == MOST_LINES {
            return Continued::default();
        }
        found.texts.push(said);
        found.last = Some(number);
    }
    found
}

/// What a line says behind the same sign at the same column. Nothing, another sign (`///`, `#[`) or another order to a
/// program ends the reason.
fn said<'a>(text: &'a str, opening: &str, indent: &str) -> Option<&'a str> {
    let begun = text.trim_start();
    let own = &text[..text.len() - begun.len()];
    let alone = indent.trim().is_empty();
    let aligned = if alone { own == indent } else { own.chars().count() == indent.chars().count() };
    let said = begun.strip_prefix(opening)?;
    let is_prose = said.starts_with([' ', '\t']) && !said.contains(super::suppress::MARKER);
    (aligned && is_prose).then(|| said.trim()).filter(|said| !said.is_empty())
}

/// All of a block, up to its end.
fn in_block<'a>(below: impl Iterator<Item = (u32, Option<&'a str>)>, end: &str) -> Continued<'a> {
    let mut found = Continued::default();
    for (number, text) in below.take(MOST_LINES) {
        let Some(text) = text.filter(|text| !text.contains(super::suppress::MARKER)) else { break };
        let (said, behind) = match text.split_once(end) {
            Some((said, behind)) => (said, Some(behind.trim())),
            None => (text, None),
        };
        found.texts.extend(Some(said.trim().trim_start_matches('*').trim()).filter(|said| !said.is_empty()));
        match behind {
            None => {}
            // JSX has its comments in braces.
            Some("" | "}") => {
                found.last = Some(number);
                return found;
            }
            Some(_) => break,
        }
    }
    Continued::default()
}
