use serde::de::DeserializeOwned;

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

/// Reads YAML strictly; an unknown key is an error that names the nearest known one.
pub fn from_yaml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigError> {
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let at = error.location().map(|location| (location.line(), location.column()));
        let message = first_line(&error.to_string());
        let hint = nearest_key(&message).unwrap_or_else(|| {
            "`countersign init --stdout` prints a commented example that is valid".to_owned()
        });
        ConfigError { file: file.to_owned(), at, message, hint }
    })
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

/// From serde's "unknown field `x`, expected one of `a`, `b`".
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    let (score, nearest) = known
        .iter()
        .map(|key| (strsim::jaro_winkler(unknown, key), *key))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(if score > 0.75 {
        format!("did you mean `{nearest}`?")
    } else {
        format!("known keys here: {}", known.join(", "))
    })
}
