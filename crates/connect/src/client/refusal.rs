//! What servers say when they cannot do something, in our words.

use std::time::Duration;

use domain::ports::{Happened, PortError, PortErrorKind};
use serde::Deserialize;
use serde_json::Value;

use super::link::Effect;
use super::secrets::Secrets;

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

/// What is said is cut, so secrets are taken out before: half of one is still a secret.
pub(super) fn refusal(
    structured: Option<&Value>,
    text: &str,
    effect: Effect,
    secrets: &Secrets,
) -> PortError {
    let told = structured.and_then(|value| serde_json::from_value::<Told>(value.clone()).ok());
    match told {
        Some(told) => ours(told.error, secrets),
        None => guessed(&secrets.mask(text), effect),
    }
}

fn ours(error: ToldError, secrets: &Secrets) -> PortError {
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
    PortError::new(kind, "", &secrets.mask(&reason), &secrets.mask(&error.hint))
}

/// Other servers answer with prose that has a status of HTTP somewhere in it.
fn guessed(text: &str, effect: Effect) -> PortError {
    let text = &text[..text.floor_char_boundary(4_000)];
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let happened = match effect {
        Effect::Reads => Happened::Not,
        Effect::Writes => Happened::Maybe,
    };
    let kind = match status(&lower) {
        Some(429) => PortErrorKind::RateLimited { retry_after: None },
        Some(403) if says(&["rate limit"]) => PortErrorKind::RateLimited { retry_after: None },
        Some(401 | 403) => PortErrorKind::Unauthorised,
        Some(404 | 410) => PortErrorKind::NotFound,
        Some(409) => PortErrorKind::Conflict,
        Some(500..) => PortErrorKind::Unavailable(happened),
        Some(_) => PortErrorKind::Rejected,
        None if says(&["rate limit"]) => PortErrorKind::RateLimited { retry_after: None },
        None if says(&["not found", "does not exist"]) => PortErrorKind::NotFound,
        None if says(&["unauthorized", "unauthorised", "forbidden", "authentication failed"]) => {
            PortErrorKind::Unauthorised
        }
        None if says(&["bad request", "unprocessable", "invalid"]) => PortErrorKind::Rejected,
        None if says(&["timeout", "timed out", "econn", "fetch failed", "connection"]) => {
            PortErrorKind::Unavailable(happened)
        }
        None => PortErrorKind::Rejected,
    };
    PortError::new(kind, "", text, "")
}

/// The first number that is a refusal of HTTP and stands alone: one in an address, as of a request, is none.
fn status(text: &str) -> Option<u16> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "()[]{}:,;.\"'".contains(c));
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        before = rest[..at].chars().next_back().or(before);
        let digits = rest[at..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| at + end);
        let number = rest[at..digits].parse().ok().filter(|number| (400..600).contains(number));
        if let Some(number) = number.filter(|_| is_edge(before) && is_edge(rest[digits..].chars().next())) {
            return Some(number);
        }
        before = rest[..digits].chars().next_back();
        rest = &rest[digits..];
    }
    None
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
        let error = refusal(Some(&told), "", Effect::Writes, &Secrets::default());
        assert_eq!(error.kind, PortErrorKind::RateLimited { retry_after: Some(Duration::from_secs(7)) });
        let told = json!({ "error": { "kind": "unavailable", "message": "cut", "hint": "", "may_have_happened": true } });
        assert!(refusal(Some(&told), "", Effect::Writes, &Secrets::default()).may_have_happened());
    }

    #[test]
    fn prose_of_others_is_read_for_its_status() {
        let kind = |text: &str| refusal(None, text, Effect::Writes, &Secrets::default()).kind;
        assert_eq!(kind("GitLab API error: 404 Not Found"), PortErrorKind::NotFound);
        assert_eq!(kind("GitLab API error: 400 Bad Request\nline_code"), PortErrorKind::Rejected);
        assert_eq!(kind("HTTP 401"), PortErrorKind::Unauthorised);
        assert_eq!(kind("503 Service Unavailable"), PortErrorKind::Unavailable(Happened::Maybe));
        assert_eq!(kind("no idea"), PortErrorKind::Rejected);
        assert_eq!(
            kind(
                "failed: GET https://api.github.com/user: 403 API rate limit of 5000 exceeded [rate reset in 9m]"
            ),
            PortErrorKind::RateLimited { retry_after: None }
        );
    }

    #[test]
    fn the_number_of_a_request_is_no_status() {
        let kind = |text: &str| refusal(None, text, Effect::Writes, &Secrets::default()).kind;
        for number in [401, 404, 409, 429, 500] {
            let text =
                format!("POST https://h:8443/repos/o/r/pulls/{number}/reviews: 422 Validation Failed []");
            assert_eq!(kind(&text), PortErrorKind::Rejected, "{text}");
            assert_eq!(kind(&format!("no place for !{number} or #{number}")), PortErrorKind::Rejected);
        }
        assert_eq!(kind("HTTP 404."), PortErrorKind::NotFound);
        assert_eq!(kind("(status: 404)"), PortErrorKind::NotFound);
        assert_eq!(kind("4040404 40 4 404x"), PortErrorKind::Rejected);
    }
}
