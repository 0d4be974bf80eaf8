//! Anthropic's Messages.

use serde_json::{Value, json};

use super::api::{Refusal, invalid, unauthorised};
use super::reply::{Says, Stop};
use super::schema::{self, Strictness};
use super::wire::{call_id, check_tool_name, items, pieces, string};
use super::{Asked, ModelServer};

pub(super) fn check(asked: &Asked) -> Result<(), Refusal> {
    match asked.header("x-api-key").or(asked.bearer()) {
        Some(ModelServer::KEY) => {}
        Some(_) => return Err(unauthorised("invalid x-api-key")),
        None => return Err(unauthorised("x-api-key header is required")),
    }
    if asked.header("anthropic-version").is_none() {
        return Err(invalid("anthropic-version: header is required"));
    }
    let body = &asked.body;
    if !body.is_object() {
        return Err(invalid("The request body is not valid JSON"));
    }
    string(body, "model")?;
    if !asked.path.ends_with("/count_tokens") && body["max_tokens"].as_u64().is_none_or(|max| max == 0) {
        return Err(invalid("max_tokens: Field required"));
    }
    check_tools(body)?;
    if let Some(format) = body["output_config"].get("format") {
        check_format(format)?;
    }
    check_messages(items(body, "messages")?)
}

fn check_format(format: &Value) -> Result<(), Refusal> {
    if format["type"] != "json_schema" {
        return Err(invalid("output_config.format.type: Input should be 'json_schema'"));
    }
    schema::check(&format["schema"], Strictness::Closed, "output_config.format.schema")
}

fn check_tools(body: &Value) -> Result<(), Refusal> {
    let mut names = Vec::new();
    for (index, tool) in body["tools"].as_array().into_iter().flatten().enumerate() {
        let name = string(tool, "name")?;
        check_tool_name(name, &format!("tools.{index}.custom.name"), &names)?;
        let provided_by_us = tool["type"].as_str().is_some_and(|kind| kind != "custom");
        if !provided_by_us && tool["input_schema"]["type"] != "object" {
            return Err(invalid(format!("tools.{index}.custom.input_schema.type: Field required")));
        }
        names.push(name);
    }
    Ok(())
}

/// Consecutive messages of one role are one turn, as the real service has it.
fn check_messages(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<String> = Vec::new();
    let mut last_role = "";
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "system" {
            check_system(messages, index)?;
            continue;
        }
        if !matches!(role, "user" | "assistant") {
            return Err(invalid(format!("messages.{index}.role: Input should be 'user' or 'assistant'")));
        }
        if index == 0 && role != "user" {
            return Err(invalid("messages: first message must use the \"user\" role"));
        }
        if role == "assistant" && last_role == "user" {
            complain_of_open(&open, index)?;
            open.clear();
        }
        for (place, block) in blocks(message, index)?.iter().enumerate() {
            check_block(block, role, &format!("messages.{index}.content.{place}"), &mut open)?;
        }
        last_role = role;
    }
    if last_role == "user" { complain_of_open(&open, messages.len()) } else { Ok(()) }
}

/// Instructions in the middle of a conversation: behind what the user said, and before an answer.
fn check_system(messages: &[Value], index: usize) -> Result<(), Refusal> {
    let role = |index: usize| messages.get(index).and_then(|message| message["role"].as_str());
    if !matches!(index.checked_sub(1).and_then(role), Some("user" | "system")) {
        return Err(invalid(format!("messages.{index}: role 'system' must follow a 'user' message")));
    }
    if !matches!(role(index + 1), Some("assistant" | "system") | None) {
        let rule = "role 'system' must precede an 'assistant' message or end the array";
        return Err(invalid(format!("messages.{index}: {rule}")));
    }
    let all = blocks(messages.get(index).unwrap_or(&Value::Null), index)?;
    all.iter()
        .try_for_each(|block| check_block(block, "system", &format!("messages.{index}"), &mut Vec::new()))
}

fn complain_of_open(open: &[String], index: usize) -> Result<(), Refusal> {
    match open {
        [] => Ok(()),
        _ => Err(invalid(format!(
            "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message.",
            index.saturating_sub(1),
            open.join(", ")
        ))),
    }
}

