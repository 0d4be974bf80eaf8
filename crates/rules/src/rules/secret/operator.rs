//! How a name is given its value, in the syntaxes of code, settings, markup and command lines.

use super::below;
use super::name::Name;
use super::tokens::is_word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `=`, `:`, `=>`, `:=` and their relatives.
    Assigned,
    /// `==`
    Compared,
    /// `"name", "value"`
    Paired,
    /// `name,value,`
    Listed,
    /// `name("value")`
    Called,
    /// `<name>value</name>`
    Element,
    /// `name="name" value="value"`
    Attribute,
    /// `name "value"`
    Spaced,
    /// `name || "value"`, `get("name") or "value"`: what is used where nobody set anything else.
    Fallback,
    /// `${name:-value}`, `${name:value}`
    Substituted,
}

/// What follows the name, and where the value may start.
pub(super) fn behind(name: &Name<'_>) -> Option<(Operator, usize)> {
    let text = name.text;
    let mut cursor = Cursor { text, at: name.range.end };
    let called = cursor.peek() == Some(b'(');
    if called {
        return (!name.asks()).then_some((Operator::Called, cursor.at + 1));
    }
    if cursor.rest().starts_with(b" ('") {
        return (!name.asks()).then_some((Operator::Called, cursor.at + 2));
    }
    if text[..name.range.start].ends_with(b"${") && cursor.peek() == Some(b':') {
        cursor.skip(b":", 1);
        cursor.skip(b"-=", 1);
        return Some((Operator::Substituted, cursor.at));
    }
    if let Some(below) = below::value(name) {
        return Some(below);
    }
    if cursor.peek() == Some(b'>') {
        let opened = text[..name.range.start].ends_with(b"<") || text[..name.range.start].ends_with(b":");
        return opened.then_some((Operator::Element, cursor.at + 1));
    }
    if let Some(behind) = behind_attributes(name) {
        return Some((Operator::Element, behind));
    }
    cursor.skip(b"\\", 1);
    let closed = cursor.skip(b"\"'`", 1) > 0;
    let handed = cursor.peek() == Some(b')');
    cursor.skip(b"])", 2);
    let blank = cursor.skip(b" \t", 40);
    if closed && cursor.peek() == Some(b'>') {
        return Some((Operator::Element, cursor.at + 1));
    }
    if cursor.peek() == Some(b',') {
        return Some((if closed { Operator::Paired } else { Operator::Listed }, cursor.at + 1));
    }
    if closed && blank > 0 && cursor.starts_with_attribute() {
        return Some((Operator::Attribute, cursor.at + b"value=".len()));
    }
    if let Some(fallback) = cursor.fallback() {
        return Some((Operator::Fallback, fallback));
    }
    cursor.type_annotation();
    let start = cursor.at;
    cursor.skip(b":=>?+.|~", 4);
    // What a call gives back is not the value of what it was handed.
    if handed && text[start..cursor.at] == *b"=>" {
        return None;
    }
    match &text[start..cursor.at] {
        b"=" | b":" | b":=" | b"::=" | b":::=" | b"=>" | b"?=" | b"??=" | b"||=" | b"+=" | b".=" => {
            Some((Operator::Assigned, cursor.at))
        }
        // A block of YAML: the operator is the colon alone.
        b":|" | b":>" => Some((Operator::Assigned, start + 1)),
        b"==" | b"===" => Some((Operator::Compared, cursor.at)),
        b"" if blank > 0 && !closed => Some((Operator::Spaced, cursor.at)),
        _ => None,
    }
}

/// `<password encoding="base64">`: where the element begins.
fn behind_attributes(name: &Name<'_>) -> Option<usize> {
    const FARTHEST: usize = 100;
    let rest = &name.text[name.range.end..name.text.len().min(name.range.end + FARTHEST)];
    let opened = name.text[..name.range.start].ends_with(b"<") && rest.first() == Some(&b' ');
    let end = rest.iter().position(|byte| b"<>\n".contains(byte)).filter(|_| opened)?;
    (rest[end] == b'>' && rest[end - 1] != b'/').then_some(name.range.end + end + 1)
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: &[u8], most: usize) -> usize {
        let run = self.rest().iter().take(most).take_while(|byte| bytes.contains(byte)).count();
        self.at += run;
        run
    }

    fn starts_with_attribute(&self) -> bool {
        self.rest().get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"value="))
    }

    /// Behind an operator that stands between a value and what takes its place.
    fn fallback(&self) -> Option<usize> {
        let sign =
            [&b"|| "[..], b"?? ", b"?: ", b"or "].into_iter().find(|sign| self.rest().starts_with(sign))?;
        Some(self.at + sign.len())
    }

    /// `password: &str = "..."`, `token: string = "..."`, `var token string = "..."`: the type is passed over.
    fn type_annotation(&mut self) {
        let rest = self.rest();
        let colon = usize::from(rest.first() == Some(&b':'));
        let annotation = &rest[colon..];
        let length = annotation
            .iter()
            .take(40)
            .take_while(|byte| is_word(**byte) || b" &'<>|?.[]*".contains(byte))
            .count();
        let written = &annotation[..length];
        let quoted = written.contains(&b'\'') && !written.contains(&b'&');
        let assigned = annotation.get(length) == Some(&b'=') && annotation.get(length + 1) != Some(&b'=');
        let is_type =
            colon > 0 || written.trim_ascii().iter().all(|byte| is_word(*byte) || b"[]*.".contains(byte));
        if assigned
            && !quoted
            && is_type
            && written.first().is_some_and(|byte| *byte == b' ' || is_word(*byte))
        {
            self.at += colon + length;
        }
    }
}
