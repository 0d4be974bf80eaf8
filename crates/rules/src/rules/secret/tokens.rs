//! Tokens that issuers made recognisable: a prefix or a mark, an alphabet and a length.

use std::borrow::Cow;
use std::ops::Range;

use super::checksum;
use super::detect::{Assurance, Reading};
use super::sample::{is_made_up, is_placeholder_token, is_sample_token};
use super::shape::is_random;
pub(super) use crate::rule::is_glued;

/// How far a body is followed. Longer runs are data, not tokens.
const LONGEST: usize = 2_000;

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    alphabet: Alphabet,
    shortest: usize,
    longest: usize,
    proof: Proof,
    secret: Secret,
}

/// Which part of a body has to look like no sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Secret {
    Whole,
    /// The one behind the last dash; those in front of it are numbers that anybody may know.
    LastPart,
}

/// What else has to be right about a body, and what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Prefix, alphabet and length are enough.
    Form,
    /// The prefix is short enough to turn up by chance: the body has to look random, too.
    Chance,
    /// The last six characters are a checksum over the others. Without it the token is a made-up one, most likely.
    Checksum,
    /// The issuer says that it opens nothing but a sandbox.
    Sandbox,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Alphabet {
    /// `A-Z2-7`
    Base32,
    UpperDigits,
    LowerDigits,
    Hex,
    /// In either case.
    AnyHex,
    AlphaNumeric,
    /// With `_`.
    Word,
    /// With `_` and `-`.
    Url,
    /// With `_`, `-` and `.`.
    Dotted,
    /// With `+`, `/` and `=`.
    Base64,
    /// Both of the alphabets of base64, dots and tildes: what may stand in an HTTP header as a token.
    Header,
}

impl Alphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        let alphanumeric = byte.is_ascii_alphanumeric();
        match self {
            Alphabet::Base32 => byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte),
            Alphabet::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::LowerDigits => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Alphabet::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Alphabet::AnyHex => byte.is_ascii_hexdigit(),
            Alphabet::AlphaNumeric => alphanumeric,
            Alphabet::Word => alphanumeric || byte == b'_',
            Alphabet::Url => alphanumeric || byte == b'_' || byte == b'-',
            Alphabet::Dotted => alphanumeric || b"_-.".contains(&byte),
            Alphabet::Base64 => alphanumeric || b"+/=".contains(&byte),
            Alphabet::Header => alphanumeric || b"+/=_-.~".contains(&byte),
        }
    }

    pub(super) fn run(self, text: &[u8]) -> usize {
        text.iter().take(LONGEST).take_while(|byte| self.holds(**byte)).count()
    }

    /// How many bytes in front of the end belong to it.
    pub(super) fn run_back(self, text: &[u8]) -> usize {
        text.iter().rev().take(LONGEST).take_while(|byte| self.holds(**byte)).count()
    }
}

pub(super) const fn exactly(length: usize, alphabet: Alphabet) -> Token {
    Token { alphabet, shortest: length, longest: length, proof: Proof::Form, secret: Secret::Whole }
}

pub(super) const fn at_least(shortest: usize, alphabet: Alphabet) -> Token {
    Token { alphabet, shortest, longest: LONGEST, proof: Proof::Form, secret: Secret::Whole }
}

pub(super) const fn between(shortest: usize, longest: usize, alphabet: Alphabet) -> Token {
    Token { alphabet, shortest, longest, proof: Proof::Form, secret: Secret::Whole }
}

impl Token {
    pub(super) const fn unless_by_chance(mut self) -> Self {
        self.proof = Proof::Chance;
        self
    }

    pub(super) const fn with_checksum(mut self) -> Self {
        self.proof = Proof::Checksum;
        self
    }

    pub(super) const fn for_a_sandbox(mut self) -> Self {
        self.proof = Proof::Sandbox;
        self
    }

    /// Whether only the look of the body tells it from other texts.
    pub(super) fn may_be_chance(self) -> bool {
        self.proof == Proof::Chance
    }

    pub(super) const fn in_parts(mut self) -> Self {
        self.secret = Secret::LastPart;
        self
    }

    /// The whole token, if the prefix at `prefix` opens one.
    pub(super) fn find(
        self,
        text: &[u8],
        prefix: Range<usize>,
        reading: Reading,
    ) -> Option<(Range<usize>, Assurance)> {
        if is_glued(text, prefix.start) {
            return None;
        }
        let (body, end) = self.body(text, prefix.end);
        if !(self.shortest..=self.longest).contains(&body.len()) {
            return None;
        }
        let assurance = match self.proof {
            Proof::Form => Assurance::Certain,
            Proof::Chance if is_random(&body) => Assurance::Certain,
            Proof::Chance => return None,
            Proof::Checksum if checksum::holds(&body) => Assurance::Certain,
            Proof::Checksum => Assurance::Likely,
            Proof::Sandbox => Assurance::Possible,
        };
        let secret = match self.secret {
            Secret::LastPart => body.rsplit(|byte| *byte == b'-').next().filter(|part| part.len() >= 20),
            Secret::Whole => None,
        };
        let secret = secret.unwrap_or(&body);
        let range = prefix.start..end;
        match reading {
            Reading::Code if is_placeholder_token(secret) => None,
            Reading::Code if is_made_up(secret) => Some((range, Assurance::MadeUp)),
            Reading::Code | Reading::Output => Some((range, assurance)),
        }
    }

    /// The body and where it ends, over the joints of a string that is put together on the spot.
    fn body(self, text: &[u8], start: usize) -> (Cow<'_, [u8]>, usize) {
        let mut end = start + self.alphabet.run(&text[start..]);
        let mut body = Cow::Borrowed(&text[start..end]);
        for _ in 0..8 {
            if body.len() >= self.shortest {
                break;
            }
            let Some(next) = behind_joint(text, end) else { break };
            let run = self.alphabet.run(&text[next..]);
            body.to_mut().extend_from_slice(&text[next..next + run]);
            end = next + run;
        }
        (body, end)
    }
}

/// Where a string goes on behind `" + "`, `' . '` or `" "`.
fn behind_joint(text: &[u8], at: usize) -> Option<usize> {
    let quote = text.get(at).copied().filter(|byte| b"\"'`".contains(byte))?;
    let blank = |from: usize| {
        from + text[from..]
            .iter()
            .take(40)
            .take_while(|byte| byte.is_ascii_whitespace() || **byte == b'\\')
            .count()
    };
    let sign = blank(at + 1);
    let behind = sign + text[sign..].iter().take(2).take_while(|byte| b"+.&".contains(byte)).count();
    let next = blank(behind);
    (next > at + 1 && text.get(next) == Some(&quote)).then_some(next + 1)
}

/// A mark inside a token, and how much of it stands on both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marked {
    pub(super) alphabet: Alphabet,
    pub(super) before: (usize, usize),
    pub(super) after: (usize, usize),
}

impl Marked {
    pub(super) fn find(self, text: &[u8], mark: Range<usize>, reading: Reading) -> Option<Range<usize>> {
        let before = self.alphabet.run_back(&text[..mark.start]);
        let after = self.alphabet.run(&text[mark.end..]);
        let fits = (self.before.0..=self.before.1).contains(&before)
            && (self.after.0..=self.after.1).contains(&after);
        let range = mark.start - before.min(mark.start)..mark.end + after;
        let sample = reading == Reading::Code && is_sample_token(&text[range.clone()]);
        let longer =
            if before >= after { &text[range.start..mark.start] } else { &text[mark.end..range.end] };
        (fits && !sample && is_random(longer)).then_some(range)
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
