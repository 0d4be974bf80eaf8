//! A value as it is written behind its name.

use std::ops::Range;

use super::name::{Kind, Name};
use super::operator::Operator;
use super::shape::{LONGEST, contains_any};
use super::tokens::Alphabet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) range: Range<usize>,
    pub(super) manner: Manner,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Quoted,
    /// Without quotes of its own, inside a text that others quote: an address, a header, a connection string.
    Embedded,
    /// Without quotes, and nothing else behind it.
    Bare,
}

/// Functions that hand on what they are called with.
const WRAPPERS: [&str; 17] = [
    "from",
    "new",
    "string",
    "str",
    "some",
    "ok",
    "bytes",
    "buffer",
    "secret",
    "secretstring",
    "securestring",
    "parse",
    "unhexlify",
    "fromhex",
    "b64decode",
    "decode",
    "quote",
];

pub(super) fn read(name: &Name<'_>, operator: Operator, from: usize) -> Option<Literal> {
    let text = name.text;
    let start = from + blanks(&text[from..]);
    match operator {
        Operator::Element => element(text, from),
        Operator::Assigned => {
            quoted(text, start).or_else(|| block(text, start)).or_else(|| unquoted(name, start))
        }
        Operator::Listed => listed(text, from),
        Operator::Spaced => quoted(text, start).or_else(|| word(name, start)),
        Operator::Paired => quoted(text, start).and_then(|literal| behind_value(text, literal)),
        Operator::Compared | Operator::Called | Operator::Attribute | Operator::Fallback => {
            quoted(text, start)
        }
        Operator::Substituted => substituted(text, from),
    }
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take(40).take_while(|byte| b" \t".contains(byte)).count()
}

fn quoted(text: &[u8], start: usize) -> Option<Literal> {
    let mut at = start + wrapper(&text[start..]);
    let prefix = text[at..].iter().take(2).take_while(|byte| b"bBrRuULN@$&".contains(byte)).count();
    if text.get(at + prefix).is_some_and(|byte| b"\"'`\\".contains(byte)) {
        at += prefix;
    }
    let escaped = text.get(at) == Some(&b'\\');
    let quote = text.get(at + usize::from(escaped)).copied().filter(|byte| b"\"'`".contains(byte))?;
    let opening = &text[at + usize::from(escaped)..];
    let triple = opening.starts_with(&[quote; 3]) && opening.get(3) != Some(&quote);
    let open = at + usize::from(escaped) + if triple { 3 } else { 1 };
    let value = &text[open..];
    let end = value.iter().take(LONGEST + 1).enumerate().position(|(at, byte)| {
        let after_escape = at > 0 && value[at - 1] == b'\\';
        *byte == b'\n' || (*byte == quote && (escaped || !after_escape))
    })?;
    let end = if escaped && end > 0 && value[end - 1] == b'\\' { end - 1 } else { end };
    (value[end] != b'\n').then(|| Literal { range: open..open + end, manner: Manner::Quoted })
}

/// In `"name": "X", "value": "Y"` the second word is none yet.
fn behind_value(text: &[u8], literal: Literal) -> Option<Literal> {
    if !text[literal.range.clone()].eq_ignore_ascii_case(b"value") {
        return Some(literal);
    }
    let colon = literal.range.end + 1;
    let start = colon + 1 + blanks(text.get(colon + 1..)?);
    if text.get(colon) == Some(&b':') { quoted(text, start) } else { Some(literal) }
}

/// A column of a table.
fn listed(text: &[u8], start: usize) -> Option<Literal> {
    let run = Alphabet::Header.run(&text[start..]);
    let closed = text.get(start + run).is_none_or(|byte| b",\r\n".contains(byte));
    (closed && (1..=LONGEST).contains(&run))
        .then(|| Literal { range: start..start + run, manner: Manner::Bare })
}

/// Up to the brace that ends the variable.
fn substituted(text: &[u8], start: usize) -> Option<Literal> {
    let reach = &text[start..text.len().min(start + LONGEST + 1)];
    let end = reach.iter().position(|byte| b"}\n".contains(byte))?;
    let plain = reach[end] == b'}' && !reach[..end].iter().any(|byte| b"${\"'".contains(byte));
    plain.then(|| Literal { range: start..start + end, manner: Manner::Quoted })
}

/// The length of `String::from(` and the like.
fn wrapper(text: &[u8]) -> usize {
    const CMDLET: &[u8] = b"ConvertTo-SecureString ";
    if text.get(..CMDLET.len()).is_some_and(|start| start.eq_ignore_ascii_case(CMDLET)) {
        return CMDLET.len();
    }
    let length = text
        .iter()
        .take(48)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_:. ".contains(byte))
        .count();
    if text.get(length) != Some(&b'(') {
        return 0;
    }
    let name =
        text[..length].rsplit(|byte| b":. ".contains(byte)).next().unwrap_or_default().to_ascii_lowercase();
    if WRAPPERS.iter().any(|wrapper| wrapper.as_bytes() == name) { length + 1 } else { 0 }
}

/// `|` or `>` and a value on the next line.
fn block(text: &[u8], start: usize) -> Option<Literal> {
    let sign = text.get(start).filter(|byte| b"|>".contains(byte)).map(|_| start + 1)?;
    let sign = sign + text[sign..].iter().take(1).take_while(|byte| b"+-".contains(byte)).count();
    next_line(text, sign)
}

