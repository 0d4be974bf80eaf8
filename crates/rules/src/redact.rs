use std::borrow::Cow;

use domain::change::RepoPath;

use crate::repeats::Repeats;
use crate::rules::{Keychain, Reading, secrets_read_as};

/// How much of a secret may stay, so that its owner can tell which one it was.
const KEPT: usize = 4;

pub(crate) const MASK: &str = "...[redacted]";

/// Masks every secret in `text` that the `secret` rule knows: `ghp_...[redacted]`.
///
/// Messages, and the lines that findings quote, have been through here when they leave the reviewer. The paths
/// findings are anchored at have not: whoever shows a path decides what to do about one that holds a secret.
/// Takes time in proportion to the length of the text.
pub fn redact(text: &str) -> Cow<'_, str> {
    masked(text, Reading::Code)
}

/// Masks what may be a secret in what a program printed, before it reaches a log or a store. Stricter than
/// [`redact`]: sample tokens, passwords in any address and whatever is called a password are masked, too.
pub fn redact_output(text: &str) -> Cow<'_, str> {
    masked(text, Reading::Output)
}

/// Masks every secret in a part of the file at `path`: as [`redact`] does, and in the files in which programs keep
/// their passwords, whatever stands there as one.
pub fn redact_file<'a>(path: &RepoPath, text: &'a str) -> Cow<'a, str> {
    let Some(keychain) = Keychain::of(path) else { return redact(text) };
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let password = keychain.password(line.trim_end_matches('\n').as_bytes());
        let (before, behind) = password.map_or((line, ""), |at| {
            let (start, end) = (floor(line, at.start), ceil(line, at.end));
            kept.push_str(&line[..start]);
            (MASK, &line[end..])
        });
        kept.push_str(before);
        kept.push_str(behind);
    }
    Cow::Owned(redact(&kept).into_owned())
}

fn masked(text: &str, reading: Reading) -> Cow<'_, str> {
    let secrets = secrets_read_as(text.as_bytes(), reading);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let repeats = Repeats::of(secrets.iter().map(|secret| &text.as_bytes()[secret.range.clone()]));
    let mut redacted = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        let start = floor(text, secret.range.start.max(done));
        let end = ceil(text, secret.range.end);
        if end <= done {
            continue;
        }
        redacted.push_str(&text[done..start]);
        let kept = secret.shown.min(KEPT).min((end - start) / 4);
        redacted.push_str(&text[start..floor(text, start + kept)]);
        redacted.push_str(MASK);
        // A private key spans lines, and line numbers have to stay right.
        text[start..end].matches('\n').for_each(|_| redacted.push_str("\n[redacted]"));
        done = end;
    }
    redacted.push_str(&text[done..]);
    repeats.mask(&mut redacted);
    Cow::Owned(redacted)
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_what_names_the_kind_and_nothing_more() {
        let token = concat!("gh", "p_", "A1b2C3d4E5f6G7h8I9j0", "K1l2M3n4O5p6Q7r8");
        let text = format!("push with {token} and {token}.");
        assert_eq!(redact(&text), "push with ghp_...[redacted] and ghp_...[redacted].");
        assert!(matches!(redact("nothing to hide"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_key_block_is_masked_to_its_end() {
        let text = format!("a -----BEGIN {0} KEY-----\nMIIEabcdefgh\n-----END {0} KEY----- b", "PRIVATE");
        let redacted = redact(&text);
        assert!(!redacted.contains("MIIE") && redacted.ends_with(" b"), "{redacted}");
    }

    #[test]
    fn output_is_masked_where_code_gets_the_benefit_of_the_doubt() {
        let sample = concat!("gh", "p_", "yourtokenhere9yourtoken", "here8yourtokenhere7");
        let cases = [
            (format!("cloning with {sample}"), "cloning with ghp_...[redacted]"),
            (
                concat!("postgres://u:", "superpw@h/db is down").to_owned(),
                "postgres://u:...[redacted]@h/db is down",
            ),
            (concat!("login pass", "word=correcthorse ok").to_owned(), "login password=...[redacted] ok"),
            (
                concat!("pass", "word: \"a b c\", retrying").to_owned(),
                "password: \"...[redacted]\", retrying",
            ),
            (concat!("GET /x?tok", "en=abc123&page=2").to_owned(), "GET /x?token=...[redacted]&page=2"),
            (concat!("tok", "en: 9f86d081884c").to_owned(), "token: ...[redacted]"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact_output(&text), expected);
            assert!(matches!(redact(&text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn a_file_that_keeps_passwords_shows_none() {
        let text = "machine acme.io login bob password gardengate\nmacdef init\n";
        let shown = redact_file(&"home/.netrc".into(), text);
        assert_eq!(shown, "machine acme.io login bob password ...[redacted]\nmacdef init\n");
        assert_eq!(redact_file(&"notes.txt".into(), text), text);
    }

    #[test]
    fn ordinary_output_and_code_stay_readable() {
        for text in [
            "error: unexpected token: identifier",
            "fn login(password: &str, token: String) -> bool {",
            "password = os.environ['DB_PASSWORD']",
            "let token = next_token();",
            "if password == stored_hash {",
            "api_key: required",
            "password=$DB_PASSWORD",
            "see https://acme.io:8080/a@b",
            "12 tokens: ok",
        ] {
            assert_eq!(redact_output(text), text);
            assert_eq!(redact(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,200}") {
            redact(&text);
            redact_output(&text);
        }

        #[test]
        fn no_assignment_makes_it_panic(name in "(pass|api_)?(word|key|token|secret)", sign in "[ \"':=>]{0,5}", rest in "(?s).{0,40}") {
            redact_output(&format!("{name}{sign}{rest}"));
        }
    }
}
