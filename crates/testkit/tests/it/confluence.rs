use serde_json::json;
use testkit::forge::{Forge, Rights};

use crate::http::Client;

fn wiki() -> (Forge, Client, u64) {
    let forge = Forge::start();
    let id = forge.page(
        "ARCH",
        "Architecture of shop",
        "<h1>Rules</h1><p>No <strong>global</strong> state</p>",
        &["rules"],
    );
    forge.page("ARCH", "Payments", "<p>Money moves once</p>", &["service"]);
    forge.page("HR", "Holidays", "<p>Rules for holidays</p>", &[]);
    let token = forge.token("reader", Rights::Read);
    let client = Client::bearer(&forge.url(), "", &token);
    (forge, client, id)
}

#[test]
fn a_page_has_the_body_that_was_asked_for() {
    let (_forge, client, id) = wiki();
    let bare = client.get(&format!("/rest/api/content/{id}")).expect(200).json();
    assert!(bare.get("body").is_none());
    let full =
        client.get(&format!("/rest/api/content/{id}?expand=body.storage,version,space")).expect(200).json();
    assert_eq!(full["body"]["storage"]["value"], "<h1>Rules</h1><p>No <strong>global</strong> state</p>");
    assert_eq!((&full["space"]["key"], &full["version"]["number"]), (&json!("ARCH"), &json!(1)));
    client.get("/rest/api/content/99").expect(404);
}

#[test]
fn version_2_reads_the_same_page() {
    let (_forge, client, id) = wiki();
    let page = client.get(&format!("/wiki/api/v2/pages/{id}?body-format=storage")).expect(200).json();
    assert_eq!(page["title"], "Architecture of shop");
    assert!(page["body"]["storage"]["value"].as_str().unwrap().contains("global"));
    let space =
        client.get(&format!("/wiki/api/v2/spaces/{}", page["spaceId"].as_str().unwrap())).expect(200).json();
    assert_eq!(space["key"], "ARCH");
    assert_eq!(client.get("/wiki/api/v2/pages/99").expect(404).json()["errors"][0]["status"], 404);
}

#[test]
fn searches_join_conditions() {
    let (_forge, client, id) = wiki();
    let found = client
        .get("/rest/api/search?cql=text%20~%20%22rules%22%20AND%20space%20%3D%20ARCH%20AND%20type%3Dpage")
        .expect(200)
        .json();
    assert_eq!(
        (&found["totalSize"], &found["results"][0]["content"]["id"]),
        (&json!(1), &json!(id.to_string()))
    );
    assert!(found["results"][0]["excerpt"].as_str().unwrap().contains("No global state"));
    let content = client
        .get("/wiki/rest/api/content/search?cql=label%20in%20(service%2C%20rules)&limit=1")
        .expect(200)
        .json();
    assert_eq!(content["size"], 1);
    assert!(content["_links"]["next"].as_str().unwrap().starts_with("/rest/api/content/search?cql="));
    let titled = client.get("/rest/api/content?title=Payments&spaceKey=ARCH").expect(200).json();
    assert_eq!(titled["size"], 1);
    client.get("/rest/api/search?cql=nonsense").expect(400);
}

#[test]
fn pages_are_for_those_who_may_read() {
    let (forge, client, id) = wiki();
    let path = format!("/rest/api/content/{id}");
    Client { auth: None, ..client }.get(&path).expect(401);
    Client::bearer(&forge.url(), "", &forge.token("blind", Rights::None)).get(&path).expect(404);
}
