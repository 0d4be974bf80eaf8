//! What no honest client would send. Nothing panics, nothing is half done, and no error tells of the machine.

use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::place::{Place, Wire};

fn assert_discreet(text: &str, place: &Place) {
    let path = place.repo.path().to_string_lossy().into_owned();
    for secret in [path.as_str(), "sqlx", "src/", ".rs:", "panicked", "/root", "SELECT"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert!(text.len() < 3_000, "{} bytes", text.len());
}

fn said(answer: Answer) -> String {
    match answer {
        Answer::Refused(text) => text,
        Answer::Broken(error) => error.to_string(),
        Answer::Done(value) => panic!("{value}"),
    }
}

#[test]
fn wrong_types_and_unknown_fields_are_named() {
    let place = Place::plain();
    for wire in [Wire::Stdio, Wire::Http] {
        let mut green = place.client(wire, "green");
        for (tool, arguments, expected) in [
            ("accept_assignment", json!({"assignment_id": "1"}), "assignment_id: is of type string"),
            ("accept_assignment", json!({}), "missing field `assignment_id`"),
            ("accept_assignment", json!({"assignment_id": -1}), "assignment_id"),
            ("accept_assignment", json!({"assignment_id": 1e300}), "assignment_id"),
            (
                "accept_assignment",
                json!({"assignment_id": 9_007_199_254_740_993_i64}),
                "there is no assignment",
            ),
            (
                "submit_review_result",
                json!({"assignment_id": 1, "approved": "yes"}),
                "approved: is of type string",
            ),
            (
                "queue_task_for_agent",
                json!({"agent_id": [], "task_type": 1, "title": {}}),
                "agent_id: is of type array",
            ),
            ("get_task_details", json!({"task_id": "x", "verbose": true}), "unknown field `verbose`"),
            ("get_findings", json!({"task_id": "x", "status": "bad"}), "unknown variant `bad`"),
            ("list_assignments", json!({"limit": 0}), "limit: is a number from 1 to 100"),
            (
                "resolve_escalation",
                json!({"assignment_id": 1, "resolution": "burn"}),
                "unknown variant `burn`",
            ),
            ("resolve_escalation", json!({"resolution": "accept"}), "exactly one of it and assignment_id"),
            (
                "resolve_escalation",
                json!({"escalation": "planet/7", "resolution": "accept"}),
                "escalation: is of no kind that is escalated",
            ),
            (
                "resolve_escalation",
                json!({"escalation": "7".repeat(100_000), "resolution": "accept"}),
                "escalation: is longer than 256 bytes",
            ),
            ("list_escalations", json!({"cursor": "yesterday assignment/7"}), "cursor: is none of this list"),
        ] {
            let text = said(green.call(tool, arguments.clone()));
            assert!(text.contains(expected), "{tool} {arguments}: {text}");
            assert_discreet(&text, &place);
        }
    }
}

#[test]
fn ids_that_nobody_gave_lead_nowhere() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    for id in ["nothing", "../../etc/passwd", "a/b", "", "\u{0}", &"x".repeat(1_000), "%2e%2e"] {
        for tool in ["get_task_details", "get_review_report", "get_findings"] {
            let text = said(green.call(tool, json!({"task_id": id})));
            assert!(text.contains("Next: "), "{text}");
            assert_discreet(&text, &place);
        }
        let uri = format!("countersign://reviews/{id}/report");
        let missing = green.request("resources/read", json!({"uri": uri}));
        assert!(missing["error"]["message"].is_string(), "{missing}");
        assert_discreet(&missing.to_string(), &place);
    }
}

