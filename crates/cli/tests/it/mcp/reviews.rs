//! Reviews that agents ask for, their reports, resources and prompts.

use serde_json::{Value, json};

use super::client::{Client, Http};
use super::place::{Kept, Place, Wire};

const STUB: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    todo!()\n}\n";
const DEBUG: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    debugger_stop(a + b)\n}\n\npub fn other() {\n    unimplemented!()\n}\n";
const FINE: &str = "pub fn total(a: u32, b: u32) -> u32 {\n    a + b\n}\n";

fn names(findings: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["status"]), text(&one["severity"])))
        .collect()
}

#[test]
fn a_review_now_is_kept_and_compared_with_the_one_before() {
    for (kept, wire) in [(Kept::Sqlite, Wire::Stdio), (Kept::Postgres, Wire::Http)] {
        let Some(place) = Place::set(kept) else { continue };
        let mut green = place.client(wire, "green");
        place.commit("task/one", STUB);
        let range = json!({"head": "task/one", "base": "main"});
        let first = green.call("request_review", range.clone()).done();
        assert_eq!((&first["verdict"], &first["status"]), (&json!("fail"), &json!("completed")), "{first}");
        assert_eq!(first["findings"][0]["file"], "src/total.rs");
        let id = first["task_id"].as_str().unwrap();
        let report = green.call("get_review_report", json!({"task_id": id})).done();
        assert_eq!((&report["verdict"], &report["report"]["status"]), (&json!("fail"), &json!("fail")));
        assert_eq!(report["report"]["approved"], false);

        place.commit("task/one", FINE);
        let again = json!({"head": "task/one", "base": "main", "previous": id});
        let second = green.call("request_review", again).done();
        assert_eq!(second["verdict"], "pass", "{second}");
        let second_id = second["task_id"].as_str().unwrap();
        let fixed = green.call("get_findings", json!({"task_id": second_id, "status": "fixed"})).done();
        assert!(names(&fixed).iter().any(|(status, _)| status == "fixed"), "{fixed}");

        place.commit("task/one", STUB);
        let third = green
            .call("request_review", json!({"head": "task/one", "base": "main", "previous": second_id}))
            .done();
        let back =
            green.call("get_findings", json!({"task_id": third["task_id"], "status": "back_again"})).done();
        assert!(!names(&back).is_empty(), "{back}");
        let all = green.call("get_findings", json!({"task_id": third["task_id"], "status": "all"})).done();
        assert!(names(&all).len() >= names(&back).len());
    }
}

#[test]
fn a_review_of_nothing_says_so() {
    let place = Place::plain();
    let mut green = place.client(Wire::Stdio, "green");
    let reviewed = green.call("request_review", json!({"head": "main", "base": "main"})).done();
    let message = reviewed["message"].as_str().unwrap();
    assert!(message.starts_with("Nothing changed, so there was nothing to review"), "{message}");
}

#[test]
fn a_review_tells_how_far_it_is() {
    let place = Place::plain();
    place.commit("task/one", DEBUG);
    let params = json!({"name": "request_review", "arguments": {"head": "task/one", "base": "main"},
        "_meta": {"progressToken": "p1"}});
    let mut green = place.stdio("green");
    green.request("tools/call", params.clone());
    let heard: Vec<_> =
        green.notifications.iter().filter(|told| told["method"] == "notifications/progress").collect();
    assert!(
        !heard.is_empty() && heard.iter().all(|told| told["params"]["progressToken"] == "p1"),
        "{heard:?}"
    );
    let steps: Vec<f64> = heard.iter().map(|told| told["params"]["progress"].as_f64().unwrap()).collect();
    assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
    let http: Http = place.http("green");
    let messages = http.post("tools/call", params).messages();
    assert!(messages.iter().any(|told| told["method"] == "notifications/progress"), "{messages:?}");
    assert!(messages.last().unwrap()["result"]["structuredContent"]["verdict"].is_string(), "{messages:?}");
}

