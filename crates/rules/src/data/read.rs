use domain::config::{ConfigError, from_yaml};

use super::document::RuleDocument;

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

impl Placed {
    /// An error about one key of the document.
    pub(super) fn error(&self, key: &str, message: impl Into<String>, hint: &str) -> ConfigError {
        let line = self
            .text
            .lines()
            .position(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
        // Nothing of that name stands there: then it is about the document, which starts with what it is called.
        let line = line.or_else(|| self.text.lines().position(|line| !line.trim().is_empty()));
        let line = u64::try_from(line.unwrap_or_default()).unwrap_or_default();
        let mut error = ConfigError::new(&self.file, message, hint);
        error.at = Some((self.offset + line + 1, 1));
        error
    }
}

/// The documents of a file, which lines of `---` part.
pub(super) fn documents(file: &str, text: &str) -> Result<Vec<Placed>, ConfigError> {
    read(file, parts(text))
}

/// As [`documents`], for a review, which is in a hurry and needs no examples: of our own files, where they come last.
pub(super) fn without_examples(file: &str, text: &str) -> Result<Vec<Placed>, ConfigError> {
    let before = |text: &str| text.find("\nexamples:").map_or(text.len(), |end| end + 1);
    read(file, parts(text).into_iter().map(|(offset, text)| (offset, &text[..before(text)])).collect())
}

fn read(file: &str, parts: Vec<(u64, &str)>) -> Result<Vec<Placed>, ConfigError> {
    let mut found = Vec::new();
    for (offset, text) in parts {
        let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if text.lines().all(is_blank) {
            continue;
        }
        let document = from_yaml(file, text, EXAMPLE).map_err(|mut error| {
            error.at = error.at.map(|(line, column)| (line + offset, column));
            error
        })?;
        found.push(Placed { document, file: file.to_owned(), offset, text: text.to_owned() });
    }
    Ok(found)
}

fn parts(text: &str) -> Vec<(u64, &str)> {
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
    fn empty_documents_are_passed_over() {
        assert_eq!(documents("x.yml", "---\n# nothing\n---\nid: a\n---\n").map(|all| all.len()), Ok(1));
    }
}
