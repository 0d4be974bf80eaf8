//! Whether two findings are about the same thing.

use std::collections::BTreeSet;

use domain::change::RepoPath;
use domain::review::{Confidence, Finding, Place};

/// Findings further apart than this are about different code.
const NEAR: u32 = 3;
/// More words of a message than this say nothing new.
const MOST_WORDS: usize = 80;

/// What makes a finding comparable, worked out once.
#[derive(Debug, Clone)]
pub(super) struct Gist {
    path: Option<RepoPath>,
    line: Option<u32>,
    words: BTreeSet<String>,
    /// Names of things in the code, as `user_id` or `parseDate`.
    names: BTreeSet<String>,
}

impl Gist {
    pub(super) fn of(finding: &Finding) -> Gist {
        let mut words = BTreeSet::new();
        let mut names = BTreeSet::new();
        let tokens =
            finding.message.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        for token in tokens.take(MOST_WORDS) {
            if is_name(token) {
                names.insert(token.to_lowercase());
            }
            words.extend(parts(token).into_iter().filter(|word| !is_filler(word)).map(|word| stem(&word)));
        }
        names.extend(quoted(&finding.message));
        Gist { path: finding.path().cloned(), line: line(finding), words, names }
    }

    /// Same file, nearly the same line, much the same words, and not about different names: that `a` is unused
    /// is another finding than that `b` is.
    pub(super) fn resembles(&self, other: &Gist) -> bool {
        self.path == other.path && self.is_near(other) && self.same_names(other) && self.likeness(other) >= 50
    }

    pub(super) fn is_at_the_line_of(&self, other: &Gist) -> bool {
        self.line == other.line
    }

    fn is_near(&self, other: &Gist) -> bool {
        match (self.line, other.line) {
            (Some(one), Some(other)) => one.abs_diff(other) <= NEAR,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn same_names(&self, other: &Gist) -> bool {
        self.names.is_empty() || other.names.is_empty() || !self.names.is_disjoint(&other.names)
    }

    /// Words in common, in percent of the shorter message's.
    fn likeness(&self, other: &Gist) -> usize {
        let common = self.words.intersection(&other.words).count();
        let fewer = self.words.len().min(other.words.len());
        let wordless = if self.words == other.words { 100 } else { 0 };
        (common * 100).checked_div(fewer).unwrap_or(wordless)
    }
}

/// The worse of two findings that are the same. The surer, if they are equally bad.
pub(super) fn worse(one: Finding, other: Finding) -> Finding {
    let rank =
        |finding: &Finding| (finding.confidence > Confidence::Low, finding.severity, finding.confidence);
    if rank(&other) > rank(&one) { other } else { one }
}

fn line(finding: &Finding) -> Option<u32> {
    match &finding.place {
        Place::Lines(anchor) => Some(anchor.start),
        Place::File { .. } | Place::Summary => None,
    }
}

fn is_name(word: &str) -> bool {
    let inner_capital = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    word.contains('_') || inner_capital
}

/// Single words in backticks are names too.
fn quoted(message: &str) -> Vec<String> {
    let inside = message.split('`').skip(1).step_by(2).take(MOST_WORDS);
    inside
        .map(|code| code.trim_end_matches("()").rsplit(['.', ':']).next().unwrap_or(code).to_lowercase())
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect()
}

/// `parseUser_id` is `parse`, `user` and `id`.
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut lower = false;
    for c in word.chars() {
        if c == '_' || (c.is_uppercase() && lower) {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut().filter(|_| c != '_') {
            last.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 26] = [
        "a", "an", "and", "are", "as", "be", "been", "by", "can", "for", "from", "in", "is", "it", "its",
        "may", "of", "on", "or", "that", "the", "this", "to", "was", "which", "with",
    ];
    FILLERS.contains(&word)
}

/// `checked`, `checks` and `checking` are one word.
fn stem(word: &str) -> String {
    let stem = ["ing", "ed", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending));
    stem.filter(|stem| stem.len() >= 3).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::finding;

    fn same(one: (u32, &str), other: (u32, &str)) -> bool {
        let gist = |(line, message): (u32, &str)| Gist::of(&finding("src/a.rs", line, message));
        gist(one).resembles(&gist(other))
    }

    #[test]
    fn other_words_for_the_same_thing_are_recognised() {
        assert!(same(
            (10, "The user id is not checked for null"),
            (11, "`userId` is never checked for null")
        ));
        assert!(same((3, "Missing error handling"), (3, "Error handling is missing here")));
    }

    #[test]
    fn other_places_other_names_and_other_troubles_are_told_apart() {
        assert!(!same((10, "Missing error handling"), (20, "Missing error handling")));
        assert!(!same((10, "`first` is unused"), (11, "`second` is unused")));
        assert!(!same((10, "user_id is unused"), (10, "order_id is unused")));
        assert!(!same((10, "The query is open to injection"), (10, "No test covers this")));
    }
}
