use axum::http::{HeaderMap, Method};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// A request, taken apart.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) method: Method,
    /// As it came, escapes included, without the query.
    pub(super) path: String,
    /// The path's parts without escapes. An escaped slash stays inside its part.
    pub(super) segments: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// The body if it is JSON or a form, otherwise null.
    pub(super) json: Value,
}

/// How a caller proved who he is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Credential {
    Bearer(String),
    /// GitHub's older word for Bearer.
    Token(String),
    Private(String),
    Basic {
        user: String,
        secret: String,
    },
}

impl Credential {
    pub(super) fn secret(&self) -> &str {
        match self {
            Credential::Bearer(secret) | Credential::Token(secret) | Credential::Private(secret) => secret,
            Credential::Basic { user, secret } if secret.is_empty() || secret == "x-oauth-basic" => user,
            Credential::Basic { secret, .. } => secret,
        }
    }
}

impl Call {
    pub(super) fn new(method: Method, path: &str, query: &str, headers: HeaderMap, body: Bytes) -> Call {
        let segments =
            path.split('/').filter(|part| !part.is_empty()).map(|part| decode(part, Plus::Stays)).collect();
        let json = serde_json::from_slice(&body).unwrap_or_else(|_| form(&headers, &body));
        Call { method, path: path.to_owned(), segments, query: pairs(query), headers, body, json }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(super) fn param(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.param(name)?.parse().ok()
    }

    /// A text of the body.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.json.get(name)?.as_str()
    }

    pub(super) fn credential(&self) -> Option<Credential> {
        if let Some(secret) = self.header("private-token") {
            return Some(Credential::Private(secret.to_owned()));
        }
        let (scheme, value) = self.header("authorization")?.split_once(' ')?;
        match scheme.to_ascii_lowercase().as_str() {
            "bearer" => Some(Credential::Bearer(value.to_owned())),
            "token" => Some(Credential::Token(value.to_owned())),
            "basic" => {
                let decoded = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
                let (user, secret) = decoded.split_once(':')?;
                Some(Credential::Basic { user: user.to_owned(), secret: secret.to_owned() })
            }
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plus {
    Stays,
    IsSpace,
}

fn decode(text: &str, plus: Plus) -> String {
    let text = if plus == Plus::IsSpace { text.replace('+', " ") } else { text.to_owned() };
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name, Plus::IsSpace), decode(value, Plus::IsSpace))
    };
    text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
}

/// GitLab also takes forms; `position[new_line]=3` is a number in an object.
fn form(headers: &HeaderMap, body: &[u8]) -> Value {
    let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Value::Null;
    }
    let mut whole = Value::Object(serde_json::Map::new());
    for (name, value) in pairs(&String::from_utf8_lossy(body)) {
        let mut place = &mut whole;
        for key in name.split('[').map(|key| key.trim_end_matches(']')) {
            if !place.is_object() {
                *place = Value::Object(serde_json::Map::new());
            }
            place = &mut place[key];
        }
        *place = value.parse::<u64>().map_or(Value::String(value), Value::from);
    }
    whole
}
