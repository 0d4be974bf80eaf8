use serde_json::json;
use testkit::forge::{Forge, Jira, Rights};

use crate::http::Client;

fn server() -> (Forge, Client) {
    let forge = Forge::start();
    forge.ticket("PROJ-123", "Do it", "As agreed\n\n{code:yaml}\na: 1\n{code}");
    let token = forge.token("robot", Rights::Write);
    let client = Client::bearer(&forge.url(), "/rest/api/2", &token);
    (forge, client)
}

#[test]
fn only_transitions_legal_from_the_present_status_are_offered_and_taken() {
    let (forge, jira) = server();
    let ways = jira.get("/issue/PROJ-123/transitions").expect(200).json();
    let names: Vec<&str> = ways["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|way| way["to"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["In Progress", "Code Review"]);
    jira.post("/issue/PROJ-123/transitions", &json!({ "transition": { "id": "31" } })).expect(400);
    jira.post("/issue/PROJ-123/transitions", &json!({ "transition": { "id": "21" } })).expect(204);
    assert_eq!(forge.issue("PROJ-123").history, ["To Do", "Code Review"]);
}

#[test]
fn cloud_speaks_documents_and_server_wiki_text() {
    let (forge, jira) = server();
    let text = jira.get("/issue/PROJ-123?fields=description").expect(200).json();
    assert_eq!(text["fields"], json!({ "description": "As agreed\n\n{code:yaml}\na: 1\n{code}" }));
    Client { prefix: "/rest/api/3".to_owned(), ..jira.clone() }.get("/issue/PROJ-123").expect(404);
    forge.set_jira(Jira::Cloud);
    jira.get("/issue/PROJ-123").expect(401);
}
