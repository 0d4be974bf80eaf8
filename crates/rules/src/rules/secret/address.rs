//! Addresses that let in whoever knows them.

use std::ops::Range;

use super::detect::{Assurance, Reading};
use super::sample::{has_digit, is_placeholder, is_reference, is_sample_password, is_sample_token};
use super::shape::{contains_any, is_random};
use super::tokens::{Alphabet, is_word};

/// The password in `scheme://user:password@host`.
pub(super) fn password(text: &[u8], at: Range<usize>, reading: Reading) -> Option<(Range<usize>, Assurance)> {
    if !at.start.checked_sub(1).is_some_and(|before| is_word(text[before])) {
        return None;
    }
    let end_of = |from: usize, stop: &[u8]| {
        text[from..].iter().take(200).position(|byte| stop.contains(byte) || byte.is_ascii_whitespace())
    };
    let mut colon = at.end + end_of(at.end, b":/@\"'<>`")?;
    // The user may be an address of mail.
    if text[colon] == b'@' {
        colon += 1 + end_of(colon + 1, b":/@\"'<>`")?;
    }
    if text[colon] != b':' {
        return None;
    }
    let mut end = colon + 1 + end_of(colon + 1, b"/@\"'<>`")?;
    // A password may hold the sign that ends it; the last one in front of the host counts.
    if text[end] == b'@'
        && let Some(more) = end_of(end + 1, b"/@\"'<>`").filter(|more| text[end + 1 + more] == b'@')
    {
        end += 1 + more;
    }
    let (user, password) = (&text[at.end..colon], &text[colon + 1..end]);
    if text[end] != b'@' {
        return None;
    }
    let found = colon + 1..end;
    if reading == Reading::Output {
        return (!password.is_empty()).then_some((found, Assurance::Likely));
    }
    let host_end =
        end + 1 + end_of(end + 1, b":/?\"'<>`,;)").unwrap_or_else(|| (text.len() - end - 1).min(200));
    let host = text.get(end + 1..host_end)?;
    let given = password.len() >= 6 && password != user && !is_sample_host(host);
    let mixed = password.iter().any(u8::is_ascii_digit) && password.iter().any(u8::is_ascii_alphabetic);
    if is_sample_password(password) {
        let weak = has_digit(password) && password.len() >= 10 && !is_no_password(password);
        let weak = given && mixed && is_public(host) && weak;
        return weak.then_some((found, Assurance::Possible));
    }
    let assurance = if is_public(host) && mixed { Assurance::Likely } else { Assurance::Possible };
    (given && (mixed || is_public(host))).then_some((found, assurance))
}

/// A common word with a number is a bad password, but one; what has to be replaced, or stands elsewhere, is none.
fn is_no_password(value: &[u8]) -> bool {
    is_placeholder(value) || is_reference(value)
}

fn is_public(host: &[u8]) -> bool {
    let is_known = !host.starts_with(b"127.") && host != b"0.0.0.0";
    host.contains(&b'.') && is_known && !contains_any(host, &[".local", ".internal"])
}

fn is_sample_host(host: &[u8]) -> bool {
    host.is_empty()
        || contains_any(host, &["example", ".test", ".invalid", "{", "$", "%", "hostname", "your"])
        || host.eq_ignore_ascii_case(b"host")
}

/// A hook's address is its password.
pub(super) fn hook(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    long_path(text, &at, 30, 20)
}

/// `cloudinary://key:secret@cloud`
pub(super) fn cloudinary(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let number = text[at.end..].iter().take(20).take_while(|byte| byte.is_ascii_digit()).count();
    let from = at.end + number + 1;
    let key = Alphabet::Url.run(text.get(from..)?);
    let closed = text.get(from + key) == Some(&b'@') && text[from - 1] == b':';
    let fits = number >= 12 && (25..=30).contains(&key) && closed;
    (fits && !is_sample_token(&text[from..from + key])).then_some(from..from + key)
}

/// The same, with shorter parts.
pub(super) fn short_hook(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    long_path(text, &at, 11, 5)
}

fn long_path(text: &[u8], at: &Range<usize>, shortest: usize, shortest_key: usize) -> Option<Range<usize>> {
    let holds = |byte: &&u8| Alphabet::Url.holds(**byte) || b"/@".contains(*byte);
    let path = text[at.end..].iter().take(300).take_while(holds).count();
    let end = at.end + path;
    let key =
        text[at.end..end].trim_ascii_end().rsplit(|byte| *byte == b'/').find(|part| !part.is_empty())?;
    let sample = is_sample_token(&text[at.end..end]);
    (path >= shortest && key.len() >= shortest_key && !sample).then_some(at.end..end)
}

/// `sig=` in an address that also says since when or until when it holds.
pub(super) fn shared_access_signature(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let opened = at.start.checked_sub(1).is_some_and(|before| b"?&;".contains(&text[before]));
    let holds = |byte: &&u8| Alphabet::Base64.holds(**byte) || **byte == b'%';
    let run = text[at.end..].iter().take(120).take_while(holds).count();
    let value = &text[at.end..at.end + run];
    let around = &text[at.start.saturating_sub(300)..text.len().min(at.end + run + 300)];
    let signed = contains_any(around, &["sv=", "se=", "skn="]);
    (opened && run >= 43 && signed && is_random(value) && !is_sample_token(value))
        .then_some(at.end..at.end + run)
}
