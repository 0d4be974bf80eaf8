//! Plain text for a Jira: readers see each of its characters, and nothing in it becomes markup, a macro, a mention, an image
//! or a link but the addresses that are named.

use serde_json::{Value, json};

use super::adf::{Builder, Shape};

/// The longest list of addresses that is looked for.
pub(super) const MOST_LINKS: usize = 20;

/// A piece of a line.
enum Piece<'a> {
    Words(&'a str),
    Link(&'a str),
}

/// As a document.
pub(super) fn document(text: &str, links: &[String]) -> Value {
    let mut builder = Builder::new();
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        builder.open(Shape::Paragraph);
        for (number, line) in block.trim_matches('\n').lines().enumerate() {
            if number > 0 {
                builder.line_break();
            }
            for piece in pieces(line, links) {
                match piece {
                    Piece::Words(words) => builder.text(words),
                    Piece::Link(address) => {
                        builder.mark(json!({"type": "link", "attrs": {"href": address}}));
                        builder.text(address);
                        builder.unmark();
                    }
                }
            }
        }
        builder.close();
    }
    builder.finish()
}

/// As wiki markup.
pub(super) fn wiki(text: &str, links: &[String]) -> String {
    let line = |line: &str| -> String {
        let pieces = pieces(line, links).into_iter();
        pieces
            .map(|piece| match piece {
                Piece::Words(words) => escaped(words),
                // Jira makes a link of it by itself.
                Piece::Link(address) => address.to_owned(),
            })
            .collect()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Addresses stand by themselves, between white space or at an end of the line.
fn pieces<'a>(line: &'a str, links: &[String]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut words = 0;
    let mut at = 0;
    for word in line.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        if links.iter().take(MOST_LINKS).any(|link| link == bare) && is_address(bare) {
            pieces.extend((words < at).then(|| Piece::Words(&line[words..at])));
            pieces.push(Piece::Link(bare));
            words = at + bare.len();
        }
        at += word.len();
    }
    pieces.extend((words < line.len()).then(|| Piece::Words(&line[words..])));
    pieces
}

fn is_address(text: &str) -> bool {
    let harmless = |c: char| !c.is_control() && !"[]{}|\"<>\\^".contains(c);
    (text.starts_with("https://") || text.starts_with("http://")) && text.chars().all(harmless)
}

/// A backslash stands before what would be markup. Where that is not enough, as between a scheme and its host, the
/// character is written by its number.
fn escaped(words: &str) -> String {
    let chars: Vec<char> = words.chars().collect();
    let mut out = String::with_capacity(words.len() + words.len() / 8);
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|before| chars.get(before)).copied();
        let after = chars.get(at + 1).copied();
        match c {
            '{' | '}' | '[' | ']' | '!' | '|' => out.extend(['\\', c]),
            '*' | '_' | '-' | '+' | '^' | '~' | '#' if !is_inside_a_word(before, after) => {
                out.extend(['\\', c]);
            }
            '?' if before == Some('?') || after == Some('?') => out.extend(['\\', c]),
            '\\' => out.push_str("&#92;"),
            ':' if after.is_some_and(|next| "/)(DP\\".contains(next)) || is_address_of_mail(&chars, at) => {
                out.push_str("&#58;");
            }
            ';' if after == Some(')') => out.push_str("&#59;"),
            '(' if after.is_some_and(|next| "/xyni!?+-*o".contains(next)) => out.push_str("&#40;"),
            '.' if begins_a_block(&chars[..at]) && after == Some(' ') => out.push_str("&#46;"),
            '&' if after.is_some_and(|next| next == '#' || next.is_ascii_alphabetic()) => {
                out.push_str("&amp;");
            }
            '@' => out.push_str("&#64;"),
            other => out.push(other),
        }
    }
    out
}

/// `code_review_params`, `PROJ-1`: there it is no markup.
fn is_inside_a_word(before: Option<char>, after: Option<char>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    is_letter(before) && is_letter(after)
}