fn element(text: &[u8], from: usize) -> Option<Literal> {
    let start = from + blanks(&text[from..]);
    let reach = &text[start..text.len().min(start + LONGEST + 1)];
    match reach.iter().position(|byte| b"<\n\r".contains(byte)) {
        Some(end) if reach[end] == b'<' && end > 0 => {
            let end = reach[..end].trim_ascii_end().len();
            Some(Literal { range: start..start + end, manner: Manner::Quoted })
        }
        Some(0) => next_line(text, start),
        Some(_) | None => None,
    }
}

/// The whole of the line below.
fn next_line(text: &[u8], from: usize) -> Option<Literal> {
    let feed = from + text[from..].iter().take(3).position(|byte| *byte == b'\n')?;
    let start = feed + 1 + blanks(&text[feed + 1..]);
    let reach = &text[start..text.len().min(start + LONGEST + 1)];
    let end = reach.iter().position(|byte| b"\n\r<".contains(byte)).unwrap_or(reach.len());
    (start > feed + 1).then(|| Literal { range: start..start + end, manner: Manner::Bare })
}

fn unquoted(name: &Name<'_>, start: usize) -> Option<Literal> {
    let text = name.text;
    let reach = &text[start..text.len().min(start + LONGEST + 1)];
    let in_connection = is_connection(name);
    let in_query = name.text[..name.range.start].last().is_some_and(|byte| b"?&".contains(byte));
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || b"\"'`<".contains(byte)
            || (in_connection && *byte == b';')
            || (in_query && *byte == b'&')
    };
    let end = reach.iter().position(ends).unwrap_or(reach.len());
    let literal = |manner| Some(Literal { range: start..start + end, manner });
    if end == 0 || end > LONGEST || reach[..end].iter().any(|byte| b"()[]{}".contains(byte)) {
        return None;
    }
    match reach.get(end) {
        Some(b'"' | b'\'' | b'`' | b'&') => literal(Manner::Embedded),
        Some(b';') => literal(Manner::Embedded),
        Some(b'<') => None,
        _ if name.is_flag() => literal(Manner::Embedded),
        _ if in_connection => literal(Manner::Embedded),
        _ => {
            let value = &reach[..end];
            let plain = !value.iter().any(|byte| b";,".contains(byte)) || name.kind == Kind::Password;
            let ends = is_alone(&text[start + end..]) || is_in_command(name, start);
            (plain && ends).then(|| literal(Manner::Bare))?
        }
    }
}

/// `--password value`, `password value` in a file of logins, `ENV PASSWORD value`.
fn word(name: &Name<'_>, start: usize) -> Option<Literal> {
    let before = name.before();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let of_login = contains_any(line, &["login ", "machine "]);
    let opens_line = line.trim_ascii().is_empty() || line.trim_ascii().eq_ignore_ascii_case(b"env");
    let reach = &name.text[start..name.text.len().min(start + LONGEST + 1)];
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`;".contains(byte);
    let end = reach.iter().position(ends).unwrap_or(reach.len());
    let value = &reach[..end];
    let plain = end > 0 && end <= LONGEST && !value.iter().any(|byte| b"()[]{}=,".contains(byte));
    let manner = match () {
        () if of_login || name.is_flag() => Manner::Embedded,
        () if opens_line && is_alone(&name.text[start + end..]) => Manner::Bare,
        () => return None,
    };
    plain.then(|| Literal { range: start..start + end, manner })
}

/// `-e NAME=value image`, `--set auth.name=value --wait`, `-Dname=value`, and `NAME=value program` at the start of a line.
fn is_in_command(name: &Name<'_>, start: usize) -> bool {
    const OPTIONS: [&[u8]; 12] = [
        b"-e",
        b"--env",
        b"-d",
        b"--data",
        b"--data-urlencode",
        b"-F",
        b"--form",
        b"--build-arg",
        b"--set",
        b"--set-string",
        b"-var",
        b"export",
    ];
    let line = name.before().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let path = line.iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let (before, path) = line.split_at(line.len() - path);
    let option = before.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let opens = before.trim_ascii().is_empty() && path.is_empty();
    let joined = start.checked_sub(1).is_some_and(|sign| name.text[sign] == b'=');
    joined && (opens || OPTIONS.contains(&option) || path.starts_with(b"-D") || path.starts_with(b"-P"))
}

/// Whether nothing but a comment follows on the line.
fn is_alone(rest: &[u8]) -> bool {
    let line = &rest[..memchr::memchr(b'\n', &rest[..rest.len().min(400)]).unwrap_or(rest.len().min(400))];
    let behind = line.trim_ascii();
    behind.is_empty() || behind.starts_with(b"#") || behind.starts_with(b"//") || behind == b"\\"
}

/// `Server=...;User Id=...;Password=...`
fn is_connection(name: &Name<'_>) -> bool {
    const PARTS: [&str; 8] =
        ["server=", "data source=", "host=", "user id=", "uid=", "endpoint=", "user=", "username="];
    name.kind == Kind::Password && contains_any(name.before(), &PARTS)
}
