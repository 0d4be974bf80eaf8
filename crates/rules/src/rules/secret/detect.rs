use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::tokens::{self, Alphabet, Token, at_least, exactly};
use super::{encoded, generic, spoken};

/// How sure we are that something is a secret; the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// It has the form its issuer gave it.
    Format,
    /// It has a known form, but one that anybody can make: keys and signed tokens, as tests need them.
    HomeMade,
    /// A quoted value with a telling name.
    Quoted,
    /// An unquoted value with a telling name.
    Bare,
}

#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    /// How many of its first bytes are no secret, because they only name the kind.
    pub(crate) shown: usize,
    pub(crate) what: &'static str,
    pub(crate) grade: Grade,
}

/// What the text is, which decides how much doubt it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Code and what is said about it: samples, placeholders and names of things are no secrets.
    Code,
    /// What programs print, on its way into logs: a sample that is masked does no harm there, a secret that is not
    /// does.
    Output,
}

struct Detector {
    literal: &'static [u8],
    what: &'static str,
    find: Find,
}

type Finder = fn(&[u8], Range<usize>) -> Option<Range<usize>>;

enum Find {
    /// The literal is the token's prefix, in exactly this case.
    Token(Token),
    /// The literal has to stand exactly so.
    Exact(Finder),
    /// The literal may stand in any case.
    Context(Finder, Grade),
    Address,
    Named,
}

const fn token(literal: &'static [u8], what: &'static str, token: Token) -> Detector {
    Detector { literal, what, find: Find::Token(token) }
}

const fn exact(literal: &'static [u8], what: &'static str, find: Finder) -> Detector {
    Detector { literal, what, find: Find::Exact(find) }
}

const fn named(literal: &'static [u8], what: &'static str) -> Detector {
    Detector { literal, what, find: Find::Named }
}

const GITHUB: &str = "a GitHub token";
const GITLAB: &str = "a GitLab token";
const SLACK: &str = "a Slack token";
const AWS: &str = "an AWS access key id";
const SHOPIFY: &str = "a Shopify token";
pub(super) const PRIVATE_KEY: &str = "a private key";
const PASSWORD: &str = "what looks like a password";
const SECRET: &str = "what looks like a secret";
const TOKEN: &str = "what looks like a token";
const KEY: &str = "what looks like an API key";

use Alphabet::{AlphaNumeric, Base32, Base64, Dotted, Hex, Letters, UpperDigits, Url, Word};

static DETECTORS: [Detector; 61] = DETECTOR_TABLE;
const DETECTOR_TABLE: [Detector; 61] = [
    token(b"AKIA", AWS, exactly(16, Base32)),
    token(b"ASIA", AWS, exactly(16, Base32)),
    Detector {
        literal: b"aws_secret",
        what: "an AWS secret access key",
        find: Find::Context(encoded::aws_secret, Grade::Format),
    },
    Detector {
        literal: b"secretaccesskey",
        what: "an AWS secret access key",
        find: Find::Context(encoded::aws_secret, Grade::Format),
    },
    token(b"ghp_", GITHUB, at_least(36, AlphaNumeric)),
    token(b"gho_", GITHUB, at_least(36, AlphaNumeric)),
    token(b"ghu_", GITHUB, at_least(36, AlphaNumeric)),
    token(b"ghs_", GITHUB, at_least(36, AlphaNumeric)),
    token(b"ghr_", GITHUB, at_least(36, AlphaNumeric)),
    token(b"github_pat_", GITHUB, at_least(60, Word)),
    token(b"glpat-", GITLAB, at_least(20, Dotted)),
    token(b"glrt-", GITLAB, at_least(20, Url)),
    token(b"gldt-", GITLAB, at_least(20, Url)),
    token(b"glptt-", GITLAB, at_least(40, Hex)),
    token(b"xoxb-", SLACK, at_least(24, Url)),
    token(b"xoxp-", SLACK, at_least(24, Url)),
    token(b"xoxa-", SLACK, at_least(24, Url)),
    token(b"xoxr-", SLACK, at_least(24, Url)),
    token(b"xoxs-", SLACK, at_least(24, Url)),
    token(b"xapp-", SLACK, at_least(24, Url)),
    exact(b"hooks.slack.com/services/", "the address of a Slack webhook", encoded::hook),
    exact(b"discord.com/api/webhooks/", "the address of a Discord webhook", encoded::hook),
    exact(b"discordapp.com/api/webhooks/", "the address of a Discord webhook", encoded::hook),
    token(b"sk_live_", "a Stripe secret key", at_least(20, AlphaNumeric)),
    token(b"rk_live_", "a Stripe restricted key", at_least(20, AlphaNumeric)),
    token(b"AIza", "a Google API key", exactly(35, Url)),
    token(b"GOCSPX-", "a Google OAuth client secret", exactly(28, Url)),
    token(b"sk-proj-", "an OpenAI key", at_least(40, Url)),
    token(b"sk-svcacct-", "an OpenAI key", at_least(40, Url)),
    exact(b"T3BlbkFJ", "an OpenAI key", encoded::openai_marker),
    token(b"sk-ant-", "an Anthropic key", at_least(40, Url)),
    token(b"npm_", "an npm token", exactly(36, AlphaNumeric)),
    token(b"pypi-AgE", "a PyPI token", at_least(50, Url)),
    token(b"hf_", "a Hugging Face token", exactly(34, Letters)),
    exact(b"SG.", "a SendGrid key", encoded::sendgrid),
    Detector {
        literal: b"twilio",
        what: "a Twilio credential",
        find: Find::Context(encoded::twilio, Grade::Quoted),
    },
    token(b"dop_v1_", "a DigitalOcean token", exactly(64, Hex)),
    token(b"doo_v1_", "a DigitalOcean token", exactly(64, Hex)),
    token(b"dor_v1_", "a DigitalOcean token", exactly(64, Hex)),
    token(b"shpat_", SHOPIFY, exactly(32, Hex)),
    token(b"shpss_", SHOPIFY, exactly(32, Hex)),
    token(b"shpca_", SHOPIFY, exactly(32, Hex)),
    token(b"shppa_", SHOPIFY, exactly(32, Hex)),
    exact(b":AA", "a Telegram bot token", encoded::telegram),
    token(b"AccountKey=", "an Azure storage key", exactly(88, Base64)),
    Detector {
        literal: b"-----BEGIN ",
        what: PRIVATE_KEY,
        find: Find::Context(encoded::private_key, Grade::HomeMade),
    },
    Detector {
        literal: b"eyJ",
        what: "a JSON web token",
        find: Find::Context(encoded::jwt, Grade::HomeMade),
    },
    token(b"AGE-SECRET-KEY-1", "an age secret key", exactly(58, UpperDigits)),
    Detector { literal: b"://", what: "an address with a password in it", find: Find::Address },
    named(b"password", PASSWORD),
    named(b"passwd", PASSWORD),
    named(b"passphrase", PASSWORD),
    named(b"secret", SECRET),
    named(b"secret_key", SECRET),
    named(b"token", TOKEN),
    named(b"api_key", KEY),
    named(b"apikey", KEY),
    named(b"api-key", KEY),
    named(b"access_key", KEY),
    named(b"auth_key", KEY),
    named(b"private_key", KEY),
];

