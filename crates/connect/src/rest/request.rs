use reqwest::{Method, Url};
use serde_json::Value;

use super::path::Path;

/// One request to a service.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(super) method: Method,
    /// Instead of the service's own; the same host all the same.
    pub(super) base: Option<Url>,
    pub(super) path: Path,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Option<Value>,
    pub(super) accept: Accept,
    pub(super) effect: Effect,
}

/// What the answer should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accept {
    Json,
    GithubDiff,
}

/// What it does to the service, and so whether it may be sent twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    /// Twice is the same as once.
    Sets,
    Adds,
}

impl Ask {
    pub(crate) fn get(path: Path) -> Ask {
        Ask::new(Method::GET, path, None, Effect::Nothing)
    }

    pub(crate) fn post(path: Path, body: Value) -> Ask {
        Ask::new(Method::POST, path, Some(body), Effect::Adds)
    }

    pub(crate) fn put(path: Path, body: Value) -> Ask {
        Ask::new(Method::PUT, path, Some(body), Effect::Sets)
    }

    pub(crate) fn patch(path: Path, body: Value) -> Ask {
        Ask::new(Method::PATCH, path, Some(body), Effect::Sets)
    }

    pub(crate) fn delete(path: Path) -> Ask {
        Ask::new(Method::DELETE, path, None, Effect::Sets)
    }

    fn new(method: Method, path: Path, body: Option<Value>, effect: Effect) -> Ask {
        Ask { method, base: None, path, query: Vec::new(), body, accept: Accept::Json, effect }
    }

    pub(crate) fn query(mut self, name: &str, value: impl ToString) -> Ask {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn query_if(self, name: &str, value: Option<impl ToString>) -> Ask {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(crate) fn accepting(mut self, accept: Accept) -> Ask {
        self.accept = accept;
        self
    }

    /// Below another address of the same host.
    pub(crate) fn at(mut self, base: Url) -> Ask {
        self.base = Some(base);
        self
    }

    /// Of a POST that sets something: twice is the same as once.
    pub(crate) fn setting(mut self) -> Ask {
        self.effect = Effect::Sets;
        self
    }

    /// Of a POST that only asks.
    pub(crate) fn asking(mut self) -> Ask {
        self.effect = Effect::Nothing;
        self
    }

    pub(super) fn changes(&self) -> bool {
        self.effect != Effect::Nothing
    }

    pub(super) fn is_get(&self) -> bool {
        self.method == Method::GET
    }
}

impl Accept {
    pub(super) fn header(self) -> &'static str {
        match self {
            Accept::Json => "application/json",
            Accept::GithubDiff => "application/vnd.github.diff",
        }
    }

    /// No answer is read beyond this, in bytes.
    pub(super) fn most(self) -> usize {
        match self {
            Accept::Json => 32 << 20,
            Accept::GithubDiff => 64 << 20,
        }
    }
}
