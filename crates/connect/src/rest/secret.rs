use std::fmt;

use serde_json::Value;

/// A token or password. It cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    /// For the header that carries it, and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What must never be seen in a message or an answer.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// What is too short to be a secret would blank out ordinary words.
    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Secrets {
        Secrets(secrets.into_iter().filter(|secret| secret.len() >= 6).collect())
    }

    pub(crate) fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }

    /// Every text in it, names of fields included. What holds no secret is not copied.
    pub(crate) fn mask_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.mask_owned(text)),
            Value::Array(items) => items.into_iter().map(|item| self.mask_value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.mask_owned(name), self.mask_value(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn mask_owned(&self, text: String) -> String {
        match self.0.iter().any(|secret| text.contains(secret.as_str())) {
            true => self.mask(&text),
            false => text,
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_secret_cannot_be_printed() {
        let secret = Secret::new("glpat-0123456789");
        let secrets = Secrets::new([secret.reveal().to_owned()]);
        assert_eq!(format!("{secret:?} {secrets:?}"), "*** Secrets(***)");
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands() {
        let secrets = Secrets::new(["glpat-0123456789".to_owned()]);
        let masked = secrets.mask_value(json!({"a": ["x glpat-0123456789 y"], "glpat-0123456789": 1}));
        assert_eq!(masked, json!({"a": ["x *** y"], "***": 1}));
    }
}
