/// Reasons come from models and programs; a state or a log line is no place for a whole transcript.
const LONGEST: usize = 500;

/// One line of printable text, cut where it is too long.
pub(super) fn one_line(text: &str) -> String {
    let printable = |c: char| if c.is_control() || is_reordering(c) { ' ' } else { c };
    let mut line = String::new();
    for word in text.chars().take(4 * LONGEST).map(printable).collect::<String>().split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Characters that make text read in another order than it is written.
fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
