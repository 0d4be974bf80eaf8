//! Tokens that issuers made recognisable: a prefix, an alphabet and a length.

use std::ops::Range;

use super::detect::Reading;
use super::shape::is_sample_token;

/// How far a body is followed. Longer runs are data, not tokens.
const LONGEST: usize = 600;

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) alphabet: Alphabet,
    pub(super) shortest: usize,
    pub(super) longest: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Alphabet {
    /// `A-Z2-7`
    Base32,
    Letters,
    UpperDigits,
    Hex,
    AlphaNumeric,
    /// With `_`.
    Word,
    /// With `_` and `-`.
    Url,
    /// With `_`, `-` and `.`.
    Dotted,
    /// With `+`, `/` and `=`.
    Base64,
}

impl Alphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        let alphanumeric = byte.is_ascii_alphanumeric();
        match self {
            Alphabet::Base32 => byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte),
            Alphabet::Letters => byte.is_ascii_alphabetic(),
            Alphabet::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Alphabet::AlphaNumeric => alphanumeric,
            Alphabet::Word => alphanumeric || byte == b'_',
            Alphabet::Url => alphanumeric || byte == b'_' || byte == b'-',
            Alphabet::Dotted => alphanumeric || b"_-.".contains(&byte),
            Alphabet::Base64 => alphanumeric || b"+/=".contains(&byte),
        }
    }

    pub(super) fn run(self, text: &[u8]) -> usize {
        text.iter().take(LONGEST).take_while(|byte| self.holds(**byte)).count()
    }
}

pub(super) const fn exactly(length: usize, alphabet: Alphabet) -> Token {
    Token { alphabet, shortest: length, longest: length }
}

pub(super) const fn at_least(shortest: usize, alphabet: Alphabet) -> Token {
    Token { alphabet, shortest, longest: LONGEST }
}

/// The whole token, if the prefix at `prefix` opens one.
pub(super) fn find(
    text: &[u8],
    prefix: Range<usize>,
    token: Token,
    reading: Reading,
) -> Option<Range<usize>> {
    let glued = prefix.start.checked_sub(1).is_some_and(|at| is_word(text[at]));
    if glued {
        return None;
    }
    let body = token.alphabet.run(&text[prefix.end..]);
    let fits = (token.shortest..=token.longest).contains(&body);
    let end = prefix.end + body;
    let sample = reading == Reading::Code && is_sample_token(&text[prefix.end..end]);
    (fits && !sample).then_some(prefix.start..end)
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
