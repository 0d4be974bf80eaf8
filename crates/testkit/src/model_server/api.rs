use axum::response::Response;
use serde_json::{Value, json};

use super::reply::Says;
use super::{Asked, ModelServer, anthropic, chat, gemini, json_response, responses};

/// Whose format a request is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

/// What is wrong with a request, as its provider would say it.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) message: String,
}

pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal { status: 400, kind: "invalid_request_error", message: message.into() }
}

pub(super) fn unauthorised(message: impl Into<String>) -> Refusal {
    Refusal { status: 401, kind: "authentication_error", message: message.into() }
}

impl Api {
    pub(super) fn of(asked: &Asked) -> Option<Api> {
        if asked.method != "POST" {
            return None;
        }
        match asked.path.as_str() {
            "/v1/messages" | "/v1/messages/count_tokens" => Some(Api::Anthropic),
            "/v1/chat/completions" => Some(Api::Chat),
            "/v1/responses" => Some(Api::Responses),
            path if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") => {
                Some(Api::Gemini)
            }
            _ => None,
        }
    }

    pub(super) fn check(self, asked: &Asked) -> Result<(), Refusal> {
        match self {
            Api::Anthropic => anthropic::check(asked),
            Api::Chat => chat::check(asked),
            Api::Responses => responses::check(asked),
            Api::Gemini => gemini::check(asked),
        }
    }

    /// What is answered without the model.
    pub(super) fn without_script(self, asked: &Asked) -> Option<Response> {
        let tokens = asked.body.to_string().len() / 4;
        asked.path.ends_with("/count_tokens").then(|| json_response(200, &json!({"input_tokens": tokens})))
    }

    pub(super) fn refuse(self, refusal: &Refusal) -> Response {
        json_response(refusal.status, &self.error(refusal.status, refusal.kind, &refusal.message))
    }

    pub(super) fn error(self, status: u16, kind: &str, message: &str) -> Value {
        match self {
            Api::Anthropic => anthropic::error(kind, message),
            Api::Chat | Api::Responses => chat::error(kind, message),
            Api::Gemini => gemini::error(status, message),
        }
    }

    pub(super) fn streams(self, asked: &Asked) -> bool {
        match self {
            Api::Anthropic | Api::Chat | Api::Responses => asked.body["stream"] == json!(true),
            Api::Gemini => asked.path.ends_with(":streamGenerateContent"),
        }
    }

    pub(super) fn whole(self, asked: &Asked, says: &Says) -> Value {
        match self {
            Api::Anthropic => anthropic::whole(asked, says),
            Api::Chat => chat::whole(asked, says),
            Api::Responses => responses::whole(asked, says),
            Api::Gemini => gemini::whole(says),
        }
    }

    /// The events of a stream, each with its line ends.
    pub(super) fn events(self, asked: &Asked, says: &Says) -> Vec<String> {
        match self {
            Api::Anthropic => anthropic::events(asked, says),
            Api::Chat => chat::events(asked, says),
            Api::Responses => responses::events(asked, says),
            Api::Gemini => gemini::events(says),
        }
    }

    /// One more piece of text in the middle of a stream.
    pub(super) fn text_event(self, piece: &str) -> String {
        match self {
            Api::Anthropic => anthropic::text_event(piece),
            Api::Chat => chat::text_event(piece),
            Api::Responses => responses::text_event(piece),
            Api::Gemini => gemini::text_event(piece),
        }
    }

    pub(super) fn error_event(self, kind: &str, message: &str) -> String {
        let error = self.error(500, kind, message);
        match self {
            Api::Anthropic => anthropic::event("error", &error),
            Api::Chat | Api::Gemini => format!("data: {error}\n\n"),
            Api::Responses => responses::error_event(kind, message),
        }
    }
}

/// What clients ask beside questions: whether somebody is there, and which models there are.
pub(super) fn elsewhere(asked: &Asked) -> Response {
    match (asked.method.as_str(), asked.path.as_str()) {
        ("HEAD" | "GET", "/") => json_response(200, &json!({})),
        ("GET", "/v1/models") => {
            let model = json!({"id": "scripted", "type": "model", "object": "model", "created": 0,
                "display_name": "Scripted", "created_at": "2026-01-01T00:00:00Z", "owned_by": "tests"});
            json_response(
                200,
                &json!({"object": "list", "data": [model.clone()], "models": [], "has_more": false}),
            )
        }
        _ => json_response(404, &anthropic::error("not_found_error", "Not found")),
    }
}

pub(super) fn check_bearer(asked: &Asked) -> Result<(), Refusal> {
    match asked.bearer() {
        Some(ModelServer::KEY) => Ok(()),
        Some(_) => Err(Refusal {
            status: 401,
            kind: "invalid_request_error",
            message: "Incorrect API key provided.".to_owned(),
        }),
        None => Err(Refusal {
            status: 401,
            kind: "invalid_request_error",
            message:
                "You didn't provide an API key. You need to provide your API key in an Authorization header \
                      using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
                    .to_owned(),
        }),
    }
}
