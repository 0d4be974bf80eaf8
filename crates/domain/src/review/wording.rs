//! What a message says, as far as two messages can be compared without understanding them.

use std::collections::BTreeSet;

/// More words of a message than this say nothing new.
const MAX_WORDS: usize = 80;

/// The words of a message without fillers and endings, and what it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wording {
    words: BTreeSet<String>,
    /// Names of things in the code, as `user_id` or `parseDate`, and numbers, as in `criterion 2`.
    names: BTreeSet<String>,
    /// All of it, as its identity takes it.
    text: String,
}

impl Wording {
    pub fn of(message: &str) -> Wording {
        let mut wording = Wording { text: normalised(message), ..Wording::default() };
        for token in without_lines(tokens(message)).take(MAX_WORDS) {
            if is_name(token) {
                wording.names.insert(token.to_lowercase());
            }
            let parts = parts(token).into_iter().filter(|word| !is_filler(word));
            wording.words.extend(parts.map(|word| stem(&word)));
        }
        wording.names.extend(quoted(message));
        wording
    }

    /// Whether two messages say the same, word for word.
    pub fn repeats(&self, other: &Wording) -> bool {
        self.text == other.text
    }

    /// Whether two messages that different reviewers wrote of the same place mean the same: much the same words, and not
    /// about different names.
    pub fn resembles(&self, other: &Wording) -> bool {
        let same_names =
            self.names.is_empty() || other.names.is_empty() || !self.names.is_disjoint(&other.names);
        same_names && self.likeness(other) >= 50
    }

    /// Whether one message says what the other says in other words. Stricter than [`Wording::resembles`]: where each says
    /// something that the other does not, nearly all else has to be the same. `code` is what both are about: two messages
    /// that single out different words of it are about different things.
    pub fn rewords(&self, other: &Wording, code: &str) -> bool {
        let common = self.words.intersection(&other.words).count();
        let own: Vec<_> = self.words.difference(&other.words).collect();
        let others: Vec<_> = other.words.difference(&self.words).collect();
        let all = common + own.len() + others.len();
        let enough = match own.is_empty() || others.is_empty() {
            true => common * 3 >= all * 2,
            false => common * 4 >= all * 3,
        };
        let code = Wording::of(code).words;
        let singles_out = |words: &[&String]| words.iter().any(|word| code.contains(*word));
        common > 0
            && enough
            && (self.names.is_subset(&other.names) || other.names.is_subset(&self.names))
            && !(singles_out(&own) && singles_out(&others))
    }

    /// Words in common, in percent of the shorter message's.
    pub fn likeness(&self, other: &Wording) -> usize {
        let common = self.words.intersection(&other.words).count();
        let fewer = self.words.len().min(other.words.len());
        let wordless = if self.words == other.words { 100 } else { 0 };
        (common * 100).checked_div(fewer).unwrap_or(wordless)
    }
}

/// A message as its identity takes it: without case, punctuation, white space and line numbers.
pub(super) fn normalised(message: &str) -> String {
    let words: Vec<_> = without_lines(tokens(message)).map(str::to_lowercase).collect();
    // What has no words at all is told apart by its signs.
    if words.is_empty() { message.trim().to_owned() } else { words.join(" ") }
}

fn tokens(message: &str) -> impl Iterator<Item = &str> {
    message.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Leaves out `line 45` and `lines 4 to 9`: lines move from round to round.
fn without_lines<'a>(tokens: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut tokens = tokens.peekable();
    std::iter::from_fn(move || {
        loop {
            let token = tokens.next()?;
            let is_line = token.eq_ignore_ascii_case("line") || token.eq_ignore_ascii_case("lines");
            if !is_line || tokens.next_if(|next| is_number(next)).is_none() {
                return Some(token);
            }
            let is_range = tokens.next_if(|next| matches!(*next, "to" | "and")).is_some();
            if tokens.next_if(|next| is_number(next)).is_none() && is_range {
                return Some("to");
            }
        }
    })
}

fn is_number(token: &str) -> bool {
    token.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(word: &str) -> bool {
    let inner_capital = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    word.contains('_') || inner_capital || word.contains(|c: char| c.is_ascii_digit())
}

/// Single words in backticks are names too.
fn quoted(message: &str) -> Vec<String> {
    let inside = message.split('`').skip(1).step_by(2).take(MAX_WORDS);
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
    const FILLERS: [&str; 42] = [
        "a", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "do", "does", "for",
        "from", "has", "have", "here", "in", "into", "is", "it", "its", "may", "might", "of", "on", "or",
        "that", "the", "there", "this", "through", "to", "via", "was", "which", "will", "with", "within",
        "would",
    ];
    FILLERS.contains(&word)
}

/// `checked`, `checks` and `checking` are one word, and so is everything that says that something is not there.
fn stem(word: &str) -> String {
    const ABSENT: [&str; 12] = [
        "no", "not", "never", "none", "without", "missing", "misses", "lack", "lacks", "lacking", "absent",
        "nothing",
    ];
    if ABSENT.contains(&word) {
        return "no".to_owned();
    }
    let shorter = |ending: &str, least: usize| word.strip_suffix(ending).filter(|stem| stem.len() >= least);
    let stem = shorter("age", 5).or_else(|| {
        let stem = ["ing", "ed", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending));
        stem.filter(|stem| stem.len() >= 3)
    });
    stem.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewords(one: &str, other: &str) -> bool {
        let code = "def f(name, email):";
        let (one, other) = (Wording::of(one), Wording::of(other));
        assert_eq!(one.rewords(&other, code), other.rewords(&one, code));
        one.rewords(&other, code)
    }

    #[test]
    fn a_reworded_message_is_recognised() {
        for (one, other) in [
            ("No test covers subtraction", "Subtraction is not covered by any test"),
            ("No test covers subtraction", "No unit test covers the subtraction path"),
            ("Missing error handling", "Error handling is missing here"),
            (
                "SQL injection in the login handler through name",
                "The login handler is vulnerable to SQL injection via name",
            ),
            ("`user_id` is not checked", "user_id is never checked"),
        ] {
            assert!(rewords(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn what_could_be_another_problem_is_one() {
        for (one, other) in [
            ("No test covers subtraction", "No test covers addition"),
            ("No test covers subtraction", "Anybody can wipe the database"),
            (
                "Acceptance criterion 1 of the story is not met",
                "Acceptance criterion 2 of the story is not met",
            ),
            ("`first` is unused", "`second` is unused"),
            (
                "The login handler does not check the length of name before saving",
                "The login handler does not check the length of email before saving",
            ),
            ("", ""),
        ] {
            assert!(!rewords(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn line_numbers_say_nothing_and_other_numbers_do() {
        assert_eq!(
            normalised("The file on lines 4 to 9 is open."),
            normalised("the file, on line 5, is OPEN")
        );
        assert_ne!(normalised("criterion 1"), normalised("criterion 2"));
        assert_eq!(normalised("!?"), "!?");
        assert_eq!(normalised("Too long a line"), "too long a line");
    }
}
