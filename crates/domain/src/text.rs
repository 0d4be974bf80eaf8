//! Cleaning of text that reviewers, models and changes have written, before people or agents read it.
//!
//! What comes out holds no terminal escape, no control or invisible character and no HTML comment, and is
//! of bounded length. Cleaning twice changes nothing.

use std::iter::Peekable;
use std::str::Chars;

/// No field of a document or an instruction is longer than this, in characters.
pub const FIELD_LIMIT: usize = 4_000;

/// One line: every run of white space, line breaks included, becomes a single space.
pub fn clean_line(text: &str) -> String {
    let mut line = Cleaned::default();
    for c in visible(text) {
        if c.is_whitespace() {
            line.space();
        } else {
            line.push(c);
        }
        if line.is_full() {
            break;
        }
    }
    line.finish()
}

/// [`clean_line`] for a state, a log line or a status: no place for a whole transcript.
pub fn short_line(text: &str) -> String {
    const LONGEST: usize = 500;
    let line = clean_line(text);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", line[..end].trim_end()),
        None => line,
    }
}

/// The first line that says something, cut where it is long: for lists, where the whole would bury the rest.
pub fn brief_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = text.lines().map(clean_line).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", line[..end].trim_end()),
        None => line,
    }
}

/// Several lines: line breaks and tabs stay, white space at line ends and blank lines at both ends go.
pub fn clean_block(text: &str) -> String {
    let mut block = Cleaned::default();
    let mut chars = visible(text);
    while let Some(c) = chars.next() {
        match c {
            '\r' | '\n' | '\u{2028}' | '\u{2029}' => {
                if c == '\r' && chars.rest.peek() == Some(&'\n') {
                    continue;
                }
                block.line_break();
            }
            c if c.is_whitespace() => block.blank(if c == '\t' { '\t' } else { ' ' }),
            c => block.push(c),
        }
        if block.is_full() {
            break;
        }
    }
    block.finish()
}

/// A part of a file name: letters, digits, `.`, `_` and `-` stay, the rest becomes `-`. Never empty, never
/// a hidden file, never a way out of a folder.
pub fn file_name_part(text: &str) -> String {
    let mut name = String::new();
    for c in clean_line(text).chars().take(100) {
        let kept = if c.is_ascii_alphanumeric() || c == '_' || c == '.' { c } else { '-' };
        let doubled = !kept.is_ascii_alphanumeric() && name.ends_with(kept);
        if !doubled {
            name.push(kept);
        }
    }
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}

/// The characters of a text that a reader would see, line breaks and tabs included: no terminal sequence, no
/// control character, nothing invisible.
pub fn visible(text: &str) -> Visible<'_> {
    Visible { rest: text.chars().peekable() }
}

/// The candidate that `word` is most likely a misspelling of, if any comes close.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Whether a word is another but for one letter: left out, added, changed, or in the place of its neighbour.
pub fn is_typing_error(word: &str, meant: &str) -> bool {
    word != meant && strsim::osa_distance(word, meant) == 1
}

/// The output so far. White space is held back until something follows it.
#[derive(Default)]
struct Cleaned {
    text: String,
    length: usize,
    pending: String,
    pending_length: usize,
}

impl Cleaned {
    fn space(&mut self) {
        self.pending.clear();
        self.pending.push(' ');
        self.pending_length = 1;
    }

    fn blank(&mut self, c: char) {
        if self.pending_length < FIELD_LIMIT {
            self.pending.push(c);
            self.pending_length += 1;
        }
    }

    fn line_break(&mut self) {
        let kept = self.pending.trim_end_matches([' ', '\t']).len();
        self.pending.truncate(kept);
        self.pending_length = kept;
        self.blank('\n');
    }

    fn push(&mut self, c: char) {
        if !self.text.is_empty() {
            self.text.push_str(&self.pending);
            self.length += self.pending_length;
        }
        self.pending.clear();
        self.pending_length = 0;
        if c == '-' && self.text.ends_with("<!-") {
            self.text.push(' ');
            self.length += 1;
        }
        self.text.push(c);
        self.length += 1;
    }

    fn is_full(&self) -> bool {
        self.length > FIELD_LIMIT
    }

    fn finish(mut self) -> String {
        if self.is_full() {
            let kept = self.text.char_indices().nth(FIELD_LIMIT - 1).map_or(self.text.len(), |(at, _)| at);
            self.text.truncate(kept);
            self.text.truncate(self.text.trim_end().len());
            self.text.push('…');
        }
        self.text
    }
}

