use std::sync::Mutex;
use std::time::SystemTime;

use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Without the query.
    pub path: String,
    /// Names in lower case. Those that carry the token are left out: see `token`.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The body if it is JSON, otherwise null.
    pub json: Value,
    /// The secret it came with.
    pub token: Option<String>,
    pub at: SystemTime,
    /// The status that was answered; none while it is under way, or when the connection was cut instead.
    pub status: Option<u16>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it asked for a change rather than for an answer.
    /// A question in GraphQL is posted, and changes nothing.
    pub fn writes(&self) -> bool {
        let asks = self.path.ends_with("graphql")
            && !String::from_utf8_lossy(self.body.as_ref()).contains("mutation");
        !matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS") && !asks
    }
}

#[derive(Debug, Default)]
pub(super) struct Record {
    all: Mutex<Vec<Asked>>,
}

impl Record {
    pub(super) fn add(&self, asked: Asked) -> usize {
        let mut all = self.all.lock().expect("no test panics here");
        all.push(asked);
        all.len() - 1
    }

    pub(super) fn answered(&self, at: usize, status: u16) {
        if let Some(asked) = self.all.lock().expect("no test panics here").get_mut(at) {
            asked.status = Some(status);
        }
    }

    pub(super) fn all(&self) -> Vec<Asked> {
        self.all.lock().expect("no test panics here").clone()
    }

    pub(super) fn clear(&self) {
        self.all.lock().expect("no test panics here").clear();
    }
}
