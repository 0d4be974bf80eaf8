//! Gemini's generateContent.

use serde_json::{Value, json};

use super::api::{Refusal, invalid, unauthorised};
use super::reply::{Says, Stop};
use super::wire::{items, pieces};
use super::{Asked, ModelServer};

pub(super) fn check(asked: &Asked) -> Result<(), Refusal> {
    let in_query = asked.query.split('&').find_map(|pair| pair.strip_prefix("key="));
    match asked.header("x-goog-api-key").or(in_query) {
        Some(ModelServer::KEY) => {}
        Some(_) => return Err(invalid("API key not valid. Please pass a valid API key.")),
        None => return Err(unauthorised("Method doesn't allow unregistered callers.")),
    }
    let mut open = 0;
    for (index, content) in items(&asked.body, "contents")?.iter().enumerate() {
        if !matches!(content["role"].as_str(), Some("user" | "model" | "function") | None) {
            return Err(invalid("Please use a valid role: user, model."));
        }
        let parts = items(content, "parts")?;
        let count = |kind: &str| parts.iter().filter(|part| part.get(kind).is_some()).count();
        if open > 0 && count("functionResponse") != open {
            return Err(invalid(format!(
                "Please ensure that the number of function response parts is equal to the number of function call parts \
                 of the function call turn. (contents[{index}])"
            )));
        }
        open = count("functionCall");
    }
    Ok(())
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}

fn finish_reason(says: &Says) -> &'static str {
    match says.stop {
        Stop::Done => "STOP",
        Stop::MaxTokens => "MAX_TOKENS",
        Stop::Refusal => "SAFETY",
    }
}

fn usage(says: &Says) -> Value {
    json!({"promptTokenCount": says.input_tokens, "candidatesTokenCount": says.output_tokens,
        "totalTokenCount": says.input_tokens + says.output_tokens})
}

fn calls(says: &Says) -> impl Iterator<Item = Value> + '_ {
    says.tool_calls.iter().map(|(name, arguments)| json!({"functionCall": {"name": name, "args": arguments}}))
}

pub(super) fn whole(says: &Says) -> Value {
    let text = (!says.text.is_empty()).then(|| json!({"text": says.text}));
    let parts: Vec<Value> = text.into_iter().chain(calls(says)).collect();
    json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts},
        "finishReason": finish_reason(says)}], "usageMetadata": usage(says), "modelVersion": "scripted"})
}

fn chunk(parts: &Value) -> String {
    let data = json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]});
    format!("data: {data}\n\n")
}

pub(super) fn text_event(piece: &str) -> String {
    chunk(&json!([{"text": piece}]))
}

pub(super) fn events(says: &Says) -> Vec<String> {
    let mut events: Vec<String> = pieces(&says.text).iter().map(|piece| text_event(piece)).collect();
    if !says.tool_calls.is_empty() {
        events.push(chunk(&calls(says).collect()));
    }
    let last = json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": ""}]},
        "finishReason": finish_reason(says)}], "usageMetadata": usage(says)});
    events.push(format!("data: {last}\n\n"));
    events
}
