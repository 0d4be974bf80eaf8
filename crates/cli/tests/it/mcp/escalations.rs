//! What waits for a person, over MCP: every kind of it, made as users make it.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};

use super::client::{Client, Stdio};
use super::place::{CALLERS, Place};
use crate::agents::{Running, eventually};
use crate::loops::stage::{Stage, assert_code, escalated};
use crate::program::{command, countersign};

fn stdio(folder: &Path, name: &str) -> Stdio {
    let mut command = command(folder);
    command.args(["mcp", "queue", "--as", name]);
    Stdio::start(command)
}

fn listed(client: &mut dyn Client) -> Vec<Value> {
    client.call("list_escalations", json!({})).done()["escalations"].as_array().unwrap().clone()
}

/// A story that waits, a person who may decide about it, and what it is called.
fn waiting() -> (Stage, Stdio, String) {
    let (stage, _) = escalated();
    let mut mia = stdio(stage.repo.path(), "mia");
    let name = listed(&mut mia)[0]["escalation"].as_str().unwrap().to_owned();
    (stage, mia, name)
}

#[test]
fn a_story_of_a_loop_is_listed_with_all_that_can_be_decided() {
    let (stage, mut mia, name) = waiting();
    let story = &listed(&mut mia)[0];
    assert!(name.starts_with("story/topic-"), "{story}");
    assert_eq!((&story["kind"], &story["title"]), (&json!("story"), &json!("Take notes")), "{story}");
    assert_eq!((&story["agent"], &story["review_attempt"]), (&json!("engineer"), &json!(3)), "{story}");
    assert_eq!(story["options"], json!(["block", "accept", "one_more"]), "{story}");
    assert!(story["reason"].is_string() && story["since"].is_string(), "{story}");
    let shown = countersign(stage.repo.path(), &["escalation", "list", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    for field in ["kind", "title", "agent", "reason", "review_attempt", "options", "since"] {
        assert_eq!(shown["escalations"][0][field], story[field], "the terminal says the same");
    }
}

#[test]
fn a_person_accepts_a_story_for_a_reason_and_agents_do_not() {
    let (stage, mut mia, name) = waiting();
    let accept = json!({"escalation": name, "resolution": "accept", "note": "ships today"});
    for agent in ["engineer", "qa"] {
        let refused = stdio(stage.repo.path(), agent).call("resolve_escalation", accept.clone()).refused();
        assert!(refused.contains("is for a person to resolve"), "{refused}");
    }
    let silent = json!({"escalation": name, "resolution": "accept", "note": " "});
    assert!(mia.call("resolve_escalation", silent).refused().contains("for a reason only"));
    let close = json!({"escalation": name, "resolution": "close"});
    let refused = mia.call("resolve_escalation", close).refused();
    assert!(refused.contains("choose one of: block, accept, one_more"), "{refused}");
    let done = mia.call("resolve_escalation", accept.clone()).done();
    assert_eq!((&done["escalation"], &done["status"]), (&json!(name), &json!("done")), "{done}");
    let decision = stage.dossier()["decisions"][0].clone();
    assert_eq!((&decision["by"], &decision["reason"]), (&json!("mia"), &json!("ships today")));
    assert!(mia.call("resolve_escalation", accept).refused().contains("is not escalated"));
    assert_eq!(listed(&mut mia), [] as [Value; 0]);
}

#[test]
fn a_story_is_blocked_until_somebody_fixed_it_and_resumes_the_loop() {
    let (stage, mut mia, name) = waiting();
    let block = json!({"escalation": name, "resolution": "block"});
    let blocked = mia.call("resolve_escalation", block).done();
    assert_eq!(blocked["status"], "blocked");
    assert!(blocked["message"].as_str().unwrap().contains("countersign loop --resume topic-"), "{blocked}");
    let waits = listed(&mut mia);
    assert_eq!(waits[0]["options"], json!([]), "it has had its decision");
    assert!(waits[0]["reason"].as_str().unwrap().starts_with("blocked until corrected"), "{waits:?}");
    stage.repo.checkout("topic").write("notes.txt", "fine\n").commit("Fix it by hand");
    stage.repo.checkout("main");
    assert_code(&stage.resume(&[]), 0);
}

#[test]
fn a_story_that_is_held_or_cannot_be_read_says_nothing_about_the_machine() {
    let (stage, mut mia, name) = waiting();
    let folder = stage.repo.path().join(".git/countersign/loops").join(name.trim_start_matches("story/"));
    let held = File::open(folder.join("lock")).unwrap();
    held.lock().unwrap();
    let more = json!({"escalation": name, "resolution": "one_more"});
    let refused = mia.call("resolve_escalation", more.clone()).refused();
    assert_eq!(refused, "a loop is at work on this story. Next: wait until it is done, then look again.");
    drop(held);
    assert!(
        mia.call("resolve_escalation", json!({"escalation": "story/../../x", "resolution": "block"}))
            .refused()
            .contains("is not escalated")
    );
    std::fs::write(folder.join("story.json"), "{").unwrap();
    for refused in
        [mia.call("list_escalations", json!({})).refused(), mia.call("resolve_escalation", more).refused()]
    {
        assert_eq!(
            refused,
            "the loops of this repository cannot be used. Next: tell the person who runs Countersign."
        );
    }
}

/// With a review task and an assignment, both rejected for the last time, the task first.
fn task_and_assignment() -> Place {
    let place = Place::plain();
    place.repo.write("countersign.yaml", format!("{CALLERS}limits: {{max_review_cycles: 1}}\n"));
    place.repo.commit("Give one chance");
    place.commit("task/one", "pub fn total(a: u32, b: u32) -> u32 {\n    todo!()\n}\n");
    let mut green = place.stdio("green");
    let review = json!({"head": "task/one", "base": "main", "run": "task", "agent_id": "purple"});
    green.call("request_review", review).done();
    let agents = Running::start(&place.repo, &["purple"]);
    eventually("the task is escalated", || !listed(&mut place.stdio("mia")).is_empty());
    assert_eq!(agents.terminate(), Some(0));
    let made = green.call("create_assignment", json!({"agent": "green", "title": "Add up"})).done();
    let id = &made["assignment_id"];
    green.call("accept_assignment", json!({"assignment_id": id})).done();
    green.call("submit_for_review", json!({"assignment_id": id, "branch_name": "task/one"})).done();
    let reject = json!({"assignment_id": id, "approved": false, "feedback": "No"});
    place.stdio("purple").call("submit_review_result", reject).done();
    place
}

#[test]
fn tasks_and_assignments_come_in_one_list_page_by_page() {
    let place = task_and_assignment();
    let mut mia = place.stdio("mia");
    let first = mia.call("list_escalations", json!({"limit": 1})).done();
    assert_eq!(first["escalations"][0]["kind"], "task", "{first}");
    let name = &first["escalations"][0]["escalation"];
    let one_more = json!({"escalation": name, "resolution": "one_more", "note": "Only the total"});
    assert!(place.stdio("green").call("resolve_escalation", one_more.clone()).refused().contains("person"));
    let resolved = mia.call("resolve_escalation", one_more).done();
    assert_eq!((&resolved["escalation"], &resolved["status"]), (name, &json!("completed")), "{resolved}");
    let fix = mia.call("get_task_details", json!({"task_id": resolved["follow_ups"][0]})).done();
    assert!(fix.to_string().contains("Guidance from mia: Only the total"), "{fix}");
    let rest = mia.call("list_escalations", json!({"limit": 1, "cursor": first["next_cursor"]})).done();
    let assignment = &rest["escalations"][0];
    assert_eq!((&assignment["kind"], rest.get("next_cursor")), (&json!("assignment"), None), "{rest}");
    let close = json!({"escalation": assignment["escalation"], "resolution": "close"});
    assert_eq!(mia.call("resolve_escalation", close).done()["status"], "closed");
    assert_eq!(listed(&mut mia), [] as [Value; 0]);
}

#[test]
fn where_there_is_no_repository_there_are_no_stories() {
    let (stage, _) = escalated();
    let elsewhere = stage.repo.outside("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    assert_eq!(listed(&mut stdio(&elsewhere, "person")), [] as [Value; 0]);
}
