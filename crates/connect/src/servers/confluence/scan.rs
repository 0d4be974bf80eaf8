//! Markup in pieces: tags, text, character data. Whatever is no markup is text.

/// A piece of markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open {
        name: String,
        attributes: &'a str,
    },
    Close {
        name: String,
    },
    Text(String),
    /// Meant letter for letter.
    Verbatim(&'a str),
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// An element without content is opened and closed at once.
    pending: Option<Token<'a>>,
}

pub(super) fn tokens(markup: &str) -> Tokens<'_> {
    Tokens { rest: markup, pending: None }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(token) = self.pending.take() {
            return Some(token);
        }
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
                return Some(Token::Verbatim(self.until(rest, "]]>")));
            }
            if let Some(rest) = self.rest.strip_prefix("<!--") {
                self.until(rest, "-->");
                continue;
            }
            return Some(match self.rest.strip_prefix('<') {
                Some(rest) if begins_tag(rest) => self.tag(rest),
                _ => self.text(),
            });
        }
    }
}

impl<'a> Tokens<'a> {
    fn until(&mut self, from: &'a str, end: &str) -> &'a str {
        let (found, rest) = from.split_once(end).unwrap_or((from, ""));
        self.rest = rest;
        found
    }

    fn tag(&mut self, from: &'a str) -> Token<'a> {
        let inside = self.until_end_of_tag(from);
        if let Some(name) = inside.strip_prefix('/') {
            return Token::Close { name: name.trim().to_ascii_lowercase() };
        }
        let (inside, is_empty) = match inside.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
        let name = inside[..end].to_ascii_lowercase();
        if is_empty {
            self.pending = Some(Token::Close { name: name.clone() });
        }
        Token::Open { name, attributes: &inside[end..] }
    }

    /// A `>` in quotation marks does not end it.
    fn until_end_of_tag(&mut self, from: &'a str) -> &'a str {
        let mut quote = None;
        for (at, byte) in from.bytes().enumerate() {
            match (quote, byte) {
                (None, b'>') => {
                    self.rest = &from[at + 1..];
                    return &from[..at];
                }
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
        }
        self.rest = "";
        from
    }

    fn text(&mut self) -> Token<'a> {
        // The first character is text even if it looks like the beginning of a tag.
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let end = self.rest[first..].find('<').map_or(self.rest.len(), |at| at + first);
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Token::Text(unescaped(text))
    }
}

fn begins_tag(text: &str) -> bool {
    text.strip_prefix('/').unwrap_or(text).starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The value of an attribute.
pub(super) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, behind) = after[1..].split_once(quote)?;
        if before.trim().eq_ignore_ascii_case(name) {
            return Some(unescaped(value));
        }
        rest = behind;
    }
    None
}

/// Longer than any name of a character.
const LONGEST_NAME: usize = 12;

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let window = &after[..after.floor_char_boundary(LONGEST_NAME)];
        let known = window.split_once(';').and_then(|(name, _)| Some((character(name)?, name.len() + 1)));
        match known {
            Some((c, length)) => {
                out.push(c);
                rest = &after[length..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, c)| *c)
}

/// Those that Confluence's editor writes.
const NAMED: [(&str, char); 40] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("rarr", '→'),
    ("larr", '←'),
    ("uarr", '↑'),
    ("darr", '↓'),
    ("harr", '↔'),
    ("times", '×'),
    ("deg", '°'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("euro", '€'),
    ("sect", '§'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_comes_in_pieces() {
        let found: Vec<Token<'_>> =
            tokens(r#"<p a="x>y">1 &lt; 2<br/><!-- no --><![CDATA[a <b>]]></P>"#).collect();
        let named = |name: &str| name.to_owned();
        let expected = [
            Token::Open { name: named("p"), attributes: r#" a="x>y""# },
            Token::Text("1 < 2".to_owned()),
            Token::Open { name: named("br"), attributes: "" },
            Token::Close { name: named("br") },
            Token::Verbatim("a <b>"),
            Token::Close { name: named("p") },
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_no_markup_is_text() {
        let text: String = tokens("a < b & c &bogus; &#x41; &#xD800; <")
            .map(|token| match token {
                Token::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(text, "a < b & c &bogus; A &#xD800; <");
    }

    #[test]
    fn an_attribute_is_found_by_its_name() {
        let attributes = r#" ac:name="code" ac:schema-version='1' title="a &quot;b&quot;""#;
        assert_eq!(attribute(attributes, "ac:name").as_deref(), Some("code"));
        assert_eq!(attribute(attributes, "title").as_deref(), Some("a \"b\""));
        assert_eq!(attribute(attributes, "missing"), None);
        assert_eq!(attribute(" broken=", "broken"), None);
    }
}
