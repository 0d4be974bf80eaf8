//! What servers say when they cannot do something, in our words.

use std::time::Duration;

use domain::ports::{Happened, PortError, PortErrorKind};
use serde::Deserialize;
use serde_json::Value;

use super::link::Effect;

/// As our own servers put it.
#[derive(Deserialize)]
struct Told {
    error: ToldError,
}

#[derive(Deserialize)]
struct ToldError {
    kind: String,
    message: String,
    #[serde(default)]
    hint: String,
    #[serde(default)]
    details: Vec<String>,
    retry_after_seconds: Option<u64>,
    #[serde(default)]
    may_have_happened: bool,
}

pub(super) fn refusal(structured: Option<&Value>, text: &str, effect: Effect) -> PortError {
    let told = structured.and_then(|value| serde_json::from_value::<Told>(value.clone()).ok());
    match told {
        Some(told) => ours(told.error),
        None => guessed(text, effect),
    }
}

fn ours(error: ToldError) -> PortError {
    let happened = if error.may_have_happened { Happened::Maybe } else { Happened::Not };
    let kind = match error.kind.as_str() {
        "not_configured" => PortErrorKind::NotConfigured,
        "not_found" => PortErrorKind::NotFound,
        "unauthorised" | "forbidden" => PortErrorKind::Unauthorised,
        "conflict" => PortErrorKind::Conflict,
        "invalid" => PortErrorKind::Rejected,
        "rate_limited" => {
            PortErrorKind::RateLimited { retry_after: error.retry_after_seconds.map(Duration::from_secs) }
        }
        "unavailable" => PortErrorKind::Unavailable(happened),
        _ if happened == Happened::Maybe => PortErrorKind::Unavailable(happened),
        _ => PortErrorKind::Unreadable,
    };
    let details = error.details.join("; ");
    let reason = if details.is_empty() { error.message } else { format!("{} ({details})", error.message) };
    PortError::new(kind, "", &reason, &error.hint)
}

/// Other servers answer with prose that has a status of HTTP somewhere in it.
fn guessed(text: &str, effect: Effect) -> PortError {
    let text = text.get(..text.floor_char_boundary(4_000)).unwrap_or_default();
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let numbers: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_digit()).filter(|part| part.len() == 3).collect();
    let status = |codes: &[&str]| numbers.iter().any(|number| codes.contains(number));
    let happened = match effect {
        Effect::Reads => Happened::Not,
        Effect::Writes => Happened::Maybe,
    };
    let kind = if status(&["429"]) || says(&["rate limit"]) {
        PortErrorKind::RateLimited { retry_after: None }
    } else if status(&["404"]) || says(&["not found", "does not exist"]) {
        PortErrorKind::NotFound
    } else if status(&["401", "403"])
        || says(&["unauthorized", "unauthorised", "forbidden", "authentication failed"])
    {
        PortErrorKind::Unauthorised
    } else if status(&["409"]) {
        PortErrorKind::Conflict
    } else if status(&["400", "422"]) || says(&["bad request", "unprocessable", "invalid"]) {
        PortErrorKind::Rejected
    } else if status(&["500", "502", "503", "504"])
        || says(&["timeout", "timed out", "econn", "fetch failed", "connection"])
    {
        PortErrorKind::Unavailable(happened)
    } else {
        PortErrorKind::Rejected
    };
    PortError::new(kind, "", text, "")
}

pub(super) fn unreadable(action: &str, reason: &str) -> PortError {
    PortError::new(PortErrorKind::Unreadable, action, reason, "")
}

/// Says what was to be done, which whoever made the error did not know.
pub(super) fn with_action(error: PortError, action: &str) -> PortError {
    PortError { action: action.to_owned(), ..error }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn our_servers_are_taken_at_their_word() {
        let told = json!({ "error": { "kind": "rate_limited", "message": "slow down", "hint": "wait", "retry_after_seconds": 7,
            "may_have_happened": false } });
        let error = refusal(Some(&told), "", Effect::Writes);
        assert_eq!(error.kind, PortErrorKind::RateLimited { retry_after: Some(Duration::from_secs(7)) });
        let told = json!({ "error": { "kind": "unavailable", "message": "cut", "hint": "", "may_have_happened": true } });
        assert!(refusal(Some(&told), "", Effect::Writes).may_have_happened());
    }

    #[test]
    fn prose_of_others_is_read_for_its_status() {
        let kind = |text: &str| refusal(None, text, Effect::Writes).kind;
        assert_eq!(kind("GitLab API error: 404 Not Found"), PortErrorKind::NotFound);
        assert_eq!(kind("GitLab API error: 400 Bad Request\nline_code"), PortErrorKind::Rejected);
        assert_eq!(kind("HTTP 401"), PortErrorKind::Unauthorised);
        assert_eq!(kind("503 Service Unavailable"), PortErrorKind::Unavailable(Happened::Maybe));
        assert_eq!(kind("no idea"), PortErrorKind::Rejected);
    }
}