/// What has to stand in a line for any detector to look at it.
pub(super) static LITERALS: [&[u8]; DETECTOR_TABLE.len()] = {
    let mut literals: [&[u8]; DETECTOR_TABLE.len()] = [b""; DETECTOR_TABLE.len()];
    let mut at = 0;
    while at < literals.len() {
        literals[at] = DETECTOR_TABLE[at].literal;
        at += 1;
    }
    literals
};

static SEARCH: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(LITERALS).ok());

/// Every secret in the text, by position. Each detector looks a bounded way around its literal, so this is
/// linear; private keys alone reach further, and are not looked for inside one another.
pub(crate) fn secrets_in(text: &[u8]) -> Vec<Found> {
    secrets_read_as(text, Reading::Code)
}

pub(crate) fn secrets_read_as(text: &[u8], reading: Reading) -> Vec<Found> {
    let Some(search) = SEARCH.as_ref() else { return Vec::new() };
    let mut found: Vec<Found> = Vec::new();
    for hit in search.find_overlapping_iter(text) {
        let covered =
            found.last().is_some_and(|last| last.grade <= Grade::HomeMade && last.range.end >= hit.end());
        let detector = &DETECTORS[hit.pattern().as_usize()];
        if !covered {
            found.extend(detector.found(text, hit.range(), reading));
        }
    }
    found.sort_by_key(|found| (found.range.start, found.grade));
    found
}

impl Detector {
    fn found(&self, text: &[u8], at: Range<usize>, reading: Reading) -> Option<Found> {
        let exact = text[at.clone()] == *self.literal;
        let (range, shown, grade) = match &self.find {
            Find::Token(_) | Find::Exact(_) if !exact => return None,
            Find::Token(token) => {
                (tokens::find(text, at, *token, reading)?, self.literal.len(), Grade::Format)
            }
            Find::Exact(find) => (find(text, at)?, 0, Grade::Format),
            Find::Context(find, grade) => (find(text, at)?, 0, *grade),
            Find::Address => (encoded::url_password(text, at, reading)?, 0, Grade::Quoted),
            Find::Named => {
                let (range, grade) = match reading {
                    Reading::Code => generic::value(text, at)?,
                    Reading::Output => spoken::value(text, at)?,
                };
                (range, 0, grade)
            }
        };
        Some(Found { range, shown, what: self.what, grade })
    }
}

/// Whether the line is, or ends in, the header of a private key.
pub(super) fn opens_private_key(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.ends_with(b"PRIVATE KEY-----") && memchr::memmem::find(line, b"-----BEGIN ").is_some()
}

/// Whether the line below such a header belongs to a key.
pub(super) fn is_key_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"Proc-Type:") || (line.len() >= 16 && line.iter().all(|byte| Base64.holds(*byte)))
}
