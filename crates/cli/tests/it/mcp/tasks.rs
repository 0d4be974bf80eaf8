//! The tools of the queue.

use serde_json::json;

use super::client::{Client, Stdio};
use super::place::{Kept, Place, Wire};
use crate::epics::stage::with_tickets;
use crate::program::command;

#[test]
fn work_is_delegated_and_its_progress_seen() {
    for (kept, wire) in [(Kept::Sqlite, Wire::Stdio), (Kept::Postgres, Wire::Http)] {
        let Some(place) = Place::set(kept) else { continue };
        let mut green = place.client(wire, "green");
        let review = json!({"agent_id": "purple", "task_type": "review", "title": "Review PR #456 - Add authentication",
            "description": "PR ready for review.", "priority": 10, "acceptance_criteria": ["All security checks pass"],
            "plan": {"steps": ["look"]},
            "context": {"jira_key": "PROJ-123", "github_repo": "owner/repo", "pr_number": 456, "epic_key": "PROJ-100"}});
        let first = green.call("queue_task_for_agent", review).done();
        let id = first["task_id"].as_str().unwrap();
        assert!(id.starts_with("review-purple-"), "{first}");
        assert_eq!((&first["status"], first.get("note")), (&json!("pending"), None));
        let fix = json!({"agent_id": "green", "task_type": "fix", "title": "Mend", "depends_on": [id],
            "context": {"epic_key": "PROJ-100"}});
        green.call("queue_task_for_agent", fix).done();

        let details = green.call("get_task_details", json!({"task_id": id})).done();
        let task = &details["task"];
        assert_eq!((&task["context"]["pr_number"], &task["created_by"]), (&json!(456), &json!("green")));
        assert_eq!((&task["priority"], &task["plan"]["steps"][0]), (&json!(10), &json!("look")));
        assert_eq!(details["events"][0]["kind"], "added");
        let pending = green.call("list_pending_tasks", json!({"agent_id": "green"})).done();
        assert_eq!(pending["tasks"][0]["waits_because"], format!("waits for {id}"));
        let status = green.call("get_queue_status", json!({"agent_id": "purple"})).done();
        assert_eq!(status["queues"][0]["pending"], 1);
        let epic = green.call("get_epic_progress", json!({"epic_key": "PROJ-100"})).done();
        assert_eq!((&epic["total"], &epic["by_status"]["pending"]), (&json!(2), &json!(2)));
        assert_eq!((&epic["percent_complete"], &epic["truncated"]), (&json!(0), &json!(false)));
    }
}

#[test]
fn the_progress_of_an_epic_that_was_run_is_seen() {
    let stage = with_tickets(&["a", "b: a"]);
    assert_eq!(stage.run(&[]).code, Some(0));
    let mut serve = command(stage.repo.path());
    serve.args(["mcp", "queue", "--as", "person"]);
    let mut person = Stdio::start(serve);
    let epic = person.call("get_epic_progress", json!({"epic_key": "login"})).done();
    assert_eq!((&epic["total"], &epic["by_status"]["completed"]), (&json!(2), &json!(2)), "{epic}");
    assert_eq!(epic["percent_complete"], 100);
    let first = &epic["tasks"][0];
    assert_eq!(
        (&first["task_id"], &first["type"], &first["agent_id"]),
        (&json!("a"), &json!("ticket"), &json!("engineer"))
    );
}

#[test]
fn a_tool_shows_its_change_as_a_file_before_it_answers() {
    let place = Place::plain();
    let task = json!({"agent_id": "purple", "task_type": "review", "title": "T"});
    let queued = place.stdio("green").call("queue_task_for_agent", task).done();
    let file = format!(".agent-communication/queues/purple/{}.json", queued["task_id"].as_str().unwrap());
    assert!(place.repo.path().join(file).exists());
}

#[test]
fn a_list_comes_in_pages() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    for number in 0..3 {
        let task = json!({"agent_id": "purple", "task_type": "review", "title": format!("Task {number}")});
        green.call("queue_task_for_agent", task).done();
    }
    let first = green.call("list_pending_tasks", json!({"limit": 2})).done();
    let rest = green.call("list_pending_tasks", json!({"limit": 2, "cursor": first["next_cursor"]})).done();
    assert_eq!((first["tasks"].as_array().unwrap().len(), &rest["tasks"][0]["title"]), (2, &json!("Task 0")));
    assert_eq!(rest.get("next_cursor"), None);
}

#[test]
fn what_cannot_be_queued_is_refused_with_what_to_do() {
    let place = Place::plain();
    let mut green = place.stdio("green");
    let mut refused = |change: serde_json::Value| {
        let mut task = json!({"agent_id": "purple", "task_type": "review", "title": "T"});
        change.as_object().unwrap().iter().for_each(|(key, value)| task[key] = value.clone());
        green.call("queue_task_for_agent", task).refused()
    };
    for (change, expected) in [
        (json!({"agent_id": "../x"}), "agent_id: holds '/'"),
        (json!({"priority": 101}), "priority: is a number from 1"),
        (json!({"priority": -1}), "priority: is a number from 1"),
        (json!({"depends_on": ["nobody-knows"]}), "which does not exist"),
        (json!({"title": "a\nb"}), "title: holds a line break"),
        (json!({"context": {"repo_path": "../../etc"}}), "context.repo_path: leads out"),
        (json!({"context": {"repo_path": "/etc"}}), "context.repo_path: leads out"),
    ] {
        let said = refused(change);
        assert!(said.contains(expected) && said.contains("Next: "), "{said}");
    }
    assert_eq!(green.call("list_pending_tasks", json!({})).done()["tasks"], json!([]));
}

#[test]
fn a_queue_that_nobody_serves_is_pointed_out() {
    let place = Place::plain();
    let task = json!({"agent_id": "purpel", "task_type": "review", "title": "T"});
    let queued = place.stdio("green").call("queue_task_for_agent", task).done();
    assert_eq!(queued["note"], "no agent here serves purpel; did you mean purple?");
}
