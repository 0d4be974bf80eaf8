use domain::text::is_invisible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text from a change or a reviewer as a terminal may show it: tabs become spaces, and whatever could move
/// the cursor, change colours or reorder the text is shown as its code point.
pub(super) fn printable(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '\t' => shown.push_str("    "),
            '\r' | '\n' => shown.push(' '),
            c if c.is_control() || is_invisible(c) => shown.push_str(&format!("<U+{:04X}>", c as u32)),
            c => shown.push(c),
        }
    }
    shown
}

/// Cut to `width` columns, with an ellipsis where something is missing.
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 0;
    let room = width.saturating_sub(3);
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect();
    kept + "..."
}

pub(crate) fn wrap(text: &str, width: usize, first: &str, next: &str) -> Vec<String> {
    let options = textwrap::Options::new(width)
        .initial_indent(first)
        .subsequent_indent(next)
        // Rule ids and options have to stay in one piece to be copied.
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Appends `body` wrapped to `width`, made safe to print.
pub(super) fn paragraph(body: &str, first: &str, next: &str, width: usize, out: &mut String) {
    for line in wrap(&printable(body.as_bytes()), width, first, next) {
        out.push_str(&line);
        out.push('\n');
    }
}

/// `2,600`
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 file`, `2,600 files`
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_change_can_drive_the_terminal() {
        assert_eq!(printable(b"a\tb\x1b[2Jc\x07\r"), "a    b<U+001B>[2Jc<U+0007> ");
        assert_eq!(printable("x\u{202e}y".as_bytes()), "x<U+202E>y");
    }

    #[test]
    fn cuts_by_columns_not_characters() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abc...");
        assert_eq!(fit("漢字漢字漢字", 9), "漢字漢...");
    }

    #[test]
    fn counts_read_well() {
        assert_eq!(
            [count(1, "file"), count(0, "file"), count(1_234_567, "line")],
            ["1 file", "0 files", "1,234,567 lines"]
        );
    }
}
