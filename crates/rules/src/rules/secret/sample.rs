//! What people write when they mean no secret in particular: samples, placeholders, and references to a secret that
//! is kept elsewhere.

use super::pairs::common_share;
use super::shape::{contains_any, distinct};

/// Words in the body of a token that say it is not one. Also AWS's documented keys end in `EXAMPLE`.
const NOT_A_TOKEN: [&str; 27] = [
    "example",
    "xxxx",
    "redacted",
    "placeholder",
    "your",
    "....",
    "****",
    "dummy",
    "fake",
    "changeme",
    "00000000",
    "deadbeef",
    // Samples of the RFCs about OAuth, which everybody quotes.
    "2yotnfzfejr1zcs",
    "tgzv3jokf0xg5qx",
    "czzcagrsa3f0mz",
    "s6bhdrkqt3",
    "gx1fbat3bv",
    "mf_9.b5f-4.1jqm",
    "7fjfp0zbr1ktdrb",
    "kkk9d7dh3k39sjv7",
    "dpf43f3p2l4k3l03",
    "nnch734d00sl2jdk",
    "9djdj82h48djs9d2",
    "hh5s93j4hdidpola",
    "hdhd0244k9j7ao03",
    "0685bd9184jfhq22",
    "ad180jjd733klru7",
];

/// What fingers write that want no token in particular.
const SEQUENCES: [&str; 5] = ["12345678", "abcdefgh", "qwertyui", "abc123", "123abc"];

/// Whether the body of a token is one that documentation shows.
pub(super) fn is_sample_token(body: &[u8]) -> bool {
    is_placeholder_token(body) || is_made_up(body)
}

/// Whether the body says itself that it is none, or repeats itself.
pub(super) fn is_placeholder_token(body: &[u8]) -> bool {
    distinct(body) < 7 || contains_any(body, &NOT_A_TOKEN) || is_repeated(body)
}

/// Whether nobody issued it: letters or digits stand there in their order.
pub(super) fn is_made_up(body: &[u8]) -> bool {
    contains_any(body, &SEQUENCES)
}

/// `abcd1234abcd1234abcd1234`: the same few characters again and again.
fn is_repeated(body: &[u8]) -> bool {
    (2..=12.min(body.len() / 2))
        .any(|period| body.windows(period + 1).all(|window| window[0] == window[period]))
}

/// Words in a value that say it has to be replaced, or is none.
const PLACEHOLDER: [&str; 38] = [
    "example",
    "changeme",
    "change_me",
    "change-me",
    "changeit",
    "placeholder",
    "your",
    "dummy",
    "xxx",
    "todo",
    "redacted",
    "sample",
    "insert",
    "replace",
    "fake",
    "mock",
    "stub",
    "foobar",
    "foo_bar",
    "...",
    "***",
    "none",
    "null",
    "undefined",
    "required",
    "invalid",
    "missing",
    "lorem",
    "notreal",
    "not-real",
    "not_real",
    "goes-here",
    "goes_here",
    "unused",
    "ignored",
    "whatever",
    "some-",
    "some_",
];

pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_to_be_replaced(value) || is_made_up(value)
}

/// Whether a value says that it has to be replaced, or repeats itself.
pub(super) fn is_to_be_replaced(value: &[u8]) -> bool {
    contains_any(value, &PLACEHOLDER) || is_repeated(value) || contains_any(value, &NOT_A_TOKEN)
}

/// Words that many choose as a password, or as part of one; and what samples are made of.
const COMMON: [&str; 24] = [
    "password",
    "passwd",
    "passw0rd",
    "p@ssw",
    "pa$$w",
    "pa55w",
    "letmein",
    "welcome",
    "s3cret",
    "s3cr3t",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "qwert",
    "12345",
    "abcde",
    "demo",
    "default",
    "hunter2",
    "correct-horse",
    "test",
    "admin",
];

pub(super) fn is_common(value: &[u8]) -> bool {
    contains_any(value, &COMMON)
}

/// Whether a value says where a secret comes from, or is the trace of one: a variable, a template, a path, an
/// address, a hash, something encrypted.
pub(super) fn is_reference(value: &[u8]) -> bool {
    const TEMPLATES: [&str; 23] = [
        "${", "$(", "{{", "}}", "<%", "%>", "%(", "%s", "%d", "{0}", "{}", "#{", "@{", "://", "->", "::",
        "[[", "$$", "()", "@@", "=>", "[-", "].",
    ];
    const TRACES: [&str; 26] = [
        "$2a$",
        "$2b$",
        "$2y$",
        "$1$",
        "$5$",
        "$6$",
        "$apr1$",
        "$argon2",
        "$pbkdf2",
        "$scrypt",
        "pbkdf2_",
        "sha1",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "enc[",
        "enc(",
        "{cipher",
        "{noop",
        "{bcrypt",
        "vault:",
        "arn:",
        "secretref",
        "env.",
        "process.",
    ];
    let Some(first) = value.first() else { return true };
    let named = |rest: &[u8]| rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(byte));
    let is_variable = b"$@%&:".contains(first) && named(&value[1..]);
    let is_bracketed = matches!(
        (first, value.last()),
        (b'{', Some(b'}'))
            | (b'<', Some(b'>'))
            | (b'[', Some(b']'))
            | (b'(', Some(b')'))
            | (b'%', Some(b'%'))
    );
    let is_path = [&b"/"[..], b"./", b"../", b"~/"].iter().any(|start| value.starts_with(start))
        && (value.len() < 24 || common_share(value) > 0.45);
    let is_number = value.starts_with(b"0x") && value[2..].iter().all(u8::is_ascii_hexdigit);
    let is_escaped =
        value.windows(3).filter(|text| text[0] == b'%' && text[1].is_ascii_hexdigit()).count() >= 3;
    let starts = |start: &&str| {
        value.len() >= start.len() && value[..start.len()].eq_ignore_ascii_case(start.as_bytes())
    };
    is_variable
        || is_bracketed
        || is_path
        || is_number
        || is_escaped
        || b"<\\".contains(first)
        || TRACES.iter().any(starts)
        || (contains_any(value, &TEMPLATES) && value.len() < 40)
        || contains_any(value, &["${", "{{", "$("])
        || (contains_any(value, &["://"]) && !value.contains(&b'@'))
}

/// Whether nobody would mind that this password is known.
pub(super) fn is_sample_password(value: &[u8]) -> bool {
    const KNOWN: [&str; 18] = [
        "pass", "pw", "pwd", "user", "postgres", "root", "admin", "guest", "rabbit", "rabbitmq", "mysql",
        "redis", "mongo", "mongodb", "minio", "docker", "elastic", "testing",
    ];
    let lower = value.to_ascii_lowercase();
    KNOWN.iter().any(|word| word.as_bytes() == lower)
        || is_placeholder(value)
        || is_reference(value)
        || is_plain_common(value)
        || distinct(value) < 4
}

/// A common word, with nothing but small letters and digits around it.
fn is_plain_common(value: &[u8]) -> bool {
    is_common(value) && !(value.iter().any(u8::is_ascii_punctuation) && has_digit(value))
}

/// What an address has to write as `%20` is no digit.
pub(super) fn has_digit(value: &[u8]) -> bool {
    let escaped = |at: usize| {
        at.checked_sub(1).is_some_and(|before| value[before] == b'%')
            || at.checked_sub(2).is_some_and(|before| value[before] == b'%')
    };
    value.iter().enumerate().any(|(at, byte)| byte.is_ascii_digit() && !escaped(at))
}
