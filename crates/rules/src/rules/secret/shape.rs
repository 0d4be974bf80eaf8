//! What random characters look like, and what people write when they mean none in particular.

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value {
        counts[*byte as usize] += 1;
    }
    let total = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|p| -p * p.log2())
        .sum()
}

pub(super) fn distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().for_each(|byte| seen[*byte as usize] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Words in the body of a token that say it is not one. Also AWS's documented keys end in `EXAMPLE`.
const NOT_A_TOKEN: [&str; 9] =
    ["example", "xxxx", "redacted", "placeholder", "123456789", "abcdefgh", "your", "....", "****"];

pub(super) fn is_sample_token(body: &[u8]) -> bool {
    distinct(body) < 6 || contains_any(body, &NOT_A_TOKEN)
}

const NOT_A_PASSWORD: [&str; 43] = [
    "password",
    "passwd",
    "passw0rd",
    "p@ssw",
    "letmein",
    "welcome",
    "s3cret",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "example",
    "change",
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
    "test",
    "foobar",
    "qwert",
    "12345",
    "abcde",
    "...",
    "***",
    "demo",
    "default",
    "hunter2",
    "correct-horse",
    "none",
    "null",
    "undefined",
    "required",
    "invalid",
    "missing",
];

/// Whether a value that is called a password or a token might really be one.
pub(super) fn is_plausible_secret(value: &[u8], shortest: usize) -> bool {
    let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    (shortest..=200).contains(&value.len())
        && mixed
        && value.iter().all(u8::is_ascii_graphic)
        && !b"$%{<#/.@&*([\\:-".contains(&value[0])
        && !contains_any(value, &["${", "{{", "<%", "%s", "{}", "()", "://", "->", "::", "#{", "$("])
        && !contains_any(value, &NOT_A_PASSWORD)
        && !is_uuid(value)
        && !is_words(value)
        && distinct(value) >= 7
        && entropy(value) >= 3.0
}

pub(super) fn is_sample_password(value: &[u8]) -> bool {
    const COMMON: [&str; 14] = [
        "pass", "pw", "pwd", "user", "postgres", "root", "admin", "guest", "rabbit", "mysql", "redis",
        "mongo", "minio", "docker",
    ];
    let lower = value.to_ascii_lowercase();
    COMMON.iter().any(|word| word.as_bytes() == lower)
        || contains_any(value, &NOT_A_PASSWORD)
        || value.first().is_some_and(|byte| b"$%{<*[(:".contains(byte))
        || contains_any(value, &["${", "{{", "%s", "{}", "#{"])
        || distinct(value) < 4
}

/// `login.v2.title`, `user_2fa_enabled`, `my-key-1`: names, in which a digit is the exception.
fn is_words(value: &[u8]) -> bool {
    let separated = value.split(|byte| b"._-/:,".contains(byte));
    let mut parts = 0;
    let plain = separated.inspect(|_| parts += 1).all(|part| {
        let letters = part.iter().filter(|byte| byte.is_ascii_lowercase()).count();
        let upper = part.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits <= 2 && letters.max(upper) + digits + 1 >= part.len()
    });
    plain && (parts > 1 || value.len() < 12)
}

/// `ResNet50_v1b_imagenet1k_v2`, `id_ed25519_deploy_2024_prod`: parts that change between letters and digits
/// twice at most, of which one at least is a word.
pub(super) fn is_joined_words(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> =
        value.split(|byte| b"_-./".contains(byte)).filter(|part| !part.is_empty()).collect();
    let plain = |part: &&[u8]| {
        let switches =
            part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
        let humps = part
            .windows(2)
            .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            .count();
        part.iter().all(u8::is_ascii_alphanumeric) && switches <= 2 && humps <= part.len() / 4
    };
    let is_word = |part: &&[u8]| part.split(|byte| !byte.is_ascii_alphabetic()).any(|run| run.len() >= 4);
    parts.len() >= 3 && parts.iter().all(plain) && parts.iter().any(is_word)
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Case of ASCII letters does not matter.
pub(super) fn contains_any(value: &[u8], words: &[&str]) -> bool {
    let lower = value.to_ascii_lowercase();
    words.iter().any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_measured_in_bits() {
        assert_eq!((entropy(b"aaaa"), entropy(b"abab"), entropy(b"abcd")), (0.0, 1.0, 2.0));
    }

    #[test]
    fn random_values_are_told_from_names() {
        for secret in ["Tr0ub4dor&3zq", "x9K2mQ7vL4pR8wZ1", "9f86d081884c7d659a2feaa0"] {
            assert!(is_plausible_secret(secret.as_bytes(), 8), "{secret}");
        }
        for name in [
            "login.v2.title",
            "user_2fa_enabled",
            "changeme123",
            "${DB_PASS1}",
            "aaaa1111aaaa",
            "0b0d4a2e-7d5c-4c39-9b4b-8f5e0a6f7c11",
            "/run/secrets/db1",
            "session-key-v2",
        ] {
            assert!(!is_plausible_secret(name.as_bytes(), 8), "{name}");
        }
    }
}
