//! What a model wrote, made fit to be logged, shown, posted or handed to another agent.
//!
//! A model may be talked into writing anything by the change it reads. What comes out of here holds no
//! terminal escape, no control or invisible character, no HTML comment, no HTML tag with attributes, no image that
//! is fetched when somebody looks, nobody's name as a mention, no link that is more than a web address, no secret that the caller's mask knows, and is of bounded length.

use std::borrow::Cow;

use domain::change::RepoPath;
use domain::text::{clean_block, clean_line};

/// Masks secrets, keeping the number of lines.
#[derive(Debug, Clone, Copy)]
pub struct Redact {
    text: fn(&str) -> Cow<'_, str>,
    file: FileMask,
}

impl Redact {
    /// `file` masks what stands in a file: in some, only the path gives away what is a password.
    pub const fn new(text: fn(&str) -> Cow<'_, str>, file: FileMask) -> Self {
        Redact { text, file }
    }

    pub fn text(self, text: &str) -> Cow<'_, str> {
        (self.text)(text)
    }

    pub fn file<'a>(self, path: &RepoPath, text: &'a str) -> Cow<'a, str> {
        (self.file)(path, text)
    }
}

/// Masks the secrets in a part of the file at this path.
pub type FileMask = for<'a> fn(&RepoPath, &'a str) -> Cow<'a, str>;

/// Several lines.
pub fn block(text: &str, redact: Redact) -> String {
    harmless(&redact.text(&clean_block(text)))
}

/// One line.
pub fn line(text: &str, redact: Redact) -> String {
    harmless(&redact.text(&clean_line(text)))
}

fn harmless(text: &str) -> String {
    let code = Code::of(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '<', ']', '[']) {
        let offset = text.len() - rest.len() + at;
        out.push_str(&rest[..at]);
        rest = if code.holds(offset) {
            out.push_str(&rest[at..=at]);
            &rest[at + 1..]
        } else {
            defuse(&mut out, &rest[at..])
        };
    }
    out.push_str(rest);
    out
}

/// Writes the character `text` starts with so that it starts nothing, and returns what comes after it.
fn defuse<'a>(out: &mut String, text: &'a str) -> &'a str {
    let (first, rest) = text.split_at(1);
    if first == "[" && out.ends_with('!') {
        // A link is followed by who wants to, an image by everybody who looks.
        out.push(' ');
    }
    out.push_str(first);
    let next = rest.chars().next();
    match first {
        "@" if next.is_some_and(|c| c.is_alphanumeric() || c == '_') && !is_address(out, rest) => {
            out.push(' ');
        }
        "<" if next.is_some_and(|c| matches!(c, '@' | '!' | '#'))
            || odd_scheme(rest, '>')
            || is_tag(rest) =>
        {
            out.push(' ');
        }
        "[" if rest.starts_with('~') => out.push(' '),
        "]" if rest.starts_with('(') || rest.starts_with(':') => return link(out, rest),
        _ => {}
    }
    rest
}

/// Whether the `@` that was just written stands inside a mail address: nobody is called by one.
fn is_address(before: &str, after: &str) -> bool {
    let local = before.chars().rev().nth(1).is_some_and(|c| c.is_ascii_alphanumeric());
    let domain: String =
        after.chars().take_while(|c| c.is_ascii_alphanumeric() || "-.".contains(*c)).collect();
    local && domain.trim_end_matches('.').contains('.')
}

