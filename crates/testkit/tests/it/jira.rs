use serde_json::{Value, json};
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

fn basic(user: &str, secret: &str) -> String {
    use base64::Engine as _;
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{secret}")))
}

fn cloud() -> (Forge, Client) {
    let forge = Forge::start();
    forge.set_jira(Jira::Cloud);
    forge.ticket("PROJ-123", "Do it", "As agreed\n\n{code:yaml}\na: 1\n{code}");
    let token = forge.token("robot", Rights::Write);
    let client = Client::new(
        &forge.url(),
        "/rest/api/3",
        Some(("authorization", &basic("robot@example.com", &token))),
    );
    (forge, client)
}

fn document(text: &str) -> Value {
    let paragraph = json!({ "type": "paragraph", "content": [{ "type": "text", "text": text }] });
    json!({ "type": "doc", "version": 1, "content": [paragraph] })
}

#[test]
fn cloud_gives_descriptions_as_documents() {
    let (_forge, jira) = cloud();
    let description = jira.get("/issue/PROJ-123").expect(200).json()["fields"]["description"].clone();
    assert_eq!(description["content"][1]["type"], "codeBlock");
    assert_eq!(description["content"][1]["attrs"]["language"], "yaml");
    assert_eq!(description["content"][1]["content"][0]["text"], "a: 1");
}

#[test]
fn cloud_takes_documents_only_and_refuses_broken_ones() {
    let (forge, jira) = cloud();
    jira.post("/issue/PROJ-123/comment", &json!({ "body": "plain" })).expect(400);
    let empty = jira.post("/issue/PROJ-123/comment", &json!({ "body": document("") })).expect(400).json();
    assert_eq!(empty["errorMessages"], json!(["INVALID_INPUT"]));
    let made =
        jira.post("/issue/PROJ-123/comment", &json!({ "body": document("Started") })).expect(201).json();
    let id = made["id"].as_str().unwrap();
    jira.put(&format!("/issue/PROJ-123/comment/{id}"), &json!({ "body": document("Done") })).expect(200);
    assert_eq!(forge.issue("PROJ-123").said(), ["Done"]);
    let listed = jira.get("/issue/PROJ-123/comment").expect(200).json();
    assert_eq!((&listed["total"], &listed["comments"][0]["body"]), (&json!(1), &document("Done")));
}

#[test]
fn server_takes_wiki_text_only() {
    let (forge, jira) = server();
    jira.post("/issue/PROJ-123/comment", &json!({ "body": document("no") })).expect(400);
    jira.post("/issue/PROJ-123/comment", &json!({ "body": "h2. Review\n\n* one\n* two" })).expect(201);
    assert_eq!(forge.issue("PROJ-123").said(), ["h2. Review\n\n* one\n* two"]);
}

#[test]
fn a_document_reads_as_wiki_text_on_the_older_interface() {
    let forge = Forge::start();
    let code = json!({ "type": "codeBlock", "attrs": { "language": "yaml" }, "content": [{ "type": "text", "text": "a: 1" }] });
    let heading =
        json!({ "type": "heading", "attrs": { "level": 2 }, "content": [{ "type": "text", "text": "Why" }] });
    forge.ticket("PROJ-1", "S", json!({ "type": "doc", "version": 1, "content": [heading, code] }));
    let jira = Client::bearer(&forge.url(), "/rest/api/2", &forge.token("robot", Rights::Read));
    let text = jira.get("/issue/PROJ-1?fields=description").json()["fields"]["description"].clone();
    assert_eq!(text, "h2. Why\n\n{code:yaml}\na: 1\n{code}");
}

#[test]
fn each_kind_of_jira_has_its_own_way_to_sign_in() {
    let (forge, jira) = cloud();
    let token = forge.token("robot", Rights::Write);
    let with = |value: &str| Client::new(&forge.url(), "/rest/api/3", Some(("authorization", value)));
    jira.get("/myself").expect(200);
    with(&basic("else@example.com", &token)).get("/myself").expect(401);
    with(&format!("Bearer {token}")).get("/myself").expect(401);
    forge.set_jira(Jira::Server);
    Client::bearer(&forge.url(), "/rest/api/2", &token).get("/myself").expect(200);
    Client::new(&forge.url(), "/rest/api/2", None).get("/issue/PROJ-123").expect(401);
    assert_eq!(
        Client::new(&forge.url(), "/rest/api/2", None).get("/serverInfo").json()["deploymentType"],
        "Server"
    );
}

#[test]
fn a_ticket_nobody_may_see_does_not_exist() {
    let (forge, jira) = server();
    jira.get("/issue/PROJ-999").expect(404);
    let blind = Client::bearer(&forge.url(), "/rest/api/2", &forge.token("blind", Rights::None));
    blind.get("/issue/PROJ-123").expect(404);
    let reader = Client::bearer(&forge.url(), "/rest/api/2", &forge.token("reader", Rights::Read));
    reader.get("/issue/PROJ-123").expect(200);
    reader.post("/issue/PROJ-123/comment", &json!({ "body": "hi" })).expect(403);
}

