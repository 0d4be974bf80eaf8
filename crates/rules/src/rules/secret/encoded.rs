//! Secrets inside base64: JSON web tokens, keys, and tokens that somebody wrapped once more.

use std::ops::Range;

use super::detect::{Assurance, Grade, secrets_in};
use super::shape::contains_any;
use super::tokens::Alphabet;

/// Nothing longer is decoded: a key takes less, a token much less.
const LONGEST_KEY: usize = 16 * 1024;
const LONGEST_TOKEN: usize = 1024;

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
    let sample = contains_any(&claims, &["john doe", "jane doe", "example", "\"payload\""]);
    let end = at.start + token.len() - parts.map(|part| part.len() + 1).sum::<usize>();
    (signed && claims.starts_with(b"{") && signature.len() >= 20 && !sample).then_some(at.start..end)
}

/// A key in a file of keys, as Kubernetes holds them.
pub(super) fn key(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let (range, bytes) = decoded(text, at.start, LONGEST_KEY)?;
    contains_any(&bytes[..bytes.len().min(60)], &["private key"]).then_some(range)
}

/// A token that starts where the encoded text does.
pub(super) fn token(text: &[u8], at: Range<usize>) -> Option<Range<usize>> {
    let (range, bytes) = decoded(text, at.start, LONGEST_TOKEN)?;
    let readable = bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let is_token = readable
        && secrets_in(&bytes).iter().any(|found| {
            found.grade == Grade::Format && found.range.start == 0 && found.assurance != Assurance::MadeUp
        });
    is_token.then_some(range)
}

fn decoded(text: &[u8], start: usize, most: usize) -> Option<(Range<usize>, Vec<u8>)> {
    if start.checked_sub(1).is_some_and(|before| Alphabet::Header.holds(text[before]) && text[before] != b'=')
    {
        return None;
    }
    let run = text[start..].iter().take(most).take_while(|byte| Alphabet::Header.holds(**byte)).count();
    let range = start..start + run;
    decode(&text[range.clone()]).map(|bytes| (range, bytes))
}

/// Base64 in either alphabet, padded or not.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let text = &text[..text.len() - padding];
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
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
