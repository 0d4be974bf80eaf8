//! OpenAI's chat completions, which half the world imitates.

use serde_json::{Value, json};

use super::Asked;
use super::api::{Refusal, check_bearer, invalid};
use super::reply::{Says, Stop};
use super::schema::{self, Strictness};
use super::wire::{call_id, check_tool_name, items, pieces, string};

const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

pub(super) fn check(asked: &Asked) -> Result<(), Refusal> {
    check_bearer(asked)?;
    let body = &asked.body;
    if !body.is_object() {
        return Err(invalid("We could not parse the JSON body of your request."));
    }
    string(body, "model")?;
    if body.get("stream_options").is_some() && body["stream"] != json!(true) {
        return Err(invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled."));
    }
    check_tools(body)?;
    if body["response_format"]["type"] == "json_schema" {
        check_named_schema(&body["response_format"]["json_schema"], "response_format")?;
    }
    check_messages(items(body, "messages")?)
}

/// Shared with Responses, where it lies elsewhere.
pub(super) fn check_named_schema(format: &Value, place: &str) -> Result<(), Refusal> {
    let name = string(format, "name")?;
    check_tool_name(name, &format!("{place}.json_schema.name"), &[])?;
    if format["strict"] == json!(true) {
        let place = format!("Invalid schema for {place} '{name}'");
        return schema::check(&format["schema"], Strictness::ClosedAndRequired, &place);
    }
    Ok(())
}

fn check_tools(body: &Value) -> Result<(), Refusal> {
    let mut names = Vec::new();
    for (index, tool) in body["tools"].as_array().into_iter().flatten().enumerate() {
        if tool["type"] != "function" {
            return Err(invalid(format!("Invalid value for tools[{index}].type: expected 'function'")));
        }
        let name = string(&tool["function"], "name")?;
        check_tool_name(name, &format!("tools[{index}].function.name"), &names)?;
        names.push(name);
    }
    Ok(())
}

fn check_messages(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if !ROLES.contains(&role) {
            return Err(invalid(format!("Invalid value: '{role}'. Supported values are: {ROLES:?}.")));
        }
        if role == "tool" {
            close(&mut open, message, index)?;
            continue;
        }
        complain_of_open(&open)?;
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if message["content"].is_null() && calls.is_empty() {
            return Err(invalid(format!(
                "Invalid value for 'content' of messages[{index}]: expected a string."
            )));
        }
        for call in &calls {
            open.push(string(call, "id")?.to_owned());
            string(&call["function"], "name")?;
            if !call["function"]["arguments"].is_string() {
                return Err(invalid(format!("messages[{index}].tool_calls: arguments have to be a string")));
            }
        }
    }
    complain_of_open(&open)
}

fn close(open: &mut Vec<String>, message: &Value, index: usize) -> Result<(), Refusal> {
    let id = string(message, "tool_call_id")?;
    match open.iter().position(|own| own == id) {
        Some(found) => {
            open.remove(found);
            Ok(())
        }
        None => Err(invalid(format!(
            "Invalid parameter: messages[{index}] with role 'tool' must be a response to a preceeding message with \
             'tool_calls'."
        ))),
    }
}

fn complain_of_open(open: &[String]) -> Result<(), Refusal> {
    match open {
        [] => Ok(()),
        _ => Err(invalid(format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            open.join(", ")
        ))),
    }
}

pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}

fn finish_reason(says: &Says) -> &'static str {
    match says.stop {
        Stop::Done if says.tool_calls.is_empty() => "stop",
        Stop::Done => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    }
}

fn usage(says: &Says) -> Value {
    json!({"prompt_tokens": says.input_tokens, "completion_tokens": says.output_tokens,
        "total_tokens": says.input_tokens + says.output_tokens})
}

fn tool_call(asked: &Asked, index: usize, name: &str, arguments: &str) -> Value {
    json!({"id": call_id("call", asked.number, index), "type": "function",
        "function": {"name": name, "arguments": arguments}})
}

pub(super) fn whole(asked: &Asked, says: &Says) -> Value {
    let mut message = json!({"role": "assistant", "content": says.text, "refusal": null});
    if !says.tool_calls.is_empty() {
        let calls = says.tool_calls.iter().enumerate();
        message["tool_calls"] =
            calls.map(|(index, (name, input))| tool_call(asked, index, name, &input.to_string())).collect();
    }
    json!({"id": "chatcmpl-test", "object": "chat.completion", "created": 0, "model": asked.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(says)}],
        "usage": usage(says)})
}

fn chunk(choices: &Value) -> String {
    let data = json!({"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 0,
        "model": "scripted", "choices": choices});
    format!("data: {data}\n\n")
}

fn delta(delta: &Value) -> String {
    chunk(&json!([{"index": 0, "delta": delta, "finish_reason": null}]))
}

pub(super) fn text_event(piece: &str) -> String {
    delta(&json!({"content": piece}))
}

pub(super) fn events(asked: &Asked, says: &Says) -> Vec<String> {
    let mut events = vec![delta(&json!({"role": "assistant", "content": ""}))];
    events.extend(pieces(&says.text).iter().map(|piece| text_event(piece)));
    for (index, (name, input)) in says.tool_calls.iter().enumerate() {
        let mut call = tool_call(asked, index, name, "");
        call["index"] = json!(index);
        events.push(delta(&json!({"tool_calls": [call]})));
        events.extend(pieces(&input.to_string()).iter().map(|piece| {
            delta(&json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        }));
    }
    events.push(chunk(&json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(says)}])));
    if asked.body["stream_options"]["include_usage"] == json!(true) {
        let data = json!({"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 0,
            "model": "scripted", "choices": [], "usage": usage(says)});
        events.push(format!("data: {data}\n\n"));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}