#[test]
fn a_review_as_a_task_is_done_by_its_agent_and_its_report_is_had_afterwards() {
    let place = Place::plain();
    place.commit("task/one", STUB);
    let mut green = place.stdio("green");
    let range = json!({"head": "task/one", "base": "main", "run": "task", "agent_id": "purple"});
    let queued = green.call("request_review", range).done();
    assert_eq!(queued["status"], "pending");
    let early = green.call("get_review_report", json!({"task_id": queued["task_id"]})).refused();
    assert!(early.contains("is pending and has no review report"), "{early}");
    let mut worker = place.command(&["agent", "start", "purple"]);
    let mut worker = worker.stderr(std::process::Stdio::null()).spawn().unwrap();
    let report = (0..600).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        match green.call("get_review_report", json!({"task_id": queued["task_id"]})) {
            super::client::Answer::Done(report) => Some(report),
            _ => None,
        }
    });
    std::process::Command::new("kill").args(["-TERM", &worker.id().to_string()]).status().unwrap();
    worker.wait().unwrap();
    assert_eq!(report.unwrap()["verdict"], "fail");
}

#[test]
fn a_review_that_cannot_be_done_says_why_and_its_task_has_failed() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    let said = green.call("request_review", json!({"head": "nowhere", "base": "main"})).refused();
    assert!(said.contains("nowhere") && said.contains("Next: "), "{said}");
    let unknown = green.call("request_review", json!({"head": "task/one", "reviewer": "nobody"})).refused();
    assert!(unknown.contains("there is no reviewer `nobody`"), "{unknown}");
    assert_eq!(green.call("list_pending_tasks", json!({})).done()["tasks"], json!([]));
}

#[test]
fn reports_findings_and_epics_are_resources() {
    let place = Place::plain();
    place.commit("task/one", STUB);
    let mut green = place.stdio("green");
    let reviewed = green.call("request_review", json!({"head": "task/one", "base": "main"})).done();
    let id = reviewed["task_id"].as_str().unwrap();
    let task =
        json!({"agent_id": "purple", "task_type": "x", "title": "T", "context": {"epic_key": "PROJ 1/2"}});
    green.call("queue_task_for_agent", task).done();
    let listed = green.request("resources/list", json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["uri"].as_str())
        .collect();
    assert!(uris.contains(&format!("countersign://reviews/{id}/report").as_str()), "{uris:?}");
    assert!(uris.contains(&"countersign://epics/PROJ%201%2F2"), "{uris:?}");
    for uri in &uris {
        let read = green.request("resources/read", json!({"uri": uri}));
        assert!(
            read["result"]["contents"][0]["text"].as_str().is_some_and(|text| !text.is_empty()),
            "{read}"
        );
    }
    let findings =
        green.request("resources/read", json!({"uri": format!("countersign://reviews/{id}/findings")}));
    let text = findings["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("src/total.rs"), "{text}");
    let templates = green.request("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 3);
}

#[test]
fn prompts_say_what_to_do_with_a_branch_and_with_findings() {
    let place = Place::plain();
    place.commit("task/one", STUB);
    let mut green = place.stdio("green");
    let id =
        green.call("request_review", json!({"head": "task/one", "base": "main"})).done()["task_id"].clone();
    let listed = green.request("prompts/list", json!({}));
    let names: Vec<&Value> =
        listed["result"]["prompts"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["review_this_branch", "address_the_findings"]);
    let text =
        |got: Value| got["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_default().to_owned();
    let review = green
        .request("prompts/get", json!({"name": "review_this_branch", "arguments": {"branch": "task/one"}}));
    assert!(text(review).contains("request_review with head `task/one`"));
    let address =
        green.request("prompts/get", json!({"name": "address_the_findings", "arguments": {"task_id": id}}));
    assert!(text(address).contains("src/total.rs"));
    let missing = green.request("prompts/get", json!({"name": "address_the_findings", "arguments": {}}));
    assert!(missing["error"]["message"].as_str().unwrap().contains("task_id is missing"), "{missing}");
}
