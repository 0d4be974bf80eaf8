//! Text of unknown origin, made harmless before a format adds its own escaping.

use crate::change::RepoPath;
use crate::text::{is_invisible, visible};

/// The text without terminal sequences, control characters and characters nobody sees; newlines and tabs
/// stay, every kind of line end becomes a newline.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = visible(text).peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' => cleaned.push('\n'),
            c => cleaned.push(c),
        }
    }
    cleaned
}

/// [`clean`], with all white space folded so that it fits on one line.
pub(super) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `limit` characters, the last three of them dots if something was cut.
pub(super) fn clip(text: &str, limit: usize) -> String {
    if text.char_indices().nth(limit).is_none() {
        return text.to_owned();
    }
    text.chars().take(limit.saturating_sub(3)).chain("...".chars()).collect()
}

/// The path for a program that looks the file up: as it is where that is harmless, else as git quotes it.
pub(super) fn file_name(path: &RepoPath) -> String {
    match path.to_str() {
        Some(text) if !text.chars().any(|c| c.is_control() || is_invisible(c)) => text.to_owned(),
        _ => path.to_string(),
    }
}

/// Text put together from the pieces that do harm in one format or another, for property tests.
#[cfg(test)]
pub(crate) fn hostile_text() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let piece = prop_oneof![
        prop::sample::select(vec![
            "::error::",
            "##[error]",
            "%0A",
            "\n",
            "\r",
            "@",
            "all",
            "#12",
            "GH-7",
            "<!--",
            "-->",
            "<b>",
            "`",
            "```",
            "|",
            "\\",
            "[a](",
            "![",
            "javascript:x",
            ")",
            "https://",
            "www.a.b",
            "&#64;",
            "*",
            "_",
            "{0}",
            "countersign:review",
            "</details>",
            "\u{1b}[31m",
            "\u{202e}",
            "a",
            " ",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_nobody_sees_is_taken_out() {
        assert_eq!(clean("a\u{1b}[1;31mb\u{1b}[0m\u{202e}c\u{e0041}\u{7}d"), "abcd");
        assert_eq!(clean("a\r\nb\rc\u{2028}d\te"), "a\nb\nc\nd\te");
        assert_eq!(one_line(" a\n\n b\tc "), "a b c");
    }

    #[test]
    fn clipping_counts_characters_and_shows_that_it_cut() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüäöü", 5), "äö...");
    }

    #[test]
    fn a_harmful_file_name_is_quoted_and_an_odd_one_is_not() {
        assert_eq!(file_name(&"a \"b\".rs".into()), "a \"b\".rs");
        assert_eq!(file_name(&"a\n::error::b".into()), r#""a\n::error::b""#);
    }

    proptest! {
        #[test]
        fn nothing_hidden_survives(text in any::<String>()) {
            let hidden = |c: char| is_invisible(c) || (c.is_control() && c != '\n' && c != '\t');
            prop_assert!(!clean(&text).chars().any(hidden));
        }
    }
}
