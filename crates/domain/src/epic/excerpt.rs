use serde::Serialize;

use super::Position;
use crate::text::is_invisible;

/// The line a problem is on, fit for a terminal, and where in it a caret belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    pub line: String,
    /// How many columns stand before the caret.
    pub column: usize,
    /// How many carets.
    pub length: usize,
}

const WIDEST: usize = 120;
const BEFORE: usize = 60;
const LONGEST_LINE: usize = 20_000;

impl Excerpt {
    /// From the lines of the whole text, unless the line is so long that nobody wrote it by hand.
    pub(super) fn from(lines: &[&str], at: Position, length: usize) -> Option<Excerpt> {
        let index = usize::try_from(at.line).ok()?.checked_sub(1)?;
        lines.get(index).filter(|line| line.len() <= LONGEST_LINE).map(|line| Excerpt::of(line, at, length))
    }

    /// `length` is that of the offending text, in characters.
    fn of(line: &str, at: Position, length: usize) -> Excerpt {
        let column = usize::try_from(at.column).unwrap_or(usize::MAX).saturating_sub(1);
        let skipped = column.saturating_sub(BEFORE);
        let mut shown: String = if skipped > 0 { "...".to_owned() } else { String::new() };
        let dots = shown.len();
        let window: Vec<char> = line.chars().skip(skipped).take(WIDEST + 1).collect();
        shown.extend(window.iter().take(WIDEST).map(|c| harmless(*c)));
        let seen = window.len().min(WIDEST);
        if window.len() > WIDEST {
            shown.push_str("...");
        } else {
            shown.truncate(shown.trim_end().len());
        }
        let column = (column - skipped).min(seen);
        Excerpt { line: shown, column: column + dots, length: length.clamp(1, (seen - column).max(1)) }
    }
}

/// One column wide, so that the caret stays below what it means.
fn harmless(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() || is_invisible(c) => '?',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let line = format!("{}here{}", "x".repeat(500), "y".repeat(500));
        let excerpt = Excerpt::of(&line, Position { line: 1, column: 501 }, 4);
        assert_eq!(&excerpt.line[excerpt.column..excerpt.column + excerpt.length], "here");
        assert!(excerpt.line.len() < 130 && excerpt.line.starts_with("...") && excerpt.line.ends_with("..."));
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_shown_and_the_caret_is_near_the_line(
            line in "[^\n]{0,300}", column in 0u64..400, length in 0usize..400,
        ) {
            let excerpt = Excerpt::of(&line, Position { line: 1, column }, length);
            prop_assert!(!excerpt.line.chars().any(|c| c.is_control() || is_invisible(c)));
            prop_assert!(excerpt.column + excerpt.length <= WIDEST + 4);
        }
    }
}
