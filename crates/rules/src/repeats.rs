//! A secret that one line gives away may stand in others that say nothing about it, and reports quote those, too.

use std::collections::{BTreeSet, HashSet};

use aho_corasick::AhoCorasick;
use domain::change::RepoPath;
use domain::review::{Finding, Place};

use crate::context::FileContext;
use crate::redact::MASK;
use crate::rules::{Keychain, secrets_in, tells_of_secrets};

/// More of them are data, and those behind it are left to what gives them away itself.
const MOST: usize = 10_000;

/// What is shorter may be a word, or part of one.
const SHORTEST: usize = 8;

/// Secrets that are masked wherever they stand.
#[derive(Debug)]
pub(crate) struct Repeats(Option<AhoCorasick>);

impl Repeats {
    pub(crate) fn of<'t>(secrets: impl Iterator<Item = &'t [u8]>) -> Self {
        // A key has lines, and what code puts together has quotes.
        let parts = secrets.flat_map(|secret| secret.split(|byte| !byte.is_ascii_graphic()));
        let parts =
            parts.flat_map(|part| part.split(|byte| b"\"'`".contains(byte)).chain(std::iter::once(part)));
        let parts: BTreeSet<&[u8]> = parts.filter(|part| is_no_word(part)).collect();
        Repeats(if parts.is_empty() { None } else { AhoCorasick::new(parts.into_iter().take(MOST)).ok() })
    }

    pub(crate) fn mask(&self, text: &mut String) {
        let Some(secrets) = self.0.as_ref().filter(|secrets| secrets.is_match(text.as_str())) else { return };
        let mut masked = String::with_capacity(text.len());
        secrets.replace_all_with(text, &mut masked, |_, _, masked| {
            masked.push_str(MASK);
            true
        });
        *text = masked;
    }
}

fn is_no_word(part: &[u8]) -> bool {
    part.len() >= SHORTEST && !part.iter().all(u8::is_ascii_lowercase)
}

/// Masks what the findings of one file tell of in the lines that all of them quote.
pub(crate) fn mask_repeats(findings: &mut [Finding], files: &[FileContext<'_>]) {
    let telling = findings.iter().filter(|finding| tells_of_secrets(&finding.rule));
    let paths: HashSet<&RepoPath> = telling.filter_map(Finding::path).collect();
    if paths.is_empty() {
        return;
    }
    let telling = || files.iter().filter(|file| paths.contains(file.change.path()));
    let texts: Vec<Vec<u8>> = telling().map(added).collect();
    let given = texts.iter().flat_map(|text| secrets_in(text).into_iter().map(|found| &text[found.range]));
    let repeats = Repeats::of(given.chain(telling().flat_map(kept)));
    for finding in findings {
        if let Place::Lines(anchor) = &mut finding.place {
            repeats.mask(&mut anchor.text);
        }
        repeats.mask(&mut finding.message);
    }
}

fn added(file: &FileContext<'_>) -> Vec<u8> {
    file.added().map(|line| line.text).collect::<Vec<_>>().join(&b'\n')
}

/// What a program keeps in a file of its own.
fn kept<'a>(file: &'a FileContext<'_>) -> impl Iterator<Item = &'a [u8]> {
    let keychain = Keychain::of(file.change.path());
    file.added().filter_map(move |line| Some(&line.text[keychain?.password(line.text)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(secrets: &[&str], text: &str) -> String {
        let mut text = text.to_owned();
        Repeats::of(secrets.iter().map(|secret| secret.as_bytes())).mask(&mut text);
        text
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands() {
        assert_eq!(masked(&["k8Xp2mQ9vL4r"], "print(row, 'k8Xp2mQ9vL4r')"), "print(row, '...[redacted]')");
        assert_eq!(masked(&["ghp_\" + \"k8Xp2mQ9vL4r"], "y = 'k8Xp2mQ9vL4r'"), "y = '...[redacted]'");
        assert_eq!(masked(&["MIIEpAIB\nAAKCAQEA"], "x = 'AAKCAQEA'"), "x = '...[redacted]'");
    }

    #[test]
    fn one_secret_is_one_however_often_it_stands_there() {
        let secrets = vec!["k8Xp2mQ9vL4r"; MOST];
        let all = [secrets.as_slice(), &["z9Xp2mQ9vL4r"]].concat();
        assert_eq!(masked(&all, "z9Xp2mQ9vL4r"), MASK);
    }

    #[test]
    fn words_and_short_ones_stay() {
        assert_eq!(masked(&["gardengate", "Ab1", ""], "the gardengate of Ab1"), "the gardengate of Ab1");
    }
}