/// The target of a link, or of a link's definition, if it is a web address or a place in a document. Anything
/// else is left out.
fn link<'a>(out: &mut String, rest: &'a str) -> &'a str {
    let (opening, rest) = rest.split_at(1);
    let blank = rest.len() - rest.trim_start().len();
    let target = &rest[blank..];
    let bare = target.trim_start_matches('<');
    let scheme_ends =
        bare.find(|c: char| !c.is_ascii_alphanumeric() && !"+.-".contains(c)).unwrap_or(bare.len());
    let (scheme, after) = bare.split_at(scheme_ends);
    let web = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") && after.starts_with("://");
    let plain = !after.starts_with([':', '&', '%', '\\']);
    out.push_str(opening);
    if web || plain {
        return rest;
    }
    // Backticks stay: without one of them, code further on would no longer be code.
    let (note, ends): (_, &[char]) =
        if opening == "(" { ("link removed", &[')', '\n', '`']) } else { (" link removed", &['\n', '`']) };
    out.push_str(note);
    &target[target.find(ends).unwrap_or(target.len())..]
}

/// Whether `text` is the rest of an HTML tag that may have attributes, as in `<a href=...>`.
fn is_tag(text: &str) -> bool {
    let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.starts_with(|c: char| c.is_whitespace() || c == '/')
}

/// Whether `text` is `scheme:` and no web or mail address, as in `<javascript:...>`.
fn odd_scheme(text: &str, close: char) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let word = !scheme.is_empty()
        && scheme.len() <= 32
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    let known = ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    // `Vec<std::string::String>` is no link.
    word && !known && !rest.starts_with([':', ' ']) && rest.contains(close)
}

/// Where a text is code in the eyes of every reader of markdown. Mentions and links do not work in there, and
/// a `@decorator` has to stay what it is. A text that could be read in two ways has no code.
struct Code(Vec<(usize, usize)>);

impl Code {
    fn of(text: &str) -> Code {
        Code(Code::spans(text).unwrap_or_default())
    }

    fn holds(&self, offset: usize) -> bool {
        let after = self.0.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).and_then(|last| self.0.get(last)).is_some_and(|(_, end)| offset < *end)
    }

    fn spans(text: &str) -> Option<Vec<(usize, usize)>> {
        if text.contains("\\`") || text.contains("~~~") || text.contains("    ```") {
            return None;
        }
        let mut spans = Vec::new();
        let mut fence: Option<usize> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let fenced = line.trim_start().starts_with("```");
            match (fence, fenced) {
                (None, true) => fence = Some(at),
                (Some(start), true) if line.trim() == "```" => {
                    spans.push((start, at));
                    fence = None;
                }
                (Some(_), true) => return None,
                (Some(_), false) => {}
                (None, false) => inline_spans(line, at, &mut spans)?,
            }
            at += line.len();
        }
        fence.is_none().then_some(spans)
    }
}

