use crate::formats::escape::one_line;

/// Prose of unknown origin on one line, shown letter by letter: no markup, no HTML, no mention, no
/// reference, no link. To be used after something else on the line, never at its beginning. It takes hardly
/// more than `limit` bytes, escapes included.
pub(crate) fn text(said: &str, limit: usize) -> String {
    escape(&one_line(said), limit)
}

/// What [`text`] was given, as far as it was shown.
pub(crate) fn unescaped(shown: &str) -> String {
    let mut said = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((before, entity)) = rest.split_once("&#") {
        said.push_str(before);
        let character = entity.split_once(';').and_then(|(number, after)| {
            Some((char::from_u32(number.parse().ok()?)?, after.strip_prefix("<wbr>").unwrap_or(after)))
        });
        rest = match character {
            Some((character, after)) => {
                said.push(character);
                after
            }
            None => {
                said.push_str("&#");
                entity
            }
        };
    }
    (said + rest).replace("-<wbr>", "-")
}

/// A name or a path as code. Where a code span could be broken out of, an escaped `<code>` element is used.
pub(crate) fn code(name: &str, limit: usize) -> String {
    let name = one_line(name);
    let plain = |c: char| c.is_alphanumeric() || " -_./:()+=,".contains(c);
    let is_address = name.contains("//") || name.contains("www.");
    if !name.is_empty() && name.len() <= limit && !is_address && name.chars().all(plain) {
        format!("`{name}`")
    } else {
        format!("<code>{}</code>", escape(&name, limit))
    }
}

/// An entity keeps a character from being read as Markdown. Forges look for mentions, references and
/// addresses a second time in the finished page, where an entity is a plain character again; the `<wbr>`
/// after it splits the text there, so that neither reading finds one.
fn escape(line: &str, limit: usize) -> String {
    let mut escaped = String::with_capacity(line.len().min(limit));
    let mut before = ['\0'; 3];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if escaped.len() >= limit {
            escaped.push_str(" ...");
            break;
        }
        let is_joined = chars.peek().is_some_and(|next| !next.is_whitespace());
        match c {
            '@' | '#' | '!' | '$' | '%' | '&' | '~' | ':' if is_joined => {
                escaped.push_str(&format!("&#{};<wbr>", u32::from(c)));
            }
            '.' if before.iter().all(|c| c.eq_ignore_ascii_case(&'w')) => escaped.push_str("&#46;<wbr>"),
            '-' if before[1..].iter().collect::<String>().eq_ignore_ascii_case("gh") => {
                escaped.push_str("-<wbr>");
            }
            '@' | '#' | '$' | '&' | '~' | '<' | '>' | '*' | '[' | ']' | '\\' | '_' | '`' | '|' => {
                escaped.push_str(&format!("&#{};", u32::from(c)));
            }
            harmless => escaped.push(harmless),
        }
        before = [before[1], before[2], c];
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_stays_prose() {
        let cases = [
            ("@all #12", "&#64;<wbr>all &#35;<wbr>12"),
            ("<!-- x -->", "&#60;&#33;<wbr>-- x --&#62;"),
            ("![a](javascript:b)", "&#33;<wbr>&#91;a&#93;(javascript&#58;<wbr>b)"),
            ("https://a.b www.c gh-1", "https&#58;<wbr>//a.b www&#46;<wbr>c gh-<wbr>1"),
            ("so: a | `b`\n\n# 100%", "so: a &#124; &#96;b&#96; &#35; 100%"),
            ("&#64;all", "&#38;<wbr>&#35;<wbr>64;all"),
        ];
        for (said, shown) in cases {
            assert_eq!(text(said, 100), shown);
            assert_eq!(unescaped(shown), one_line(said));
        }
        assert_eq!(unescaped("a &# b &#x; c"), "a &# b &#x; c");
    }

    #[test]
    fn the_limit_holds_for_what_comes_out() {
        assert_eq!(text(&"@".repeat(1_000), 20), "&#64;<wbr>&#64;<wbr> ...");
        assert_eq!(text("abc", 3), "abc");
    }

    #[test]
    fn code_survives_backticks_and_markup() {
        assert_eq!(code("src/a b.rs", 100), "`src/a b.rs`");
        assert_eq!(code("a`|b", 100), "<code>a&#96;&#124;b</code>");
        assert_eq!(code("", 100), "<code></code>");
    }
}