/// See [`visible`].
#[derive(Debug, Clone)]
pub struct Visible<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Visible<'_> {
    fn skip_escape(&mut self) {
        match self.rest.peek() {
            Some('[') => {
                self.rest.next();
                self.skip_control_sequence();
            }
            Some(']' | 'P' | '_' | '^' | 'X') => self.skip_control_string(),
            Some(' '..='~') => {
                self.rest.next();
            }
            _ => {}
        }
    }

    /// Parameters and intermediates, then one final character.
    fn skip_control_sequence(&mut self) {
        while self.rest.next_if(|c| (' '..='?').contains(c)).is_some() {}
        self.rest.next_if(|c| ('@'..='~').contains(c));
    }

    /// Up to its terminator. One that does not end on its line is not a control string, and only its
    /// opening goes: an unfinished escape must not hide what follows.
    fn skip_control_string(&mut self) {
        self.rest.next();
        let mut ahead = self.rest.clone();
        while let Some(c) = ahead.next() {
            match c {
                '\u{7}' | '\u{9c}' => {
                    self.rest = ahead;
                    return;
                }
                '\u{1b}' => {
                    if ahead.next() == Some('\\') {
                        self.rest = ahead;
                    }
                    return;
                }
                '\n' | '\r' => return,
                _ => {}
            }
        }
    }
}

impl Iterator for Visible<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            match self.rest.next()? {
                '\u{1b}' => self.skip_escape(),
                '\u{9b}' => self.skip_control_sequence(),
                c @ ('\n' | '\r' | '\t') => return Some(c),
                c if c.is_control() || is_invisible(c) => {}
                c => return Some(c),
            }
        }
    }
}

/// Characters that show nothing themselves but change how the text around them is shown or read.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_escapes_go_and_the_text_stays() {
        let cases = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{9b}1;2Hmoved", "moved"),
            ("\u{1b}]8;;https://evil\u{7}link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;title never ends\nnext", "0;title never ends next"),
            ("a\u{8}\u{0}b", "ab"),
            ("\u{1b}", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(clean_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn nothing_invisible_and_no_comment_gets_through() {
        assert_eq!(clean_line("a\u{202e}b\u{200b}c\u{e0041}"), "abc");
        assert_eq!(clean_line("x <!\u{200b}-- hidden --> <!<!----"), "x <!- - hidden --> <!<!- ---");
    }

    #[test]
    fn a_block_keeps_its_lines_and_tabs() {
        assert_eq!(
            clean_block("\r\n one  \r\n\tif x:\n\n\n  two\u{2028}three \n\n"),
            "one\n\tif x:\n\n\n  two\nthree"
        );
        assert_eq!(clean_line("one \n\n\ttwo "), "one two");
    }

    #[test]
    fn length_is_bounded() {
        let long = clean_block(&"ä\n".repeat(9_000));
        assert!(long.chars().count() <= FIELD_LIMIT && long.ends_with('…'), "{}", long.chars().count());
        assert_eq!(clean_line(&"x".repeat(FIELD_LIMIT)).len(), FIELD_LIMIT);
        assert_eq!(clean_block(&" ".repeat(100_000)), "");
    }

    #[test]
    fn unfinished_escapes_cost_no_more_than_their_length() {
        let started = std::time::Instant::now();
        clean_line(&"\u{1b}]".repeat(1_000_000));
        // By the square of their length it would take hours.
        assert!(started.elapsed().as_secs() < 60);
    }

    #[test]
    fn a_file_name_part_stays_in_its_folder() {
        let cases = [
            ("1.2", "1.2"),
            ("../../etc/passwd", "etc-passwd"),
            ("", "unnamed"),
            ("..", "unnamed"),
            ("PROJ 12", "PROJ-12"),
        ];
        for (text, expected) in cases {
            assert_eq!(file_name_part(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing(text in "(?s)(.|[<!\\- \n\t\r\u{1b}\\[\\]]){0,60}") {
            let line = clean_line(&text);
            prop_assert_eq!(clean_line(&line), line.clone());
            prop_assert!(!line.contains("<!--") && !line.contains('\n'));
            let block = clean_block(&text);
            prop_assert_eq!(clean_block(&block), block.clone());
            prop_assert!(!block.contains("<!--") && !block.chars().any(|c| c == '\x1b'));
        }
    }
}
