//! Reviews that somebody waits for, when the one or the other does not live to see the end.

use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::place::{CALLERS, Place};
use crate::program::run;

/// With a branch `task/two` and a reviewer `slow` that waits until it may go on.
fn place(policy: &str) -> Place {
    let place = Place::plain();
    let wait = format!("while [ ! -e {} ]; do sleep 0.05; done", may_go_on(&place).display());
    let slow =
        format!("  - {{id: slow, role: reviewer, brain: command, command: [sh, -c, '{wait}']}}\npeople:");
    let policy = format!("{policy}sandbox: off\n");
    place.repo.write("countersign.yaml", CALLERS.replace("people:", &slow) + &policy);
    place.repo.commit("Have a slow reviewer");
    place.repo.branch("task/two");
    place.repo.write("src/two.rs", "pub fn two() -> u32 {\n    2\n}\n");
    place.repo.commit("Two");
    place.repo.checkout("main");
    place
}

fn may_go_on(place: &Place) -> PathBuf {
    place.repo.outside("may-go-on")
}

fn call() -> Value {
    let arguments = json!({"head": "task/two", "base": "main", "reviewer": "slow"});
    json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call",
        "params": {"name": "request_review", "arguments": arguments, "_meta": {"progressToken": 1}}})
}

/// The one task there is, when it has come to be so.
fn task_that_is(place: &Place, status: &str) -> Value {
    for _ in 0..600 {
        let listed = run(place.command(&["task", "list", "--status", status, "--format", "json"]));
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
        if let Some(task) = listed["tasks"].get(0) {
            return task.clone();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("no task became {status}: {}", run(place.command(&["task", "list"])).stdout);
}

#[test]
fn a_review_whose_server_is_killed_fails_instead_of_waiting_for_ever() {
    let place = place("safeguards: {heartbeat_timeout: 3, watchdog_interval: 1}\n");
    let mut green = place.stdio("green");
    green.send(&call());
    task_that_is(&place, "in_progress");
    green.child.kill().unwrap();
    let mut watchdog = place.command(&["agent", "start", "purple"]);
    let mut watchdog = watchdog.stderr(std::process::Stdio::null()).spawn().unwrap();
    let failed = task_that_is(&place, "failed");
    watchdog.kill().unwrap();
    watchdog.wait().unwrap();
    assert_eq!(failed["task"]["type"], "review-now");
    assert!(failed["reason"].as_str().unwrap().contains("stopped answering"), "{failed}");
}

#[test]
fn a_caller_that_goes_away_does_not_stop_its_review() {
    let place = place("");
    let green = place.http("green");
    let body = call().to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        green.address,
        Place::token("green"),
        body.len()
    );
    let mut stream = TcpStream::connect(&green.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let task = task_that_is(&place, "in_progress");
    drop(stream);
    let mut other = green.clone();
    let task = json!({"task_id": task["task"]["id"]});
    super::client::Client::call(&mut other, "get_review_report", task).refused();
    std::fs::write(may_go_on(&place), "").unwrap();
    let done = task_that_is(&place, "completed");
    let report = super::client::Client::call(
        &mut green.clone(),
        "get_review_report",
        json!({"task_id": done["task"]["id"]}),
    );
    assert!(report.done()["verdict"].is_string());
}
