use domain::config::{ConfigError, from_yaml};

use super::document::RuleDocument;
use super::signs::is_blank;

const EXAMPLE: &str =
    "`countersign rules show ID` prints a rule; docs/RULES.md explains the form of a document";

/// A document with where it stands, for what may be wrong with it later.
pub(super) struct Placed {
    pub(super) document: RuleDocument,
    pub(super) file: String,
    /// The number of the line before its first.
    offset: u64,
    text: String,
}

/// What is wrong with a part of a document, and what to do about it.
#[derive(Debug)]
pub(super) struct Wrong {
    /// What it is about, as it stands there.
    word: Option<String>,
    pub(super) message: String,
    hint: String,
}

impl Wrong {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Wrong { word: None, message: message.into(), hint: hint.into() }
    }

    pub(super) fn about(word: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Wrong { word: Some(word.to_owned()), ..Wrong::new(message, hint) }
    }
}

impl Placed {
    /// An error about one key of the document.
    pub(super) fn error(&self, key: &str, message: impl Into<String>, hint: &str) -> ConfigError {
        self.error_of(key, Wrong::new(message, hint))
    }

    /// An error about a word below a key, or about the key where the word is not found.
    pub(super) fn error_of(&self, key: &str, wrong: Wrong) -> ConfigError {
        let word = wrong.word.clone();
        self.placed(key, wrong, |below| word.and_then(|word| whole_word(below, &word)))
    }

    /// An error about one of the conditions, each of which says once what it is about.
    pub(super) fn condition_error(&self, index: usize, wrong: Wrong) -> ConfigError {
        let word = wrong.word.clone();
        self.placed("where", wrong, |below| {
            let start = subjects(below).nth(index)?;
            let word = word.and_then(|word| whole_word(&below[start..], &word));
            Some(start + word.unwrap_or_default())
        })
    }

    /// An error where `find` says, in the text below a key.
    fn placed(&self, key: &str, wrong: Wrong, find: impl FnOnce(&str) -> Option<usize>) -> ConfigError {
        let below = self.below(key);
        let start = self.text.len() - below.len();
        let at = start + find(below).unwrap_or_default();
        let line_start = self.text[..at].rfind('\n').map_or(0, |feed| feed + 1);
        let number = |count: usize| u64::try_from(count).unwrap_or_default() + 1;
        let line = self.text[..at].matches('\n').count();
        let mut error = ConfigError::new(&self.file, wrong.message, wrong.hint);
        error.at = Some((self.offset + number(line), number(self.text[line_start..at].chars().count())));
        error
    }

    /// The text from a key on. Nothing of that name stands there: then it is about the document, which starts with what it
    /// is called.
    fn below(&self, key: &str) -> &str {
        let mut lines = lines_from(&self.text);
        let is_key = |text: &str| text.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        let is_written = |text: &str| text.lines().next().is_some_and(|line| !line.trim().is_empty());
        let found =
            lines.find(|text| is_key(text)).or_else(|| lines_from(&self.text).find(|text| is_written(text)));
        found.unwrap_or(&self.text)
    }
}

/// What is left of a text from each of its lines on.
fn lines_from<'t>(text: &'t str) -> impl Iterator<Item = &'t str> {
    std::iter::successors(Some(text), |text: &&'t str| next_line(text))
}

fn next_line(text: &str) -> Option<&str> {
    text.split_once('\n').map(|(_, rest)| rest)
}

/// Where a word stands that is no part of a longer one.
fn whole_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: &usize| {
        let begins = !word.starts_with(is_part) || !text[..*at].ends_with(is_part);
        begins && !text[at + word.len()..].starts_with(is_part)
    };
    text.match_indices(word).map(|(at, _)| at).find(is_whole)
}

