//! The door: who is let in, from where, with how much.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::client::{Client, Http};
use super::place::{Place, Served};
use crate::program::run;

#[test]
fn without_a_token_that_is_known_nobody_is_let_in() {
    let place = Place::plain();
    let green = place.http("green");
    assert_eq!(green.post("tools/list", json!({})).status, 200);
    for token in [None, Some("x".to_owned()), Some(String::new()), Some(Place::token("eve"))] {
        let response = Http { token: token.clone(), ..green.clone() }.post("tools/list", json!({}));
        assert_eq!(response.status, 401, "{token:?}");
        assert!(response.head.to_lowercase().contains("www-authenticate: bearer"), "{}", response.head);
    }
    let basic = Http { token: None, ..green.clone() }.with("Authorization", "Basic Z3JlZW46eA==");
    assert_eq!(basic.post("tools/list", json!({})).status, 401);
    let two = green.with("Authorization", &format!("Bearer {}", Place::token("mia")));
    assert_eq!(two.post("tools/list", json!({})).status, 401);
}

#[test]
fn a_page_from_elsewhere_cannot_call() {
    let place = Place::plain();
    let green = place.http("green");
    let port = green.address.rsplit(':').next().unwrap().to_owned();
    let status = |client: Http| client.post("tools/list", json!({})).status;
    assert_eq!(status(green.with("Host", &format!("localhost:{port}"))), 200);
    assert_eq!(status(green.with("Origin", &format!("http://localhost:{port}"))), 200);
    assert_eq!(status(green.with("Host", "evil.example")), 403);
    assert_eq!(status(green.with("Origin", "http://evil.example")), 403);
    assert_eq!(status(green.with("Origin", "null")), 403);
    let served = place.serve(&["--allow-host", "gate.example", "--allow-origin", "https://app.example:443"]);
    let allowed = Http { address: served.address.clone(), ..green };
    assert_eq!(status(allowed.with("Host", "gate.example")), 200);
    assert_eq!(status(allowed.with("Origin", "https://app.example")), 200);
}

#[test]
fn too_large_a_body_is_not_read() {
    let place = Place::plain();
    let green = place.http("green");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "queue_task_for_agent",
        "arguments": {"title": "x".repeat(10_000_000)}}});
    let response = green.send(&[], body.to_string().as_bytes());
    assert!(response.status == 413 || response.status == 0, "{response:?}");
    assert_eq!(green.post("tools/list", json!({})).status, 200);
}

#[test]
fn tokens_come_from_a_file_that_only_its_owner_can_read() {
    let place = Place::plain();
    let file = place.repo.outside("tokens");
    std::fs::write(&file, format!("# who may call\npurple {}\n", Place::token("purple"))).unwrap();
    let path = file.to_str().unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = run(place.command(&["serve", "--port", "0", "--tokens", path]));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("others than its owner"), "{}", refused.stderr);
    assert!(!refused.stderr.contains(&Place::token("purple")));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let served = Served::start(place.command(&["serve", "--port", "0", "--tokens", path]));
    let mut purple =
        Http { address: served.address.clone(), token: Some(Place::token("purple")), headers: vec![] };
    purple.call("get_my_assignment", json!({})).done();
}

#[test]
fn a_server_without_tokens_stays_on_this_machine() {
    let place = Place::plain();
    let refused = |arguments: &[&str], expected: &str| {
        let outcome = run(place.command(&[&["serve", "--port", "0"], arguments].concat()));
        assert_eq!(outcome.code, Some(2), "{arguments:?}");
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    };
    refused(&[], "nobody has a token");
    refused(&["--addr", "0.0.0.0"], "nobody has a token");
    refused(&["--addr", "0.0.0.0", "--as", "green"], "can be reached by others");
    refused(&["--as", "nobody"], "there is no caller `nobody`");
    let served = Served::start(place.command(&["serve", "--port", "0", "--as", "green"]));
    let mut green = Http { address: served.address.clone(), token: None, headers: vec![] };
    green.call("get_my_assignment", json!({})).done();
}

/// What a hostile text makes a parser ask for ends this program, and not the machine.
#[test]
fn a_server_takes_no_more_than_half_of_the_memory() {
    let place = Place::plain();
    let served = place.serve(&[]);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", served.child.id())).unwrap();
    let data = limits.lines().find(|line| line.starts_with("Max data size")).unwrap();
    let soft: u64 = data.split_whitespace().nth(3).unwrap().parse().unwrap_or(u64::MAX);
    assert!((1 << 30..1 << 45).contains(&soft), "{data}");
}

#[test]
fn a_server_that_is_asked_to_stop_ends_well() {
    let place = Place::plain();
    let mut served = place.serve(&[]);
    assert_eq!(served.stop(), Some(0));
}

#[test]
fn clients_that_go_away_in_the_middle_leave_nothing_behind() {
    let place = Place::plain();
    let mut green = place.http("green");
    for cut in [10, 200, 320] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "queue_task_for_agent",
            "arguments": {"agent_id": "purple", "task_type": "review", "title": "T"}}})
        .to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            green.address,
            Place::token("green"),
            body.len() + 1
        );
        let mut stream = TcpStream::connect(&green.address).unwrap();
        stream.write_all(&request.as_bytes()[..cut.min(request.len())]).unwrap();
    }
    assert_eq!(green.call("list_pending_tasks", json!({})).done()["tasks"], json!([]));
}
