use serde::de::DeserializeOwned;

use crate::text::nearest;

/// Something a person wrote cannot be understood. Says where, what, and how to go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", self.location())]
pub struct ConfigError {
    pub file: String,
    /// One-based line and column, where known.
    pub at: Option<(u64, u64)>,
    pub message: String,
    pub hint: String,
}

impl ConfigError {
    pub fn new(file: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        ConfigError { file: file.to_owned(), at: None, message: message.into(), hint: hint.into() }
    }

    fn location(&self) -> String {
        match self.at {
            Some((line, column)) => format!("{}:{line}:{column}", self.file),
            None => self.file.clone(),
        }
    }
}

/// Reads YAML strictly; an unknown key is an error that names the nearest known one. `example` says where to
/// see what is expected.
pub fn from_yaml<T: DeserializeOwned>(file: &str, text: &str, example: &str) -> Result<T, ConfigError> {
    serde_saphyr::from_str(text).map_err(|error| explained(file, text, example, error))
}

/// What the YAML reader complains about, for whoever wrote the file.
pub(crate) fn explained(file: &str, text: &str, example: &str, error: serde_saphyr::Error) -> ConfigError {
    let error = error.without_snippet();
    let at = error.location().map(|location| (location.line(), location.column()));
    let message = in_plain_words(&first_line(&error.to_string()));
    let hint = nearest_word(&message).unwrap_or_else(|| example.to_owned());
    let message = match (at, message.starts_with(UNKNOWN_VALUE)) {
        (Some(at), true) => name_key(text, at, &message),
        (Some(_) | None, _) => message,
    };
    ConfigError { file: file.to_owned(), at, message, hint }
}

/// Without the position, which is shown in front already.
fn first_line(rendered: &str) -> String {
    let line = rendered.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    match line.find(" at line ") {
        Some(end) => line[..end].to_owned(),
        None => line.to_owned(),
    }
}

/// The YAML reader speaks to programmers; this is for whoever wrote the file.
fn in_plain_words(message: &str) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("u8", "expected a whole number from 0 to 100"),
        ("u32", "expected a whole number"),
        ("u64", "expected a whole number"),
        ("bool", "expected true or false"),
        ("from_str_multiple", "there is more than one document in the file; only one is allowed"),
        ("DuplicateKeyPolicy", "the same key stands here twice"),
        ("budget", "the file is too large or too deeply nested"),
        ("expected sequence start", "expected a list, `[one, another]`"),
        ("expected mapping start", "expected keys with values, `key: value`"),
    ];
    let plain = WORDS.iter().find(|(technical, _)| message.contains(technical)).map(|(_, plain)| *plain);
    plain.unwrap_or(message).to_owned()
}

const UNKNOWN_KEY: &str = "unknown field ";
const UNKNOWN_VALUE: &str = "unknown variant ";

/// Keys that older versions took, and what to write instead.
const REMOVED: [(&str, &str); 1] = [(
    "permissions",
    "remove it: it never had an effect; `allow_commands` and `environment` say what an agent may use",
)];

/// From "unknown field `x`, expected one of a, b": serde quotes the known names, the YAML reader does not.
fn nearest_word(message: &str) -> Option<String> {
    let (rest, kind) = match message.strip_prefix(UNKNOWN_KEY) {
        Some(rest) => (rest, "keys"),
        None => (message.strip_prefix(UNKNOWN_VALUE)?, "values"),
    };
    let (unknown, known) = rest.split_once(", expected ")?;
    let removed = REMOVED.iter().find(|(key, _)| *key == unknown.trim_matches('`'));
    if let Some((_, instead)) = removed {
        return Some((*instead).to_owned());
    }
    let known: Vec<&str> = known
        .trim_start_matches("one of ")
        .split([','])
        .flat_map(|word| word.split(" or "))
        .map(|word| word.trim().trim_matches('`'))
        .collect();
    Some(match nearest(unknown.trim_matches('`'), known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known {kind} here: {}", known.join(", ")),
    })
}

/// A value that is not understood, with the key it was given to: what stands before it on its line.
fn name_key(text: &str, (line, column): (u64, u64), message: &str) -> String {
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let before: String = text.lines().nth(at(line)).unwrap_or_default().chars().take(at(column)).collect();
    let before = before.trim_end().strip_suffix(':').unwrap_or_default();
    let key = before.rsplit([' ', '{', ',', '-']).next().unwrap_or_default();
    if key.is_empty() { message.to_owned() } else { format!("{key}: {message}") }
}