/// Where the conditions of a text say what they are about.
fn subjects(text: &str) -> impl Iterator<Item = usize> {
    let is_key = |at: &usize| {
        let rest = &text[*at..];
        let rest = rest.strip_prefix("argument").or_else(|| rest.strip_prefix("variable"));
        let stands_alone = text[..*at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        stands_alone && rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
    };
    let starts = text.char_indices().filter(|(_, c)| matches!(c, 'a' | 'v')).map(|(at, _)| at);
    starts.filter(is_key)
}

/// The documents of a file, which lines of `---` part.
pub(super) fn documents(file: &str, text: &str) -> Result<Vec<Placed>, ConfigError> {
    let written = parts(text).into_iter().filter(|(_, text)| !is_blank(text));
    written.map(|(offset, text)| document(file, offset, text)).collect()
}

/// One document, whose first line comes after `offset` others.
pub(super) fn document(file: &str, offset: u64, text: &str) -> Result<Placed, ConfigError> {
    let document = from_yaml(file, text, EXAMPLE).map_err(|mut error| {
        if let Some(message) = in_plain_words(&error, text) {
            error.message = message;
        }
        error.at = error.at.map(|(line, column)| (line + offset, column));
        error
    })?;
    Ok(Placed { document, file: file.to_owned(), offset, text: text.to_owned() })
}

/// What ast-grep calls how bad something is, and what we do.
const SEVERITIES: [(&str, &str); 4] =
    [("error", "HIGH"), ("warning", "MEDIUM"), ("info", "LOW"), ("hint", "SUGGESTION")];

/// What the reader says in the words of this program, in those of whoever writes rules.
fn in_plain_words(error: &ConfigError, text: &str) -> Option<String> {
    const FORMS: [(&str, &str); 6] = [
        (
            "Transformation",
            "a transformation is a text, `replace($A, replace=a, by=b)`, or one of `replace`, `substring` and `convert` with what it needs",
        ),
        ("PatternStyle", "a `pattern` is code, or has a `context` and a `selector`"),
        ("NthChild", "`nthChild` is a number, `2n+1`, or has a `position`"),
        ("SerializableMatches", "`matches` is the name of a utility"),
        ("Listed", "examples are a list of texts, or such lists by language"),
        ("", "this has none of the forms that are allowed here"),
    ];
    if let Some((_, form)) = error.message.split_once("untagged enum ") {
        let known = FORMS.iter().find(|(name, _)| form.contains(name));
        return known.map(|(_, plain)| (*plain).to_owned());
    }
    if let Some(theirs) =
        SEVERITIES.iter().find(|one| error.message.contains(&format!("severity `{}`", one.0)))
    {
        return Some(format!("{}; what ast-grep calls `{}` is `{}` here", error.message, theirs.0, theirs.1));
    }
    let is_fix = || key_at(text, error.at.map_or(0, |(line, _)| line)) == Some("fix");
    (error.message.contains("expected string scalar") && is_fix()).then(|| {
        "`fix` is a text here, `log($A)`: `template`, `expandStart` and `expandEnd` are not supported"
            .to_owned()
    })
}

/// The key of the document that a line belongs to.
fn key_at(text: &str, line: u64) -> Option<&str> {
    let lines = text.lines().take(usize::try_from(line).unwrap_or(usize::MAX));
    lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase())).last()?.split(':').next()
}

/// The texts between lines of `---`, each with the number of lines before it.
pub(super) fn parts(text: &str) -> Vec<(u64, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut at, mut offset, mut line_number) = (0, 0, 0, 0);
    for line in text.split_inclusive('\n') {
        line_number += 1;
        if line.trim_end() == "---" {
            parts.push((offset, &text[start..at]));
            start = at + line.len();
            offset = line_number;
        }
        at += line.len();
    }
    parts.push((offset, &text[start..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_line_in_the_file() {
        let text = "id: a\n---\nid: b\ntitel: c\n";
        let error = documents("x.yml", text).err().unwrap();
        assert_eq!(error.at.map(|(line, _)| line), Some(4), "{error}");
        assert!(error.hint.contains("`title`"), "{}", error.hint);
    }

    #[test]
    fn an_error_names_the_place_of_a_word_or_a_condition() {
        let text = "x: 1\nwhere:\n  - {argument: 0, is: constant}\n  - {variable: NOPE, is: constant}\n";
        let document = || from_yaml("x.yml", "id: a", "").unwrap();
        let placed = Placed { document: document(), file: "x.yml".into(), offset: 3, text: text.into() };
        let at = |error: ConfigError| error.at;
        assert_eq!(at(placed.condition_error(0, Wrong::new("", ""))), Some((6, 6)));
        assert_eq!(at(placed.condition_error(1, Wrong::about("NOPE", "", ""))), Some((7, 16)));
        assert_eq!(at(placed.condition_error(2, Wrong::new("", ""))), Some((5, 1)));
        assert_eq!(at(placed.error("id", "", "")), Some((4, 1)));
        let text = "fix: log($BA, $B)\n";
        let placed = Placed { document: document(), file: "x.yml".into(), offset: 0, text: text.into() };
        assert_eq!(at(placed.error_of("fix", Wrong::about("$B", "", ""))), Some((1, 15)));
    }

    #[test]
    fn what_has_a_wrong_form_is_told_in_plain_words() {
        for (text, told, at) in [
            ("id: a\nwhere: {argument: -1}\n", "counted from 0", 2),
            ("id: a\ntransform: {A: 5}\n", "a transformation is", 2),
            ("id: a\nrule: {pattern: {a: b}}\n", "a `pattern` is code", 2),
            ("id: a\nfix: {template: a, expandEnd: {regex: b}}\n", "`fix` is a text here", 2),
            ("id: a\nfix:\n  template: a\n", "`fix` is a text here", 2),
            ("id: a\nseverity: warning\n", "ast-grep calls `warning` is `MEDIUM`", 2),
        ] {
            let error = documents("x.yml", text).err().unwrap();
            assert!(error.message.contains(told), "{text}: {error}");
            assert!(error.at.is_some_and(|(line, _)| (at..=at + 1).contains(&line)), "{text}: {error}");
        }
        let error = documents("x.yml", "id: a\nlanguage: pyton\n").err().unwrap();
        assert!(error.hint.contains("did you mean `python`?"), "{error}: {}", error.hint);
    }

    #[test]
    fn empty_documents_are_passed_over() {
        assert_eq!(documents("x.yml", "---\n# nothing\n---\nid: a\n---\n").map(|all| all.len()), Ok(1));
    }
}
