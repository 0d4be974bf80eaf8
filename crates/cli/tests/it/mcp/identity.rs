//! Who calls.

use serde_json::json;

use super::client::{Client, Stdio};
use super::place::Place;
use crate::program::run;

#[test]
fn an_agent_that_nobody_knows_is_refused_at_the_start() {
    let place = Place::plain();
    let outcome = run(place.command(&["mcp", "queue", "--as", "gren"]));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("there is no caller `gren`"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("did you mean `green`?"), "{}", outcome.stderr);
}

#[test]
fn a_name_comes_from_the_command_line_the_environment_or_the_configuration() {
    let place = Place::plain();
    let created_by = |command| {
        let mut client = Stdio::start(command);
        let task = json!({"agent_id": "purple", "task_type": "review", "title": "T"});
        let id = client.call("queue_task_for_agent", task).done()["task_id"].clone();
        client.call("get_task_details", json!({"task_id": id})).done()["task"]["created_by"].clone()
    };
    assert_eq!(created_by(place.command(&["mcp", "queue"])), "green");
    let mut from_environment = place.command(&["mcp", "queue"]);
    from_environment.env("COUNTERSIGN_AS", "blue");
    assert_eq!(created_by(from_environment), "blue");
    let mut from_both = place.command(&["mcp", "queue", "--as", "mia"]);
    from_both.env("COUNTERSIGN_AS", "blue");
    assert_eq!(created_by(from_both), "mia");
}
