//! A user and a password handed to a call: `new NetworkCredential("bob", "...")`, `HTTPBasicAuth('bob', '...')`.

use std::ops::Range;

use super::detect::{Assurance, Reading};
use super::sample::is_sample_password;
use super::shape::{Strength, distinct, is_adorned_word, strength};

/// How much of a call is looked at.
const REACH: usize = 300;

/// The last of at least two arguments, all of them quoted. Behind `(`, on one line.
pub(super) fn last_of_pair(text: &[u8], at: Range<usize>, _: Reading) -> Option<(Range<usize>, Assurance)> {
    let mut arguments: Vec<Range<usize>> = Vec::new();
    let mut from = at.end;
    let text = &text[..text.len().min(at.end + REACH)];
    loop {
        let quote_at = from + blanks(&text[from..]);
        let quote = *text.get(quote_at).filter(|byte| b"\"'".contains(byte))?;
        let inner = &text[quote_at + 1..];
        let length = inner.iter().position(|byte| *byte == quote || *byte == b'\n')?;
        if inner[length] == b'\n' {
            return None;
        }
        arguments.push(quote_at + 1..quote_at + 1 + length);
        from = quote_at + 2 + length;
        from += blanks(&text[from..]);
        match text.get(from)? {
            b',' => from += 1,
            // The end, or a call on the last one: `"...".toCharArray()`.
            b')' | b'.' => break,
            _ => return None,
        }
        // Options behind the password are no strings.
        let next = from + blanks(&text[from..]);
        if arguments.len() > 1 && text.get(next).is_some_and(|byte| !b"\"'".contains(byte)) {
            break;
        }
    }
    let [.., user, password] = arguments.as_slice() else { return None };
    let value = &text[password.clone()];
    let given =
        value.iter().all(u8::is_ascii_graphic) && value != &text[user.clone()] && !is_sample_password(value);
    let assurance = match strength(value, 8) {
        Some(Strength::Random | Strength::Chosen) => Assurance::Likely,
        Some(Strength::Weak) => Assurance::Possible,
        // Letters alone: long ones with many of them were made for a mailbox.
        None if is_adorned_word(value) || (value.len() == 16 && distinct(value) >= 9) => Assurance::Possible,
        None => return None,
    };
    given.then_some((password.clone(), assurance))
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take(40).take_while(|byte| byte.is_ascii_whitespace()).count()
}