#[test]
fn server_searches_by_offset_and_cloud_by_token() {
    let (forge, jira) = server();
    forge.ticket("PROJ-124", "Another", "text");
    forge.ticket("OTHER-1", "Else", "text");
    let query = "/search?jql=project%20%3D%20PROJ%20AND%20status%20in%20(%22To%20Do%22)%20ORDER%20BY%20key%20DESC&maxResults=1";
    let page = jira.get(query).expect(200).json();
    assert_eq!((&page["total"], &page["issues"][0]["key"]), (&json!(2), &json!("PROJ-124")));
    jira.get("/search?jql=nonsense%20%3D%201").expect(400);
    jira.get("/search/jql?jql=project%3DPROJ").expect(404);
    forge.set_jira(Jira::Cloud);
    let token = forge.token("robot", Rights::Read);
    let cloud = Client::new(
        &forge.url(),
        "/rest/api/3",
        Some(("authorization", &basic("robot@example.com", &token))),
    );
    cloud.get("/search?jql=project%3DPROJ").expect(410);
    cloud.get("/search/jql?jql=").expect(400);
    let ask = |token: &Value| {
        let body = json!({ "jql": "project = PROJ", "maxResults": 1, "fields": ["summary"], "nextPageToken": token });
        cloud.post("/search/jql", &body).expect(200).json()
    };
    let first = ask(&Value::Null);
    assert_eq!(
        (&first["isLast"], &first["issues"][0]["fields"]),
        (&json!(false), &json!({ "summary": "Do it" }))
    );
    let second = ask(&first["nextPageToken"]);
    assert_eq!((&second["isLast"], &second["issues"][0]["key"]), (&json!(true), &json!("PROJ-124")));
}

#[test]
fn a_remote_link_of_the_same_name_is_replaced() {
    let (forge, jira) = server();
    let link = |title: &str| json!({ "globalId": "pr-1", "object": { "url": "http://example.com/1", "title": title } });
    jira.post("/issue/PROJ-123/remotelink", &link("one")).expect(201);
    jira.post("/issue/PROJ-123/remotelink", &link("two")).expect(200);
    let links = forge.issue("PROJ-123").links;
    assert_eq!((links.len(), links[0].title.as_str()), (1, "two"));
}

#[test]
fn a_workflow_may_lack_the_transition_one_looks_for() {
    let (forge, jira) = server();
    forge.set_workflow(&[("Finish", &[], "Done")]);
    let ways = jira.get("/issue/PROJ-123/transitions").expect(200).json();
    assert_eq!(ways["transitions"].as_array().unwrap().len(), 1);
    jira.put("/issue/PROJ-123", &json!({ "fields": { "status": { "name": "Approved" } } })).expect(400);
}

#[test]
fn a_transition_may_bring_its_comment() {
    let (forge, jira) = server();
    let update = json!({ "comment": [{ "add": { "body": "handed in" } }] });
    jira.post("/issue/PROJ-123/transitions", &json!({ "transition": { "id": "21" }, "update": update }))
        .expect(204);
    assert_eq!(forge.issue("PROJ-123").said(), ["handed in"]);
}

#[test]
fn comments_are_given_in_pages() {
    let (forge, jira) = server();
    for number in 1..=3 {
        forge.remark("PROJ-123", "bob", format!("remark {number}"));
    }
    let page = jira.get("/issue/PROJ-123/comment?startAt=1&maxResults=1").expect(200).json();
    assert_eq!((&page["total"], &page["comments"][0]["body"]), (&json!(3), &json!("remark 2")));
    let newest = jira.get("/issue/PROJ-123/comment?orderBy=-created&maxResults=1").expect(200).json();
    assert_eq!(newest["comments"][0]["body"], "remark 3");
}

#[test]
fn what_is_written_on_one_interface_is_read_on_the_other() {
    let (forge, jira) = cloud();
    let wiki = "h2. Review\n\n* one\n* two\n\n----\n\n{code:rust}\nfn main() {}\n{code}\n\nThe end\nof it";
    let older = Client { prefix: "/rest/api/2".to_owned(), ..jira.clone() };
    older.post("/issue/PROJ-123/comment", &json!({ "body": wiki })).expect(201);
    let document = jira.get("/issue/PROJ-123/comment").json()["comments"][0]["body"].clone();
    jira.post("/issue/PROJ-123/comment", &json!({ "body": document })).expect(201);
    assert_eq!(forge.issue("PROJ-123").said(), [wiki, wiki]);
}
