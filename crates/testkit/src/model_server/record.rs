use std::sync::Mutex;
use std::time::Instant;

use axum::http::request::Parts;
use serde_json::Value;

/// One request, as it came in.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` if it was not JSON.
    pub body: Value,
    pub at: Instant,
    /// Counted from 0 among the questions that were found valid.
    pub number: Option<usize>,
    /// Why it was not put to the script.
    pub refused: Option<String>,
}

impl Asked {
    pub(super) fn new(parts: &Parts, body: Value) -> Asked {
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        Asked {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: headers.collect(),
            body,
            at: Instant::now(),
            number: None,
            refused: None,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(super) fn bearer(&self) -> Option<&str> {
        self.header("authorization")?.strip_prefix("Bearer ")
    }

    /// Everything the model was told, as one text: for assertions about what it may and may not know.
    pub fn text(&self) -> String {
        let mut text = String::new();
        collect_strings(&self.body, &mut text);
        text
    }
}

fn collect_strings(value: &Value, into: &mut String) {
    match value {
        Value::String(string) => {
            into.push_str(string);
            into.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect_strings(field, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[derive(Debug, Default)]
pub(super) struct Record(Mutex<Vec<Asked>>);

impl Record {
    pub(super) fn add(&self, asked: Asked) {
        self.0.lock().unwrap().push(asked);
    }

    /// Gives it its number.
    pub(super) fn add_question(&self, mut asked: Asked) -> Asked {
        let mut all = self.0.lock().unwrap();
        asked.number = Some(all.iter().filter(|other| other.number.is_some()).count());
        all.push(asked.clone());
        asked
    }

    pub(super) fn all(&self) -> Vec<Asked> {
        self.0.lock().unwrap().clone()
    }
}
