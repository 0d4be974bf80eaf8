//! What random characters look like, and what people choose when they choose a password.

use super::pairs::common_share;
use super::sample::{is_common, is_placeholder, is_reference};

/// No secret that people give a name is longer.
pub(super) const LONGEST: usize = 512;

/// What is shorter may look random, and be chosen all the same.
const SHORTEST_RANDOM: usize = 16;

/// How a value came to be, as far as its characters tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// By a generator.
    Random,
    /// By somebody who took care.
    Chosen,
    /// By somebody who took a word and adorned it.
    Weak,
}

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

/// Whether a value that is called a password or a token might really be one, and of what kind. `shortest` is for
/// what a generator did not make.
pub(super) fn strength(value: &[u8], shortest: usize) -> Option<Strength> {
    let is_value = (8..=LONGEST).contains(&value.len())
        && value.iter().all(u8::is_ascii_graphic)
        && !is_placeholder(value)
        && !is_reference(value)
        && !is_uuid(value)
        && !is_words(value);
    if !is_value {
        return None;
    }
    // In a long one, letters and digits meet by chance.
    let random = is_random(value);
    let common = is_common(value) && !(random && value.len() >= 32);
    if !common && random {
        return Some(if value.len() < SHORTEST_RANDOM { Strength::Chosen } else { Strength::Random });
    }
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    if value.len() < shortest || !mixed {
        return None;
    }
    let adorned =
        has(u8::is_ascii_punctuation) || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase));
    if common {
        return (adorned && distinct(value) >= 6).then_some(Strength::Weak);
    }
    // With a sign among letters and digits hardly anything but a password is left.
    let enough = if has(u8::is_ascii_punctuation) { 2.8 } else { 3.0 };
    (distinct(value) >= 7 && entropy(value) >= enough).then_some(Strength::Chosen)
}

/// `hardcoded0`, `4ian1234`, `un!techwhooah`: a word, and what people put to it so that it passes for a password.
pub(super) fn is_adorned_word(value: &[u8]) -> bool {
    const NO_PASSWORDS: [&str; 12] =
        ["sha", "md5", "aes", "argon", "base64", "utf", "crypt", "pbkdf", "input", "field", "text", "ipv"];
    const SIGNS: &[u8] = b"!#%^&*~$";
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let signs = value.iter().filter(|byte| SIGNS.contains(byte)).count();
    let asks = value.ends_with(b"!") && digits == 0;
    // Where a name follows, it may be a variable that is filled in.
    let filled_in = value.windows(2).any(|pair| pair[0] == b'$' && pair[1].is_ascii_alphabetic());
    (8..=32).contains(&value.len())
        && letters >= 3
        && digits + signs > 0
        && letters + digits + signs == value.len()
        && value[0].is_ascii_alphanumeric()
        && !asks
        && !filled_in
        && distinct(value) >= 5
        && !is_placeholder(value)
        && !is_reference(value)
        && !is_common(value)
        && !contains_any(value, &NO_PASSWORDS)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Other,
    }
}

/// Whether a generator is the likely source: kinds of characters change often, and letters do not follow one another
/// as they do in words.
pub(super) fn is_random(value: &[u8]) -> bool {
    let has = |wanted: Class| value.iter().any(|byte| class(*byte) == wanted);
    let (lower, upper, digit) = (has(Class::Lower), has(Class::Upper), has(Class::Digit));
    if value.len() < 10 || distinct(value) < 7.min(value.len() / 2 + 2) || entropy(value) < 2.9 {
        return false;
    }
    let is_hex = value.iter().all(u8::is_ascii_hexdigit) && !(lower && upper);
    if is_hex {
        return digit && (lower || upper) && value.len() >= 16;
    }
    let changes = value.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    let changes = changes as f64 / (value.len() - 1) as f64;
    let words = common_share(value);
    // Where hardly two of a kind stand together, the few that do say little.
    let restless = changes >= 0.55 && value.len() >= 20 && value.iter().all(u8::is_ascii_alphanumeric);
    match (lower && upper, digit) {
        (true, true) => restless || changes >= 0.25 && words <= 0.62,
        (false, true) => changes >= 0.2 && words <= 0.6,
        (true, false) if value.len() < SHORTEST_RANDOM => changes >= 0.35 && words <= 0.45,
        (true, false) => changes >= 0.3 && words <= 0.55,
        (false, false) => words <= 0.45 && value.len() >= 20 && distinct(value) >= 10,
    }
}

/// How often digits and other characters take turns.
fn switches(part: &[u8]) -> usize {
    part.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

/// `login.v2.title`, `user_2fa_enabled`, `my-key-1`: names, in which a digit is the exception.
fn is_words(value: &[u8]) -> bool {
    let separated = value.split(|byte| b"._-/:,".contains(byte));
    let mut parts = 0;
    let plain = separated.inspect(|_| parts += 1).all(|part| {
        let letters = part.iter().filter(|byte| byte.is_ascii_lowercase()).count();
        let upper = part.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits <= 2 && switches(part) <= 2 && letters.max(upper) + digits + 1 >= part.len()
    });
    plain && (parts > 1 || value.len() < 12) && common_share(value) > 0.5
}

/// `ResNet50_v1b_imagenet1k_v2`, `id_ed25519_deploy_2024_prod`: parts that change between letters and digits
/// twice at most, of which one at least is a word.
pub(super) fn is_joined_words(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> =
        value.split(|byte| b"_-./".contains(byte)).filter(|part| !part.is_empty()).collect();
    let plain = |part: &&[u8]| {
        let humps = part
            .windows(2)
            .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            .count();
        part.iter().all(u8::is_ascii_alphanumeric) && switches(part) <= 2 && humps <= part.len() / 4
    };
    let is_word = |part: &&[u8]| part.split(|byte| !byte.is_ascii_alphabetic()).any(|run| run.len() >= 4);
    parts.len() >= 3 && parts.iter().all(plain) && parts.iter().any(is_word) && common_share(value) > 0.6
}

pub(super) fn is_uuid(value: &[u8]) -> bool {
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
    fn random_values_are_told_from_chosen_ones() {
        let cases = [
            ("x9K2mQ7vL4pR8wZ1", Strength::Random),
            ("9f86d081884c7d659a2feaa0", Strength::Random),
            ("yqDVtkqPECriaLRi", Strength::Random),
            ("UDsvARUqr42NWachK3Ve1V58jh3nEt4r", Strength::Random),
            ("kq7h2mvz0x4tbn81", Strength::Random),
            ("Tr0ub4dor&3zq", Strength::Chosen),
            ("Sunflower7Garden", Strength::Chosen),
            ("SuperSecret123!", Strength::Weak),
        ];
        for (value, expected) in cases {
            assert_eq!(strength(value.as_bytes(), 8), Some(expected), "{value}");
        }
    }

    #[test]
    fn names_and_placeholders_are_no_values() {
        for name in [
            "login.v2.title",
            "user_2fa_enabled",
            "changeme123",
            "${DB_PASS1}",
            "aaaa1111aaaa",
            "0b0d4a2e-7d5c-4c39-9b4b-8f5e0a6f7c11",
            "/run/secrets/db1",
            "session-key-v2",
            "password123",
            "Password",
            "application/json",
            "$2y$10$abcdefghijklmnopqrstuv",
        ] {
            assert_eq!(strength(name.as_bytes(), 8), None, "{name}");
        }
    }
}
