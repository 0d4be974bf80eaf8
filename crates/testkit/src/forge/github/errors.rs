use serde_json::{Value, json};

use crate::forge::answer::Answer;

const DOCS: &str = "https://docs.github.com/rest";

pub(super) fn not_found() -> Answer {
    plain(404, "Not Found")
}

pub(super) fn bad_credentials() -> Answer {
    plain(401, "Bad credentials")
}

pub(super) fn requires_authentication() -> Answer {
    plain(401, "Requires authentication")
}

pub(super) fn forbidden(message: &str) -> Answer {
    plain(403, message)
}

pub(super) fn bad_json() -> Answer {
    plain(400, "Problems parsing JSON")
}

pub(super) fn plain(status: u16, message: &str) -> Answer {
    Answer::json(
        status,
        &json!({ "message": message, "documentation_url": DOCS, "status": status.to_string() }),
    )
}

/// A field that is wrong: `code` is `missing_field`, `invalid`, `already_exists` or `custom`.
pub(super) fn invalid(resource: &str, field: &str, code: &str) -> Answer {
    validation(&[json!({ "resource": resource, "field": field, "code": code })])
}

pub(super) fn custom(resource: &str, field: &str, message: &str) -> Answer {
    validation(&[json!({ "resource": resource, "field": field, "code": "custom", "message": message })])
}

pub(super) fn validation(errors: &[Value]) -> Answer {
    let body = json!({ "message": "Validation Failed", "errors": errors, "documentation_url": DOCS, "status": "422" });
    Answer::json(422, &body)
}

/// Reviews are refused in words only, and do not say which comment is to blame.
pub(super) fn unprocessable(words: &str) -> Answer {
    let body = json!({ "message": "Unprocessable Entity", "errors": [words], "documentation_url": DOCS, "status": "422" });
    Answer::json(422, &body)
}

/// A body that does not fit the schema.
pub(super) fn invalid_request(words: &str) -> Answer {
    let message = format!("Invalid request.\n\n{words}");
    plain(422, &message)
}
