use serde_json::json;

use crate::forge::answer::Answer;

pub(super) fn plain(status: u16, message: String) -> Answer {
    Answer::json(status, &json!({ "errorMessages": [message], "errors": {} }))
}

pub(super) fn no_issue() -> Answer {
    plain(404, "Issue does not exist or you do not have permission to see it.".to_owned())
}

pub(super) fn not_authenticated() -> Answer {
    let body =
        json!({ "message": "Client must be authenticated to access this resource.", "status-code": 401 });
    Answer::json(401, &body).with("x-seraph-loginreason", "AUTHENTICATED_FAILED")
}

pub(super) fn login_required() -> Answer {
    let words = ["You do not have the permission to see the specified issue.", "Login Required"];
    Answer::json(401, &json!({ "errorMessages": words, "errors": {} }))
}

pub(super) fn field(name: &str, message: &str) -> Answer {
    Answer::json(400, &json!({ "errorMessages": [], "errors": { name: message } }))
}
