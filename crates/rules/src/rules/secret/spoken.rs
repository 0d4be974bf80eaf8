//! A value that a program's output calls a password, a secret, a token or a key: `password=...`, `token: ...`.

use std::ops::Range;

use super::detect::{Assurance, Found, Grade};
use super::name::{Kind, Name};
use super::shape::contains_any;

/// Nothing farther away is looked at.
const LONGEST: usize = 200;

/// What stands where a value would, in messages and in code that is quoted in them.
const NO_VALUE: [&str; 20] = [
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "required",
    "missing",
    "invalid",
    "incorrect",
    "expired",
    "wrong",
    "empty",
    "expected",
    "string",
    "str",
    "bytes",
    "text",
    "is",
    "was",
];

/// `at` is the word in question. Compilers speak of tokens and keys, too: behind a colon, only what could not be a
/// word is taken for one.
pub(super) fn value(text: &[u8], at: Range<usize>) -> Option<Found> {
    let name = Name::around(text, at.clone()).filter(|name| name.kind != Kind::Login)?;
    let is_password = name.kind == Kind::Password;
    let end = name.range.end;
    let skip = |from: usize, bytes: &[u8], most: usize| {
        from + text[from..].iter().take(most).take_while(|byte| bytes.contains(byte)).count()
    };
    let operator = skip(skip(end, b"\"'", 1), b" \t", 4);
    let after = skip(operator, b":=>", 3);
    let sign = &text[operator..after];
    if sign.is_empty() || sign == b"==" || sign == b"::" || sign == b">" {
        return None;
    }
    let open = skip(after, b" \t", 4);
    let quote = text.get(open).copied().filter(|byte| b"\"'".contains(byte));
    let start = open + usize::from(quote.is_some());
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote || *byte == b'\n',
        None => byte.is_ascii_whitespace() || b",;&)]}\"'`".contains(byte),
    };
    let reach = &text[start..text.len().min(start + LONGEST)];
    let length = reach.iter().position(ends).unwrap_or(reach.len());
    let value = &reach[..length];
    let certain = is_password || quote.is_some() || sign.ends_with(b"=");
    let telling = is_a_value(value) && (certain || is_no_word(value)) && name.is_telling(&at);
    telling.then(|| Found {
        range: start..start + length,
        shown: 0,
        what: name.kind.what(),
        grade: Grade::Bare,
        assurance: Assurance::Possible,
        random: false,
    })
}

fn is_a_value(value: &[u8]) -> bool {
    value.len() >= 4
        && !b"$%{<[(*&.".contains(&value[0])
        && !contains_any(value, &["(", "[", "::", "${", "{{"])
        && !NO_VALUE.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

fn is_no_word(value: &[u8]) -> bool {
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    value.len() >= 8 && mixed
}
