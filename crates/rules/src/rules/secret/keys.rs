//! Private keys in the forms that files and strings hold them in.

use std::ops::Range;

use super::tokens::Alphabet;

pub(super) const PRIVATE_KEY: &str = "a private key";

/// More than any private key in use takes.
const LONGEST_KEY: usize = 16 * 1024;

/// From the header to the end of the key, or of the text; only where some of the key follows.
pub(super) fn private_key(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[at.end..];
    let kind = rest.iter().take(40).position(|byte| *byte == b'-')?;
    if !is_private(&rest[..kind]) || !rest[kind..].starts_with(b"-----") {
        return None;
    }
    let body = at.end + kind + 5;
    Some(at.start..body + key_length(&text[body..], b"-----END")?)
}

/// The form of RFC 4716, which separates its dashes from the words.
pub(super) fn ssh2_key(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[at.end..];
    let kind = rest.iter().take(40).position(|byte| *byte == b'-')?;
    let body = at.end + kind + 4;
    let opened = rest[..kind].ends_with(b"PRIVATE KEY ") && rest[kind..].starts_with(b"----");
    let length = opened.then(|| key_length(&text[body..], b"---- END"))??;
    Some(at.start..body + length)
}

/// Only PuTTY's private keys open so.
pub(super) fn putty_key(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let rest = text[at.end..].strip_prefix(b"2: ").or_else(|| text[at.end..].strip_prefix(b"3: "))?;
    let algorithm = Alphabet::Url.run(rest);
    let known = [&b"ssh-"[..], b"ecdsa-", b"ed25519"].iter().any(|name| rest.starts_with(name));
    let whole = || ends_line(&rest[algorithm..]) || counts_its_lines(&rest[algorithm..]);
    (known && algorithm >= 7 && whole()).then_some(at.start..at.end + 3 + algorithm)
}

fn ends_line(rest: &[u8]) -> bool {
    rest.strip_prefix(b"\r").unwrap_or(rest).first().is_none_or(|byte| *byte == b'\n')
}

/// Code that writes such keys has no number there.
fn counts_its_lines(rest: &[u8]) -> bool {
    const COUNT: &[u8] = b"Private-Lines: ";
    // The public half of a key stands in front of it, which is much shorter.
    let rest = &rest[..rest.len().min(4 * 1024)];
    let count = memchr::memmem::find(rest, COUNT).and_then(|at| rest.get(at + COUNT.len()));
    count.is_some_and(u8::is_ascii_digit)
}

/// The lines behind the number of lines.
pub(super) fn putty_body(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let digits = text[at.end..].iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let body = at.end + digits;
    let holds = |byte: &&u8| Alphabet::Base64.holds(**byte) || byte.is_ascii_whitespace();
    let length = text[body..].iter().take(LONGEST_KEY).take_while(holds).count();
    (digits > 0 && length >= 40).then_some(body..body + length)
}

fn is_private(kind: &[u8]) -> bool {
    kind.ends_with(b"PRIVATE KEY") || kind.ends_with(b"PRIVATE KEY BLOCK")
}

/// Of the body up to the footer, if there is enough of one.
fn key_length(body: &[u8], footer: &[u8]) -> Option<usize> {
    let body = &body[..body.len().min(LONGEST_KEY)];
    let length = memchr::memmem::find(body, footer).unwrap_or(body.len());
    let start = &body[..length.min(400)];
    let longest = start.split(|byte| !Alphabet::Base64.holds(*byte)).take(40).map(<[u8]>::len).max();
    let varied = super::shape::distinct(start) >= 8;
    let has_end = length < body.len();
    let sample = has_end && is_cut_out(&body[..length]);
    (longest >= Some(12) && varied && !sample).then_some(length)
}

/// Whether dots stand for the most of it, as documentation shows keys.
fn is_cut_out(body: &[u8]) -> bool {
    body.trim_ascii_end().ends_with(b".") || memchr::memmem::find(body, b"...").is_some()
}

/// Whether the line is, or ends in, the header of a private key, with nothing but string syntax behind it.
pub(super) fn opens_private_key(line: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(line, b"-----BEGIN ") else { return false };
    let rest = &line[at + 11..];
    let Some(kind) = rest.iter().take(40).position(|byte| *byte == b'-') else { return false };
    let behind = rest[kind..].strip_prefix(b"-----").map(bare);
    is_private(&rest[..kind])
        && behind.is_some_and(|behind| behind.is_empty() || behind == b"n" || behind == b"rn")
}

/// Whether the line below such a header belongs to a key.
pub(super) fn is_key_line(line: &[u8]) -> bool {
    let line = bare(line);
    let line = line.strip_suffix(b"\\n").unwrap_or(line);
    line.len() >= 16
        && line.iter().all(|byte| Alphabet::Base64.holds(*byte))
        && super::shape::distinct(line) >= 8
}

/// Whether the line below such a header says something about the key.
pub(super) fn is_key_header(line: &[u8]) -> bool {
    let line = bare(line);
    line.is_empty()
        || [&b"Proc-Type:"[..], b"DEK-Info:", b"Version:", b"Comment:"]
            .iter()
            .any(|name| line.starts_with(name))
}

/// Without what a comment or a string puts around it.
fn bare(line: &[u8]) -> &[u8] {
    let is_syntax = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`+,;\\#*>|.()".contains(byte);
    let start = line.iter().position(|byte| !is_syntax(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_syntax(byte)).map_or(start, |at| at + 1);
    let line = &line[start..end];
    line.strip_suffix(b"\\n").or_else(|| line.strip_suffix(b"\\r\\n")).unwrap_or(line)
}