#[test]
fn a_branch_is_no_way_out_of_the_repository() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    let made = green.call("create_assignment", json!({"agent": "green", "title": "T"})).done();
    let id = &made["assignment_id"];
    green.call("accept_assignment", json!({"assignment_id": id})).done();
    for name in [
        "../../etc/passwd",
        "--upload-pack=touch x",
        "refs/heads/../../config",
        "a..b",
        "@{-1}",
        "HEAD",
        "a\u{0}b",
        "",
    ] {
        let text = said(green.call("submit_for_review", json!({"assignment_id": id, "branch_name": name})));
        assert_discreet(&text, &place);
    }
    for name in
        ["../../etc/passwd", "--upload-pack=touch x", "main:../../x", "a..b", "a\u{0}b", "", "/etc/passwd"]
    {
        let text = said(green.call("request_review", json!({"head": name, "base": "main"})));
        assert_discreet(&text, &place);
    }
    let base = json!({"assignment_id": id, "branch_name": "task/one", "base": "--output=/tmp/x"});
    assert_discreet(&said(green.call("submit_for_review", base)), &place);
    let mine = green.call("get_my_assignment", json!({})).done();
    assert_eq!(mine["assignment"]["status"], "in_progress");
}

#[test]
fn texts_of_ten_megabytes_are_refused_and_not_repeated() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    let huge = "x".repeat(10_000_000);
    let made = green.call("create_assignment", json!({"agent": "green", "title": "T"})).done();
    let id = &made["assignment_id"];
    for (tool, arguments) in [
        ("queue_task_for_agent", json!({"agent_id": "purple", "task_type": "review", "title": &huge})),
        (
            "queue_task_for_agent",
            json!({"agent_id": "purple", "task_type": "review", "title": "T", "description": &huge}),
        ),
        ("queue_task_for_agent", json!({"agent_id": &huge, "task_type": "review", "title": "T"})),
        (
            "queue_task_for_agent",
            json!({"agent_id": "purple", "task_type": "review", "title": "T", "context": {"a": &huge}}),
        ),
        ("submit_for_review", json!({"assignment_id": id, "branch_name": &huge})),
        ("submit_review_result", json!({"assignment_id": id, "approved": false, "feedback": &huge})),
        ("create_assignment", json!({"agent": "green", "title": "T", "description": &huge})),
        ("request_review", json!({"head": &huge})),
        (huge.as_str(), json!({})),
    ] {
        assert_discreet(&said(green.call(tool, arguments)), &place);
    }
    assert_eq!(green.call("list_pending_tasks", json!({})).done()["tasks"], json!([]));
}

#[test]
fn lines_that_are_no_messages_do_not_end_the_conversation() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    for line in [
        &b"not json"[..],
        b"{}",
        b"[]",
        b"null",
        b"{\"jsonrpc\":\"2.0\"}",
        b"\xff\xfe",
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":1}",
    ] {
        green.send_line(line);
    }
    green.send_line(&[b'['; 100_000]);
    green.call("get_my_assignment", json!({})).done();
}

#[test]
fn what_others_wrote_reaches_an_agent_without_what_nobody_sees() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    let task = json!({"agent_id": "purple", "task_type": "review", "title": "T\u{200b}", "description": "a\u{1b}[2J\u{202e}b"});
    let id = green.call("queue_task_for_agent", task).done()["task_id"].clone();
    let details = green.call("get_task_details", json!({"task_id": id})).done();
    assert_eq!((&details["task"]["title"], &details["task"]["description"]), (&json!("T"), &json!("ab")));
}

#[test]
fn a_client_that_leaves_in_the_middle_has_its_work_done_once() {
    let place = Place::plain();
    let mut leaving = place.stdio("green");
    for id in 100..120 {
        leaving.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "queue_task_for_agent",
            "arguments": {"agent_id": "purple", "task_type": "review", "title": format!("Task {id}")}}}));
    }
    leaving
        .input
        .as_mut()
        .map(|input| std::io::Write::write_all(input, b"{\"jsonrpc\":\"2.0\",\"id\":999,\"met"))
        .unwrap()
        .unwrap();
    assert!(leaving.finish().success());
    drop(leaving);
    let tasks = place.stdio("blue").call("list_pending_tasks", json!({"limit": 100})).done();
    let titles: Vec<&Value> = tasks["tasks"].as_array().unwrap().iter().map(|task| &task["title"]).collect();
    let mut unique = titles.clone();
    unique.sort_by_key(ToString::to_string);
    unique.dedup();
    assert_eq!(titles.len(), unique.len(), "{titles:?}");
}
