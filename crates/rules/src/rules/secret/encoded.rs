//! Secrets with a structure of their own: JSON web tokens, keys, addresses with a password.

use std::ops::Range;

use super::detect::Reading;
use super::shape::{contains_any, entropy, is_sample_password, is_sample_token};
use super::tokens::{Alphabet, is_word};

/// Three parts of base64url, the first of which says which algorithm signed the others.
pub(super) fn jwt(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    if at.start.checked_sub(1).is_some_and(|before| Alphabet::Dotted.holds(text[before])) {
        return None;
    }
    let run = text[at.start..].iter().take(4096).take_while(|byte| Alphabet::Dotted.holds(**byte)).count();
    let token = &text[at.start..at.start + run];
    let mut parts = token.split(|byte| *byte == b'.');
    let (header, payload, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let header = decode(header)?;
    let signed = header.starts_with(b"{") && contains_any(&header, &["\"alg\""]);
    let claims = decode(payload)?;
    let sample = contains_any(&claims, &["john doe", "example"]);
    let end = at.start + token.len() - parts.map(|part| part.len() + 1).sum::<usize>();
    (signed && claims.starts_with(b"{") && signature.len() >= 20 && !sample).then_some(at.start..end)
}

/// Base64 in the URL alphabet; padding is not used in tokens.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xFF) as u8);
        }
    }
    Some(bytes)
}

/// More than any private key in use takes.
const LONGEST_KEY: usize = 16 * 1024;

/// From the header to the end of the key, or of the text; only where some of the key follows.
pub(super) fn private_key(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[at.end..];
    let kind = rest.iter().take(40).position(|byte| *byte == b'-')?;
    if !rest[..kind].ends_with(b"PRIVATE KEY") || !rest[kind..].starts_with(b"-----") {
        return None;
    }
    let body = &rest[kind + 5..];
    let body = &body[..body.len().min(LONGEST_KEY)];
    let start = before_end(&body[..body.len().min(400)]);
    let letters = start.iter().take(200).filter(|byte| Alphabet::Base64.holds(**byte)).count();
    let longest_run = start.split(|byte| !Alphabet::Base64.holds(*byte)).take(20).map(<[u8]>::len).max();
    let is_key = letters >= 12 && longest_run >= Some(12);
    is_key.then(|| at.start..at.end + kind + 5 + before_end(body).len())
}

fn before_end(key: &[u8]) -> &[u8] {
    &key[..memchr::memmem::find(key, b"-----END").unwrap_or(key.len())]
}

/// The password in `scheme://user:password@host`.
pub(super) fn url_password(text: &[u8], at: Range<usize>, reading: Reading) -> Option<Range<usize>> {
    if !at.start.checked_sub(1).is_some_and(|before| is_word(text[before])) {
        return None;
    }
    let end_of = |from: usize, stop: &[u8]| {
        text[from..].iter().take(200).position(|byte| stop.contains(byte) || byte.is_ascii_whitespace())
    };
    let colon = at.end + end_of(at.end, b":/@\"'<>`")?;
    if text[colon] != b':' {
        return None;
    }
    let end = colon + 1 + end_of(colon + 1, b"/@\"'<>`")?;
    let (user, password) = (&text[at.end..colon], &text[colon + 1..end]);
    if reading == Reading::Output {
        return (text[end] == b'@' && !password.is_empty()).then_some(colon + 1..end);
    }
    let host_end =
        end + 1 + end_of(end + 1, b":/?\"'<>`,;)").unwrap_or_else(|| (text.len() - end - 1).min(200));
    let host = text.get(end + 1..host_end)?;
    let real = text[end] == b'@'
        && password.len() >= 6
        && password != user
        && !is_sample_password(password)
        && is_public(host);
    real.then_some(colon + 1..end)
}

fn is_public(host: &[u8]) -> bool {
    host.contains(&b'.')
        && !host.starts_with(b"127.")
        && host != b"0.0.0.0"
        && !contains_any(host, &["example", ".local", ".test", ".invalid", "{", "$", "%"])
}

/// Forty characters of base64 behind the name AWS gives them.
pub(super) fn aws_secret(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let name = text[at.end..].iter().take(24).take_while(|byte| is_word(**byte)).count();
    let from = at.end + name;
    let gap = text[from..].iter().take(8).take_while(|byte| b"\"' :=>\t`".contains(byte)).count();
    let start = from + gap;
    let run = Alphabet::Base64.run(&text[start..]);
    let value = &text[start..start + run];
    (gap > 0 && run == 40 && entropy(value) >= 4.0 && !is_sample_token(value)).then_some(start..start + run)
}

/// A hook's address is its password.
pub(super) fn hook(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let path = text[at.end..]
        .iter()
        .take(200)
        .take_while(|byte| Alphabet::Url.holds(**byte) || **byte == b'/')
        .count();
    let end = at.end + path;
    let key = text[at.end..end].rsplit(|byte| *byte == b'/').next()?;
    (path >= 30 && key.len() >= 20 && !is_sample_token(key)).then_some(at.end..end)
}

/// A bot's number, a colon, and a key that starts with `AA`.
pub(super) fn telegram(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let digits = text[..at.start].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let start = at.start - digits;
    let glued =
        start.checked_sub(1).is_some_and(|before| is_word(text[before]) && !text[..start].ends_with(b"bot"));
    let run = Alphabet::Url.run(&text[at.end..]);
    let key = &text[at.end..at.end + run];
    let fits = (8..=10).contains(&digits) && run == 33 && !glued && !is_sample_token(key);
    fits.then_some(start..at.end + run)
}

/// 32 hex digits on a line that speaks of Twilio.
pub(super) fn twilio(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let window = &text[at.end..text.len().min(at.end + 120)];
    let mut start = 0;
    while start < window.len() {
        let run = Alphabet::Hex.run(&window[start..]);
        let value = &window[start..start + run];
        let quoted = start.checked_sub(1).is_some_and(|before| b"\"'`=K".contains(&window[before]));
        if run == 32 && quoted && !is_sample_token(value) {
            return Some(at.end + start..at.end + start + run);
        }
        start += run.max(1);
    }
    None
}

/// The marker in the middle of older keys of OpenAI.
pub(super) fn openai_marker(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let before =
        text[..at.start].iter().rev().take(200).take_while(|byte| Alphabet::Url.holds(**byte)).count();
    let start = at.start - before;
    let after = Alphabet::Url.run(&text[at.end..]);
    (text[start..].starts_with(b"sk-") && before >= 20 && after >= 20).then_some(start..at.end + after)
}

/// Two parts behind `SG.`, of 22 and 43 characters.
pub(super) fn sendgrid(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let glued = at.start.checked_sub(1).is_some_and(|before| is_word(text[before]));
    let rest = &text[at.end..];
    let first = Alphabet::Url.run(rest);
    let second = Alphabet::Url.run(rest.get(first + 1..)?);
    let fits = !glued && first == 22 && rest[first] == b'.' && second == 43;
    (fits && !is_sample_token(&rest[..first])).then_some(at.start..at.end + first + 1 + second)
}
