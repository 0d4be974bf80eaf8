//! The list of tools: what it costs, and what it promises.

use serde_json::{Value, json};

use super::client::Client;
use super::place::Place;

/// What an agent pays for the list in every conversation. Whoever makes it grow should know.
const MOST_BYTES: usize = 18_200;
const MOST_BYTES_FOR_MODELS: usize = 8_500;

fn listed() -> Vec<Value> {
    let place = Place::plain();
    let answer = place.stdio("green").request("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn the_list_costs_few_tokens() {
    let tools = listed();
    let whole = Value::from(tools.clone()).to_string().len();
    let for_models: usize = tools
        .iter()
        .map(|tool| json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string().len())
        .sum();
    println!("{} tools, {whole} bytes, {for_models} of them for models", tools.len());
    assert!(
        whole <= MOST_BYTES && for_models <= MOST_BYTES_FOR_MODELS,
        "{whole} bytes, {for_models} for models"
    );
}

#[test]
fn every_tool_says_what_it_takes_gives_and_does() {
    for tool in listed() {
        let name = tool["name"].as_str().unwrap();
        assert!(
            tool["description"].as_str().is_some_and(|text| text.ends_with('.') && text.len() < 250),
            "{name}"
        );
        for side in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[side]["type"], "object", "{name}");
            jsonschema::draft202012::meta::validate(&tool[side])
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let hints = &tool["annotations"];
        assert!(hints["readOnlyHint"].is_boolean() && hints["openWorldHint"].is_boolean(), "{name}");
        let reads = name.starts_with("get_") || name.starts_with("list_");
        assert_eq!(hints["readOnlyHint"], reads, "{name}");
        assert_eq!(
            hints["destructiveHint"].is_boolean() && hints["idempotentHint"].is_boolean(),
            !reads,
            "{name}"
        );
    }
}

#[test]
fn answers_fit_the_schema_they_promise() {
    let place = Place::plain();
    place.commit("task/one", "pub fn total(a: u32, b: u32) -> u32 {\n    todo!()\n}\n");
    let (mut green, mut purple, mut mia) = (place.stdio("green"), place.stdio("purple"), place.stdio("mia"));
    let tools = green.request("tools/list", json!({}))["result"]["tools"].clone();
    let check = |client: &mut dyn Client, name: &str, arguments: Value| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        let answer = client.call(name, arguments).done();
        let schema = jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
        let complaints: Vec<String> = schema.iter_errors(&answer).map(|error| error.to_string()).collect();
        assert_eq!(complaints, [""; 0], "{name}: {answer}");
        answer
    };
    let task = json!({"agent_id": "x", "task_type": "review", "title": "T", "context": {"epic_key": "E"}});
    let task = check(&mut green, "queue_task_for_agent", task);
    check(&mut green, "get_queue_status", json!({}));
    check(&mut green, "list_pending_tasks", json!({"limit": 1}));
    check(&mut green, "get_task_details", json!({"task_id": task["task_id"]}));
    check(&mut green, "get_epic_progress", json!({"epic_key": "E"}));
    check(&mut green, "get_my_assignment", json!({}));
    let made = check(
        &mut green,
        "create_assignment",
        json!({"agent": "green", "title": "T", "max_review_cycles": 1}),
    );
    let id = &made["assignment_id"];
    check(&mut green, "get_my_assignment", json!({}));
    check(&mut green, "accept_assignment", json!({"assignment_id": id}));
    check(&mut green, "submit_for_review", json!({"assignment_id": id, "branch_name": "task/one"}));
    check(&mut purple, "get_my_assignment", json!({}));
    check(
        &mut purple,
        "submit_review_result",
        json!({"assignment_id": id, "approved": false, "feedback": "No"}),
    );
    check(&mut green, "get_review_feedback", json!({"assignment_id": id}));
    check(&mut green, "list_assignments", json!({"status": "escalated"}));
    check(&mut mia, "list_escalations", json!({}));
    check(&mut mia, "resolve_escalation", json!({"assignment_id": id, "resolution": "accept"}));
    let reviewed = check(&mut green, "request_review", json!({"head": "task/one", "base": "main"}));
    check(&mut green, "request_review", json!({"head": "task/one", "base": "main", "run": "task"}));
    check(&mut green, "get_review_report", json!({"task_id": reviewed["task_id"]}));
    check(&mut green, "get_findings", json!({"task_id": reviewed["task_id"]}));
}

/// The document is written by hand and held against the list.
#[test]
fn the_document_names_every_tool_and_every_parameter() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/MCP.md")).unwrap();
    let row = |name: &str| text.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
    let tools = listed();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let row = row(name).unwrap_or_else(|| panic!("docs/MCP.md has no row for {name}"));
        let none = serde_json::Map::new();
        for parameter in tool["inputSchema"]["properties"].as_object().unwrap_or(&none).keys() {
            assert!(
                row.contains(&format!("`{parameter}`")),
                "docs/MCP.md does not name {parameter} of {name}"
            );
        }
    }
    let named = text.lines().filter(|line| line.starts_with("| `") && line.split('|').count() == 5).count();
    assert_eq!(named, tools.len(), "docs/MCP.md names tools that are not there");
}