/// Single backticks that pair up within their line. `None` if they do not, or if there is HTML about, in which
/// backticks mean nothing.
fn inline_spans(line: &str, at: usize, spans: &mut Vec<(usize, usize)>) -> Option<()> {
    let mut open = None;
    for (index, c) in line.char_indices() {
        match (c, open) {
            ('`', None) => open = Some(index),
            ('`', Some(start)) if start + 1 == index => return None,
            ('`', Some(start)) => {
                spans.push((at + start, at + index));
                open = None;
            }
            ('<', None)
                if line[index + 1..].starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c)) =>
            {
                return None;
            }
            (_, _) => {}
        }
    }
    open.is_none().then_some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cleaned(text: &str) -> String {
        block(text, crate::scripted::REDACT)
    }

    #[test]
    fn nobody_is_called() {
        let cases = [
            ("@alice look", "@ alice look"),
            ("(@org/team)", "(@ org/team)"),
            ("mail me at a@b.example", "mail me at a@b.example"),
            ("x@y", "x@ y"),
            ("<@U123> <!channel>", "< @ U123> < !channel>"),
            ("[~admin] hi", "[ ~admin] hi"),
            ("a @ b", "a @ b"),
        ];
        for (text, expected) in cases {
            assert_eq!(cleaned(text), expected, "{text}");
        }
    }

    #[test]
    fn code_stays_as_it_is_where_it_is_surely_code() {
        for text in ["use `@Override` here", "```java\n@Override\n```", "`a` and `@b` and `@c`"] {
            assert_eq!(cleaned(text), text);
        }
        for text in ["a ` stray `@b`", "\\`@b`", "<div>`@b`", "```\n@b", "`` `@b` ``"] {
            assert!(cleaned(text).contains("@ b"), "{text}");
        }
    }

    #[test]
    fn a_link_is_a_web_address_or_none() {
        let cases = [
            ("[x](https://a.example/b)", "[x](https://a.example/b)"),
            ("[x](docs/a.md)", "[x](docs/a.md)"),
            ("[x](javascript:alert(1))", "[x](link removed))"),
            ("[x]( <data:text/html;base64,AA> )", "[x](link removed)"),
            ("[x](java&#115;cript:alert`1`)", "[x](link removed`1`)"),
            ("[x]: file:///etc/passwd\nnext", "[x]: link removed\nnext"),
            ("<vbscript:x> and Vec<std::string::String>", "< vbscript:x> and Vec<std::string::String>"),
            ("<https://a.example>", "<https://a.example>"),
            ("list[0]: first", "list[0]: first"),
        ];
        for (text, expected) in cases {
            assert_eq!(cleaned(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_is_fetched_and_no_tag_has_attributes() {
        let cases = [
            ("![i](http://a.example/x.png)", "! [i](http://a.example/x.png)"),
            ("![i][x]", "! [i][x]"),
            ("<a href=data:text/html,x>y</a>", "< a href=data:text/html,x>y</a>"),
            ("<img/src=http://a.example>", "< img/src=http://a.example>"),
            ("<img\nsrc=http://a.example>", "< img\nsrc=http://a.example>"),
            ("Vec<u8> and a < b", "Vec<u8> and a < b"),
            ("use `vec![1]` here", "use `vec![1]` here"),
        ];
        for (text, expected) in cases {
            assert_eq!(cleaned(text), expected, "{text}");
        }
    }

    #[test]
    fn a_secret_cannot_hide_behind_characters_nobody_sees() {
        assert_eq!(
            cleaned("it is hun\u{200b}ter\u{1b}[0m2 <!-- psst -->"),
            "it is [redacted] < !- - psst -->"
        );
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "@",
            "a",
            "b.c",
            "`",
            "```",
            "\n",
            "<",
            "!",
            "--",
            "](",
            "]:",
            "[",
            "~",
            "javascript:",
            "data:x",
            ")",
            ">",
            " ",
            "\u{1b}[31m",
            "\u{202e}",
            "\u{0}",
            "hunter2",
            "\\",
            "&#58;",
            "<div>",
            "http://x.y",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_dangerous_comes_out(text in prop_oneof![hostile(), any::<String>()]) {
            let cleaned = cleaned(&text);
            prop_assert!(!cleaned.contains("<!--") && !cleaned.contains("hunter2"));
            let hidden = |c: char| domain::text::is_invisible(c) || (c.is_control() && c != '\n' && c != '\t');
            prop_assert!(!cleaned.chars().any(hidden));
            prop_assert!(cleaned.chars().count() <= 2 * domain::text::FIELD_LIMIT);
            let code = Code::of(&cleaned);
            for (at, _) in cleaned.match_indices('@') {
                let calls = cleaned[at + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
                prop_assert!(!calls || code.holds(at) || is_address(&cleaned[..=at], &cleaned[at + 1..]), "{cleaned:?}");
            }
            if !cleaned.contains('`') {
                for odd in ["](javascript:", "](data:", "]:javascript:", "]: data:", "![", "<a ", "<@", "[~", " @a", "\n@a"] {
                    prop_assert!(!cleaned.contains(odd), "{cleaned:?}");
                }
            }
        }

        #[test]
        fn a_line_is_one_line(text in hostile()) {
            prop_assert!(!line(&text, crate::scripted::REDACT).contains('\n'));
        }
    }
}
