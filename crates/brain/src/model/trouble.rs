//! What went wrong, in the few kinds that are dealt with differently.

use std::time::Duration;

use genai::webc::StreamTimeout;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::secrets::Secrets;
use super::wait;
use crate::call::CallError;

/// Of one attempt. Reasons are fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// To be waited out.
    Busy {
        retry_after: Option<Duration>,
        reason: String,
    },
    /// Nothing was said yet, and the next attempt may succeed.
    Stumbled(String),
    /// The question was not understood: perhaps its schema.
    NotUnderstood(String),
    Unauthorised(String),
    TooLarge(String),
    TimedOut,
    Failed(String),
}

impl Trouble {
    pub(super) fn from(error: &genai::Error, secrets: &Secrets) -> Trouble {
        match error {
            genai::Error::WebStream { error, cause, .. } => from_stream(error.as_ref(), cause, secrets),
            genai::Error::HttpError { status, body, headers, .. } => {
                from_status(*status, body, headers, secrets)
            }
            genai::Error::ChatResponse { body, .. } => from_event(body, secrets),
            genai::Error::StreamParse { serde_error, .. } => Trouble::Failed(
                secrets.excerpt(&format!("what it sent is not what its interface promises: {serde_error}")),
            ),
            // The text of other errors may hold whole questions and answers.
            _ => Trouble::Failed("what it sent is not what its interface promises".to_owned()),
        }
    }

    /// Once nothing more is going to be tried with this model.
    pub(super) fn into_error(self, model: &str) -> CallError {
        let model = model.to_owned();
        match self {
            Trouble::Busy { retry_after, .. } => CallError::RateLimited { model, retry_after },
            Trouble::Unauthorised(reason) => CallError::Unauthorised { model, reason },
            Trouble::TooLarge(reason) => CallError::TooLarge { model, reason },
            Trouble::TimedOut => CallError::TimedOut { model },
            Trouble::Stumbled(reason) | Trouble::NotUnderstood(reason) | Trouble::Failed(reason) => {
                CallError::Failed { model, reason }
            }
        }
    }
}

