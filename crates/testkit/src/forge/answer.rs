use axum::body::Body;
use axum::response::Response;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// What is sent back, before any fault has its way with it.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Either side is an answer; the second is a refusal, so that `?` ends a request early.
pub(super) type Outcome = Result<Answer, Answer>;

impl Answer {
    pub(super) fn json(status: u16, body: &Value) -> Answer {
        Answer::text(status, "application/json; charset=utf-8", &body.to_string())
    }

    pub(super) fn text(status: u16, kind: &str, body: &str) -> Answer {
        Answer {
            status,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body: body.as_bytes().to_vec(),
        }
    }

    pub(super) fn empty(status: u16) -> Answer {
        Answer { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(super) fn with(mut self, name: &str, value: impl ToString) -> Answer {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub(super) fn etag(&self) -> String {
        let digest = Sha256::digest(&self.body);
        format!("W/\"{}\"", hex(&digest[..16]))
    }

    pub(super) fn into_response(self) -> Response {
        let mut builder = Response::builder().status(self.status);
        for (name, value) in self.headers {
            builder = builder.header(name, value);
        }
        builder.body(Body::from(self.body)).expect("a response")
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One object with the fields of both.
pub(super) fn merged(mut value: Value, more: Value) -> Value {
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}
