use serde_json::json;

use crate::forge::answer::Answer;

pub(super) fn message(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "message": message }))
}

pub(super) fn unauthorized() -> Answer {
    message(401, "401 Unauthorized")
}

pub(super) fn no_project() -> Answer {
    message(404, "404 Project Not Found")
}

pub(super) fn not_found() -> Answer {
    message(404, "404 Not found")
}

pub(super) fn named_not_found(what: &str) -> Answer {
    message(404, &format!("404 {what} Not Found"))
}

pub(super) fn no_route() -> Answer {
    Answer::json(404, &json!({ "error": "404 Not Found" }))
}

/// A parameter is missing or of the wrong kind.
pub(super) fn bad_request(words: &str) -> Answer {
    Answer::json(400, &json!({ "error": words }))
}

pub(super) fn insufficient_scope() -> Answer {
    let body = json!({
        "error": "insufficient_scope",
        "error_description": "The request requires higher privileges than provided by the access token.",
        "scope": "api",
    });
    Answer::json(403, &body)
}

pub(super) fn line_code() -> Answer {
    message(400, "400 Bad request - Note {:line_code=>[\"can't be blank\", \"must be a valid line code\"]}")
}

pub(super) fn incomplete_position() -> Answer {
    message(400, "400 Bad request - Note {:position=>[\"is incomplete\"]}")
}

pub(super) fn no_keyset() -> Answer {
    Answer::json(405, &json!({ "error": "Keyset pagination is not yet available for this type of request" }))
}