fn from_stream(
    error: &(dyn std::error::Error + Send + Sync + 'static),
    cause: &str,
    secrets: &Secrets,
) -> Trouble {
    if let Some(error) = error.downcast_ref::<genai::Error>() {
        return Trouble::from(error, secrets);
    }
    if error.is::<StreamTimeout>() {
        return Trouble::TimedOut;
    }
    match error.downcast_ref::<reqwest::Error>() {
        Some(error) => from_connection(error, secrets),
        None => Trouble::Failed(secrets.excerpt(cause)),
    }
}

/// In our own words and those of the last cause: the client's own text holds the address.
fn from_connection(error: &reqwest::Error, secrets: &Secrets) -> Trouble {
    let mut root: &dyn std::error::Error = error;
    while let Some(source) = root.source() {
        root = source;
    }
    let root = secrets.excerpt(&root.to_string());
    if error.is_timeout() {
        Trouble::TimedOut
    } else if error.is_connect() {
        Trouble::Stumbled(format!("it cannot be reached: {root}"))
    } else if error.is_builder() {
        Trouble::Failed("the question cannot be sent to its address".to_owned())
    } else if error.is_body() || error.is_decode() {
        Trouble::Failed(format!("its answer was broken off: {root}"))
    } else {
        Trouble::Stumbled(format!("the connection broke: {root}"))
    }
}

fn from_status(status: StatusCode, body: &str, headers: &HeaderMap, secrets: &Secrets) -> Trouble {
    let said = secrets.excerpt(&message(body));
    let reason = match said.is_empty() {
        true => format!("status {}", status.as_u16()),
        false => format!("status {}: {said}", status.as_u16()),
    };
    let lower = body.get(..4096).unwrap_or(body).to_ascii_lowercase();
    match status.as_u16() {
        300..=399 => Trouble::Failed(format!(
            "it redirects (status {}), which is not followed: the key would go along",
            status.as_u16()
        )),
        401 | 403 => Trouble::Unauthorised(reason),
        413 => Trouble::TooLarge(reason),
        400 | 422 if says_too_large(&lower) => Trouble::TooLarge(reason),
        400 if lower.contains("api key not valid") => Trouble::Unauthorised(reason),
        400 | 422 => Trouble::NotUnderstood(reason),
        // No waiting helps an empty account.
        429 if lower.contains("insufficient_quota") => Trouble::Failed(reason),
        429 | 503 | 529 => Trouble::Busy { retry_after: wait::asked_for(headers), reason },
        408 | 500..=599 => Trouble::Stumbled(reason),
        _ => Trouble::Failed(reason),
    }
}

/// An error in the middle of a stream that began well.
fn from_event(body: &Value, secrets: &Secrets) -> Trouble {
    let text = body.to_string();
    let reason = secrets.excerpt(&message(&text));
    let lower = text.get(..4096).unwrap_or(&text).to_ascii_lowercase();
    if ["overloaded", "rate_limit", "resource_exhausted", "unavailable"]
        .iter()
        .any(|kind| lower.contains(kind))
    {
        Trouble::Busy { retry_after: None, reason }
    } else if says_too_large(&lower) {
        Trouble::TooLarge(reason)
    } else {
        Trouble::Failed(format!("it gave up in the middle of its answer: {reason}"))
    }
}

fn says_too_large(lower: &str) -> bool {
    const SAID: [&str; 7] = [
        "prompt is too long",
        "context_length_exceeded",
        "maximum context length",
        "context window",
        "request_too_large",
        "exceeds the maximum number of tokens",
        "input token count",
    ];
    SAID.iter().any(|said| lower.contains(said))
}

/// What providers put around their message differs; where it cannot be found, everything is one.
fn message(body: &str) -> String {
    let parsed: Value = serde_json::from_str(body).unwrap_or_default();
    let parsed = parsed.get(0).unwrap_or(&parsed);
    let found = [&parsed["error"]["message"], &parsed["message"], &parsed["error"], &parsed["detail"]];
    found.into_iter().find_map(Value::as_str).unwrap_or(body).to_owned()
}

/// One error for several models, in the kind of which they all are; it says of each what happened to it.
pub(super) fn combined(mut tried: Vec<CallError>) -> CallError {
    if tried.len() == 1 {
        return tried.remove(0);
    }
    let all = |kind: fn(&CallError) -> bool| !tried.is_empty() && tried.iter().all(kind);
    let model = || tried.iter().filter_map(model_of).collect::<Vec<_>>().join(", ");
    let every = || "every model".to_owned();
    let reason = || tried.iter().map(reason_of).collect::<Vec<_>>().join("; ");
    if all(|error| matches!(error, CallError::RateLimited { .. })) {
        let soonest = tried.iter().filter_map(|error| match error {
            CallError::RateLimited { retry_after, .. } => *retry_after,
            _ => None,
        });
        CallError::RateLimited { model: model(), retry_after: soonest.min() }
    } else if all(|error| matches!(error, CallError::TimedOut { .. })) {
        CallError::TimedOut { model: model() }
    } else if all(|error| matches!(error, CallError::TooLarge { .. })) {
        CallError::TooLarge { model: every(), reason: reason() }
    } else if all(|error| matches!(error, CallError::Unauthorised { .. })) {
        CallError::Unauthorised { model: every(), reason: reason() }
    } else if all(|error| matches!(error, CallError::Failed { .. })) {
        CallError::Failed { model: every(), reason: reason() }
    } else {
        let told = tried.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        CallError::Failed { model: every(), reason: told }
    }
}

/// What happened to which, without its kind.
fn reason_of(error: &CallError) -> String {
    match error {
        CallError::Unauthorised { model, reason }
        | CallError::TooLarge { model, reason }
        | CallError::Failed { model, reason } => format!("{model}: {reason}"),
        CallError::RateLimited { .. }
        | CallError::TimedOut { .. }
        | CallError::OverBudget(_)
        | CallError::NotConfigured(_) => error.to_string(),
    }
}

fn model_of(error: &CallError) -> Option<&str> {
    match error {
        CallError::RateLimited { model, .. }
        | CallError::TimedOut { model }
        | CallError::Unauthorised { model, .. }
        | CallError::TooLarge { model, .. }
        | CallError::Failed { model, .. } => Some(model),
        CallError::OverBudget(_) | CallError::NotConfigured(_) => None,
    }
}
