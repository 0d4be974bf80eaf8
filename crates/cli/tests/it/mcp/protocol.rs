//! The revisions of the protocol that clients speak, and what a server says of itself.

use serde_json::json;

use super::client::{Client, NEW, OLD};
use super::place::Place;

#[test]
fn a_stateless_client_discovers_the_server() {
    let place = Place::plain();
    let discovered = place.http("green").request("server/discover", json!({}));
    let result = &discovered["result"];
    assert!(result["supportedVersions"].as_array().unwrap().contains(&json!(NEW)), "{discovered}");
    let text = discovered.to_string();
    assert!(text.contains("\"name\":\"countersign\"") && text.contains("get_my_assignment"), "{text}");
}

#[test]
fn a_client_with_a_handshake_is_served_over_http_too() {
    let place = Place::plain();
    let green = place.http("green");
    let post = |id: u32, method: &str, params: serde_json::Value| {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        green.send(&[], body.to_string().as_bytes()).messages().remove(0)
    };
    for version in ["2024-11-05", "2025-03-26", OLD, "2025-11-25"] {
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert_eq!(post(1, "initialize", hello)["result"]["protocolVersion"], version);
        let listed = post(2, "tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(17), "{listed}");
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest() {
    let place = Place::plain();
    let answer =
        place.stdio("green").request("tools/call", json!({"name": "get_my_asignment", "arguments": {}}));
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("did you mean get_my_assignment?"),
        "{answer}"
    );
}