fn blocks(message: &Value, index: usize) -> Result<Vec<Value>, Refusal> {
    match &message["content"] {
        Value::String(text) if !text.is_empty() => Ok(vec![json!({"type": "text", "text": text})]),
        Value::Array(blocks) if !blocks.is_empty() => Ok(blocks.clone()),
        Value::Null => Err(invalid(format!("messages.{index}.content: Field required"))),
        _ => Err(invalid(format!("messages.{index}: all messages must have non-empty content"))),
    }
}

fn check_block(block: &Value, role: &str, place: &str, open: &mut Vec<String>) -> Result<(), Refusal> {
    match (block["type"].as_str().unwrap_or_default(), role) {
        ("text", _) if block["text"].as_str().is_none_or(str::is_empty) => {
            Err(invalid("messages: text content blocks must be non-empty"))
        }
        ("tool_use", "assistant") => {
            let id = string(block, "id")?;
            string(block, "name")?;
            if !block["input"].is_object() {
                return Err(invalid(format!("{place}.tool_use.input: Input should be a valid dictionary")));
            }
            open.push(id.to_owned());
            Ok(())
        }
        ("tool_result", "user") => {
            let id = string(block, "tool_use_id")?;
            match open.iter().position(|own| *own == id) {
                Some(found) => {
                    open.remove(found);
                    Ok(())
                }
                None => Err(invalid(format!(
                    "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block \
                     must have a corresponding `tool_use` block in the previous message."
                ))),
            }
        }
        ("tool_use" | "tool_result", _) => Err(invalid(format!("{place}: not allowed for role '{role}'"))),
        ("", _) => Err(invalid(format!("{place}.type: Field required"))),
        _ => Ok(()),
    }
}

pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"})
}

fn stop_reason(says: &Says) -> &'static str {
    match says.stop {
        Stop::Done if says.tool_calls.is_empty() => "end_turn",
        Stop::Done => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refusal",
    }
}

fn tool_use(asked: &Asked, index: usize, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": call_id("toolu", asked.number, index), "name": name, "input": input})
}

pub(super) fn whole(asked: &Asked, says: &Says) -> Value {
    let text = (!says.text.is_empty()).then(|| json!({"type": "text", "text": says.text}));
    let calls = says.tool_calls.iter().enumerate();
    let calls = calls.map(|(index, (name, input))| tool_use(asked, index, name, input));
    let content: Vec<Value> = text.into_iter().chain(calls).collect();
    json!({
        "id": "msg_test", "type": "message", "role": "assistant", "model": asked.body["model"],
        "content": content, "stop_reason": stop_reason(says), "stop_sequence": null,
        "usage": {"input_tokens": says.input_tokens, "output_tokens": says.output_tokens,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

pub(super) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

pub(super) fn text_event(piece: &str) -> String {
    delta(0, &json!({"type": "text_delta", "text": piece}))
}

fn delta(index: usize, delta: &Value) -> String {
    let data = json!({"type": "content_block_delta", "index": index, "delta": delta});
    event("content_block_delta", &data)
}

pub(super) fn events(asked: &Asked, says: &Says) -> Vec<String> {
    let mut message = whole(asked, says);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    let mut events = vec![event("message_start", &json!({"type": "message_start", "message": message}))];
    let mut index = 0;
    if !says.text.is_empty() {
        let deltas = pieces(&says.text);
        let deltas = deltas.iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
        push_block(&mut events, index, &json!({"type": "text", "text": ""}), deltas);
        events.insert(2, event("ping", &json!({"type": "ping"})));
        index += 1;
    }
    for (number, (name, input)) in says.tool_calls.iter().enumerate() {
        let deltas = pieces(&input.to_string());
        let deltas =
            deltas.iter().map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect();
        push_block(&mut events, index, &tool_use(asked, number, name, &json!({})), deltas);
        index += 1;
    }
    let delta = json!({"type": "message_delta",
        "delta": {"stop_reason": stop_reason(says), "stop_sequence": null},
        "usage": {"output_tokens": says.output_tokens}});
    events.push(event("message_delta", &delta));
    events.push(event("message_stop", &json!({"type": "message_stop"})));
    events
}

fn push_block(events: &mut Vec<String>, index: usize, block: &Value, deltas: Vec<Value>) {
    let start = json!({"type": "content_block_start", "index": index, "content_block": block});
    events.push(event("content_block_start", &start));
    events.extend(deltas.iter().map(|piece| delta(index, piece)));
    events.push(event("content_block_stop", &json!({"type": "content_block_stop", "index": index})));
}
