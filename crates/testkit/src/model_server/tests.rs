//! The server is only worth something if it refuses what the real ones refuse.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::*;

/// Status and body. By hand: no client stands between the test and the wire.
fn post(server: &ModelServer, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
    let body = body.to_string();
    let mut request = format!("POST {path} HTTP/1.0\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
    let mut response = String::new();
    let _ = stream.read_to_string(&mut response);
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

const KEY: (&str, &str) = ("x-api-key", ModelServer::KEY);
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

fn bearer() -> String {
    format!("Bearer {}", ModelServer::KEY)
}

fn messages(messages: &Value) -> Value {
    json!({"model": "m", "max_tokens": 10, "messages": messages})
}

fn anthropic(body: &Value) -> (u16, String) {
    post(&ModelServer::start(Reply::text("hello")), "/v1/messages", &[KEY, VERSION], body)
}

fn openai(path: &str, body: &Value) -> (u16, String) {
    let server = ModelServer::start(Reply::text("hello"));
    post(&server, path, &[("authorization", &bearer())], body)
}

#[test]
fn a_valid_question_is_answered_whole_or_in_a_stream() {
    let mut body = messages(&json!([{"role": "user", "content": "hi"}]));
    let (status, whole) = anthropic(&body);
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(
        (status, &whole["content"][0]["text"], &whole["stop_reason"]),
        (200, &json!("hello"), &json!("end_turn"))
    );
    body["stream"] = json!(true);
    let streamed = anthropic(&body).1;
    assert!(
        streamed.starts_with("event: message_start\n")
            && streamed.ends_with("{\"type\":\"message_stop\"}\n\n")
    );
    let streamed = openai("/v1/chat/completions", &body).1;
    assert!(streamed.ends_with("data: [DONE]\n\n"), "{streamed}");
    let streamed = openai("/v1/responses", &json!({"model": "m", "input": "hi", "stream": true})).1;
    assert!(streamed.contains("event: response.completed\n"), "{streamed}");
}

#[test]
fn a_tool_of_plain_text_is_called_with_plain_text() {
    let server = ModelServer::start(Reply::call("exec", json!("ls()")));
    let body = json!({"model": "m", "input": "hi", "stream": true});
    let (_, streamed) = post(&server, "/v1/responses", &[("authorization", &bearer())], &body);
    assert!(streamed.contains("event: response.custom_tool_call_input.done\n"), "{streamed}");
    assert!(streamed.contains(r#""input":"ls()""#) && streamed.contains(r#""type":"custom_tool_call""#));
}

#[test]
fn keys_and_versions_are_demanded() {
    let server = ModelServer::start(Reply::text("hello"));
    let body = messages(&json!([{"role": "user", "content": "hi"}]));
    let wrong = ("x-api-key", "wrong");
    assert_eq!(post(&server, "/v1/messages", &[VERSION], &body).0, 401);
    let (status, text) = post(&server, "/v1/messages", &[wrong, VERSION], &body);
    let error: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (status, &error["type"], &error["error"]["type"]),
        (401, &json!("error"), &json!("authentication_error"))
    );
    assert_eq!(post(&server, "/v1/messages", &[KEY], &body).0, 400);
    assert_eq!(post(&server, "/v1/chat/completions", &[KEY], &body).0, 401);
    assert_eq!(post(&server, "/v1beta/models/m:generateContent", &[], &json!({"contents": []})).0, 401);
    assert_eq!((server.questions().len(), server.refusals().len()), (0, 5));
}

#[test]
fn what_anthropic_would_refuse_is_refused() {
    let user = json!({"role": "user", "content": "hi"});
    let using =
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]});
    let result =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]});
    let other =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "x"}]});
    let refused = [
        json!([]),
        json!([{"role": "system", "content": "hi"}]),
        json!([{"role": "assistant", "content": "hi"}]),
        json!([{"role": "user", "content": ""}]),
        json!([{"role": "user", "content": [{"type": "text", "text": ""}]}]),
        json!([user, {"role": "system", "content": "hi"}, user]),
        json!([user, using, user]),
        json!([user, using, other]),
        json!([user, result]),
    ];
    for wrong in refused {
        assert_eq!(anthropic(&messages(&wrong)).0, 400, "{wrong}");
    }
    assert_eq!(anthropic(&messages(&json!([user, using, result]))).0, 200);
    let told = json!({"role": "system", "content": "be brief"});
    assert_eq!(anthropic(&messages(&json!([user, using, result, told]))).0, 200, "in the middle");
    assert_eq!(anthropic(&json!({"model": "m", "messages": [user]})).0, 400, "without max_tokens");
}

#[test]
fn what_openai_would_refuse_is_refused() {
    let user = json!({"role": "user", "content": "hi"});
    let call = json!({"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}});
    let calling = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let refused = [
        json!([]),
        json!([{"role": "nobody", "content": "hi"}]),
        json!([user, calling]),
        json!([user, calling, user]),
        json!([user, calling, result("b")]),
        json!([user, result("a")]),
    ];
    for wrong in refused {
        assert_eq!(openai("/v1/chat/completions", &messages(&wrong)).0, 400, "{wrong}");
    }
    assert_eq!(openai("/v1/chat/completions", &messages(&json!([user, calling, result("a")]))).0, 200);
    let output = json!({"type": "function_call_output", "call_id": "a", "output": "x"});
    assert_eq!(openai("/v1/responses", &json!({"model": "m", "input": [output]})).0, 400);
}

#[test]
fn schemas_that_do_not_bind_are_refused() {
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let closed =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    let mut body = messages(&json!([{"role": "user", "content": "hi"}]));
    for (schema, status) in [(&open, 400), (&closed, 200)] {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        assert_eq!(anthropic(&body).0, status, "{schema}");
    }
    let format = json!({"name": "r", "strict": true, "schema": closed});
    body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    let (status, text) = openai("/v1/chat/completions", &body);
    assert!(status == 400 && text.contains("Missing 'a'"), "{text}");
}

#[test]
fn tokens_are_counted_and_models_listed_without_the_script() {
    let server = ModelServer::start(Vec::new());
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]});
    let (status, text) = post(&server, "/v1/messages/count_tokens", &[KEY, VERSION], &body);
    assert!(status == 200 && text.contains("input_tokens"), "{text}");
    assert!(server.questions().is_empty());
}

#[test]
fn a_script_that_is_over_says_so() {
    let server = ModelServer::start([Reply::text("only this")]);
    let body = messages(&json!([{"role": "user", "content": "hi"}]));
    assert_eq!(post(&server, "/v1/messages", &[KEY, VERSION], &body).0, 200);
    let (status, text) = post(&server, "/v1/messages", &[KEY, VERSION], &body);
    assert!(status == 500 && text.contains("script of this test is over"), "{text}");
}
