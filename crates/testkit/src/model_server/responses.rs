//! OpenAI's Responses, which Codex speaks.

use serde_json::{Value, json};

use super::Asked;
use super::api::{Refusal, check_bearer, invalid};
use super::chat::check_named_schema;
use super::reply::{Says, Stop};
use super::wire::{call_id, check_tool_name, pieces, string};

pub(super) fn check(asked: &Asked) -> Result<(), Refusal> {
    check_bearer(asked)?;
    let body = &asked.body;
    if !body.is_object() {
        return Err(invalid("We could not parse the JSON body of your request."));
    }
    string(body, "model")?;
    let mut names = Vec::new();
    for (index, tool) in body["tools"].as_array().into_iter().flatten().enumerate() {
        if tool["type"] == "function" {
            let name = string(tool, "name")?;
            check_tool_name(name, &format!("tools[{index}].name"), &names)?;
            names.push(name);
        }
    }
    if body["text"]["format"]["type"] == "json_schema" {
        check_named_schema(&body["text"]["format"], "text.format")?;
    }
    match &body["input"] {
        Value::String(text) if !text.is_empty() => Ok(()),
        Value::Array(input) if !input.is_empty() => check_input(input),
        _ => Err(invalid("Missing required parameter: 'input'.")),
    }
}

fn check_input(input: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&str> = Vec::new();
    for (index, item) in input.iter().enumerate() {
        match item["type"].as_str().unwrap_or("message") {
            "message" if item["role"].as_str().is_none() => {
                return Err(invalid(format!("Missing required parameter: 'input[{index}].role'.")));
            }
            "function_call" | "custom_tool_call" => open.push(string(item, "call_id")?),
            "function_call_output" | "custom_tool_call_output" => {
                let id = string(item, "call_id")?;
                let Some(found) = open.iter().position(|own| *own == id) else {
                    return Err(invalid(format!(
                        "No tool call found for function call output with call_id {id}."
                    )));
                };
                open.remove(found);
            }
            _ => {}
        }
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(invalid(format!("No tool output found for function call {id}."))),
    }
}

fn message(says: &Says) -> Value {
    let content = json!([{"type": "output_text", "text": says.text, "annotations": []}]);
    json!({"type": "message", "id": "msg_test", "status": "completed", "role": "assistant",
        "content": content})
}

/// Tools of the type `custom` are called with plain text instead of an object.
fn tool_call(asked: &Asked, index: usize, name: &str, arguments: &Value) -> Value {
    let call_id = call_id("call", asked.number, index);
    match arguments {
        Value::String(input) => json!({"type": "custom_tool_call", "id": format!("ctc_test{index}"),
            "status": "completed", "call_id": call_id, "name": name, "input": input}),
        _ => json!({"type": "function_call", "id": format!("fc_test{index}"), "status": "completed",
            "call_id": call_id, "name": name, "arguments": arguments.to_string()}),
    }
}

pub(super) fn whole(asked: &Asked, says: &Says) -> Value {
    let text = (!says.text.is_empty()).then(|| message(says));
    let calls = says.tool_calls.iter().enumerate();
    let calls = calls.map(|(index, (name, input))| tool_call(asked, index, name, input));
    let output: Vec<Value> = text.into_iter().chain(calls).collect();
    let (status, reason) = match says.stop {
        Stop::Done => ("completed", Value::Null),
        Stop::MaxTokens => ("incomplete", json!({"reason": "max_output_tokens"})),
        Stop::Refusal => ("incomplete", json!({"reason": "content_filter"})),
    };
    json!({"id": "resp_test", "object": "response", "created_at": 0, "status": status, "error": null,
        "incomplete_details": reason, "model": asked.body["model"], "output": output,
        "parallel_tool_calls": true, "tools": [],
        "usage": {"input_tokens": says.input_tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": says.output_tokens, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": says.input_tokens + says.output_tokens}})
}

fn event(mut data: Value, kind: &str) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}

pub(super) fn text_event(piece: &str) -> String {
    let data = json!({"item_id": "msg_test", "output_index": 0, "content_index": 0, "delta": piece});
    event(data, "response.output_text.delta")
}

pub(super) fn error_event(kind: &str, message: &str) -> String {
    event(json!({"code": kind, "message": message, "param": null}), "error")
}

pub(super) fn events(asked: &Asked, says: &Says) -> Vec<String> {
    let whole = whole(asked, says);
    let mut begun = whole.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut events = vec![
        event(json!({"response": begun.clone()}), "response.created"),
        event(json!({"response": begun}), "response.in_progress"),
    ];
    for (index, item) in whole["output"].as_array().into_iter().flatten().enumerate() {
        push_item(&mut events, index, item);
    }
    let ended = if says.stop == Stop::Done { "response.completed" } else { "response.incomplete" };
    events.push(event(json!({"response": whole}), ended));
    events
}

fn push_item(events: &mut Vec<String>, index: usize, item: &Value) {
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    let (field, kind) = match item["type"].as_str().unwrap_or_default() {
        "function_call" => ("arguments", "response.function_call_arguments"),
        "custom_tool_call" => ("input", "response.custom_tool_call_input"),
        _ => {
            begun["content"] = json!([]);
            events.push(event(json!({"output_index": index, "item": begun}), "response.output_item.added"));
            push_text(events, index, &item["content"][0]);
            events.push(event(json!({"output_index": index, "item": item}), "response.output_item.done"));
            return;
        }
    };
    begun[field] = json!("");
    events.push(event(json!({"output_index": index, "item": begun}), "response.output_item.added"));
    let input = item[field].as_str().unwrap_or_default();
    let place =
        |field: &str, value: &str| json!({"item_id": item["id"], "output_index": index, field: value});
    let deltas = pieces(input);
    events.extend(deltas.iter().map(|piece| event(place("delta", piece), &format!("{kind}.delta"))));
    events.push(event(place(field, input), &format!("{kind}.done")));
    events.push(event(json!({"output_index": index, "item": item}), "response.output_item.done"));
}

fn push_text(events: &mut Vec<String>, index: usize, part: &Value) {
    let text = part["text"].as_str().unwrap_or_default();
    let place = json!({"item_id": "msg_test", "output_index": index, "content_index": 0});
    let with = |field: &str, value: Value| {
        let mut data = place.clone();
        data[field] = value;
        data
    };
    let empty = json!({"type": "output_text", "text": "", "annotations": []});
    events.push(event(with("part", empty), "response.content_part.added"));
    events.extend(
        pieces(text).iter().map(|piece| event(with("delta", json!(piece)), "response.output_text.delta")),
    );
    events.push(event(with("text", json!(text)), "response.output_text.done"));
    events.push(event(with("part", part.clone()), "response.content_part.done"));
}