fn is_address_of_mail(chars: &[char], colon: usize) -> bool {
    const MAIL: [char; 6] = ['m', 'a', 'i', 'l', 't', 'o'];
    let start = colon.saturating_sub(MAIL.len());
    chars[start..colon].iter().map(char::to_ascii_lowercase).eq(MAIL)
}

/// `h1. ` and `bq. ` at the beginning of a line.
fn begins_a_block(chars: &[char]) -> bool {
    let word: String = chars.iter().take(8).collect();
    let word = word.trim_start();
    chars.len() <= 8 && (word == "bq" || (word.len() == 2 && word.starts_with('h')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a reader of wiki markup sees of text that has no markup left.
    fn seen(wiki: &str) -> String {
        let mut out = String::new();
        let mut rest = wiki;
        while let Some(c) = rest.chars().next() {
            let entity =
                rest.strip_prefix('&').and_then(|rest| rest.split_once(';')).map(|(entity, _)| entity);
            let number = entity.and_then(|entity| entity.strip_prefix('#')?.parse().ok());
            let (shown, used) = match (c, number.and_then(char::from_u32), entity) {
                (_, Some(shown), Some(entity)) => (Some(shown), entity.len() + 2),
                (_, _, Some("amp")) => (Some('&'), 5),
                ('\\', _, _) => (rest.chars().nth(1), 1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
                (other, _, _) => (Some(other), other.len_utf8()),
            };
            out.extend(shown);
            rest = &rest[used..];
        }
        out
    }

    #[test]
    fn readers_see_what_was_said_and_markup_stays_text() {
        for (said, wiki) in [
            ("required >= 90, `x`!", "required >= 90, `x`\\!"),
            ("code_review_params of PROJ-1 in a/b.py", "code_review_params of PROJ-1 in a/b.py"),
            ("{code}[~admin] !x.png! *b*", "\\{code\\}\\[~admin\\] \\!x.png\\! \\*b\\*"),
            ("https://evil.example", "https&#58;//evil.example"),
            ("mailto:a@b", "mailto&#58;a&#64;b"),
            ("h1. big", "h1&#46; big"),
            ("a \\\\ b", "a &#92;&#92; b"),
            ("&lt; (x) :)", "&amp;lt; &#40;x) &#58;)"),
            ("what?? -- no", "what\\?\\? \\-\\- no"),
        ] {
            let wiki = wiki.replace("[~", "[\\~");
            assert_eq!(super::wiki(said, &[]), wiki);
            assert_eq!(seen(&wiki), said);
        }
    }

    #[test]
    fn only_an_address_that_is_named_is_a_link() {
        let ours = ["https://git.example/a/b/-/merge_requests/7".to_owned()];
        let text = "Review: https://git.example/a/b/-/merge_requests/7\nReason: https://evil.example";
        assert_eq!(
            wiki(text, &ours),
            "Review: https://git.example/a/b/-/merge_requests/7\nReason: https&#58;//evil.example"
        );
        let document = document(text, &ours).to_string();
        assert_eq!(document.matches("\"link\"").count(), 1, "{document}");
        assert!(document.contains("Reason: https://evil.example"), "{document}");
    }

    #[test]
    fn a_document_keeps_paragraphs_lines_and_every_character() {
        let text = "One *x* `y`\n> two\n\n[three](https://evil.example) @all";
        let document = document(text, &[]);
        assert_eq!(document["content"].as_array().unwrap().len(), 2);
        assert_eq!(document["content"][0]["content"][1]["type"], "hardBreak");
        assert_eq!(document["content"][1]["content"][0]["text"], "[three](https://evil.example) @all");
        assert!(!document.to_string().contains("marks"), "{document}");
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_seen(said in "[ -~]{0,80}") {
            prop_assert_eq!(seen(&wiki(&said, &[])), said);
        }
    }
}
