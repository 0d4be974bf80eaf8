//! A value that is called a password, a secret, a token or a key.

use std::ops::Range;

use super::detect::Grade;
use super::shape::is_plausible_secret;
use super::tokens::is_word;

/// No secret that people give a name is longer, and nothing farther away is looked at.
const LONGEST: usize = 200;

/// `at` is the word in question, anywhere in `text`; it has to end its name and be given a literal value.
pub(super) fn value(text: &[u8], at: Range<usize>) -> Option<(Range<usize>, Grade)> {
    let word = text[at.clone()].to_ascii_lowercase();
    let shortest = if word.starts_with(b"pass") { 8 } else { 16 };
    let mut cursor = Cursor { text, at: at.end };
    if cursor.peek().is_some_and(|byte| is_word(byte) || byte == b'-') {
        return None;
    }
    cursor.skip(b"\"'`])", 2);
    cursor.skip(b" \t", 40);
    cursor.type_annotation();
    let operator = cursor.skip(b":=>", 3);
    if operator == 0 || text[..cursor.at].ends_with(b"==") || text[..cursor.at].ends_with(b"::") {
        return None;
    }
    cursor.skip(b" \t", 40);
    let start = cursor.at;
    match cursor.peek()? {
        quote @ (b'"' | b'\'' | b'`') => {
            let value = &text[start + 1..];
            let end = value.iter().take(LONGEST + 1).position(|byte| *byte == quote)?;
            is_plausible_secret(&value[..end], shortest)
                .then_some((start + 1..start + 1 + end, Grade::Quoted))
        }
        _ => {
            let rest = &text[start..];
            let reach = &rest[..rest.len().min(LONGEST + 1)];
            let length = reach.iter().position(u8::is_ascii_whitespace).unwrap_or(reach.len());
            let value = &rest[..length];
            let mut behind = rest[length..].iter().take_while(|byte| **byte != b'\n');
            let alone = length <= LONGEST && behind.all(u8::is_ascii_whitespace);
            let called = value.iter().any(|byte| b"()[]{};,\"'`".contains(byte));
            let plausible = alone && !called && is_plausible_secret(value, shortest);
            plausible.then_some((start..start + length, Grade::Bare))
        }
    }
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, bytes: &[u8], most: usize) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let run = rest.iter().take(most).take_while(|byte| bytes.contains(byte)).count();
        self.at += run;
        run
    }

    /// `password: &str = "..."`, `token: string = "..."`: the type is passed over.
    fn type_annotation(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(annotation) = rest.strip_prefix(b":") else { return };
        let length = annotation
            .iter()
            .take(40)
            .take_while(|byte| is_word(**byte) || b" &'<>|?.".contains(byte))
            .count();
        let quoted = annotation[..length].contains(&b'\'');
        let assigned = annotation.get(length) == Some(&b'=');
        if assigned && (!quoted || annotation[..length].contains(&b'&')) {
            self.at += 1 + length;
        }
    }
}
