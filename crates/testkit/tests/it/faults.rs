use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::forge::{Fault, Forge};

use crate::github_pulls::{shop, writer};
use crate::http::Client;

const COMMENTS: &str = "/repos/*/*/issues/*/comments";

fn say(client: &Client, words: &str) -> Option<crate::http::Reply> {
    client.try_send("POST", "/issues/1/comments", &[], &json!({ "body": words }))
}

fn said(forge: &Forge) -> usize {
    forge.pull("acme/shop", 1).comments.len()
}

#[test]
fn an_answer_may_be_lost_although_the_effect_happened() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("POST", COMMENTS).cut_after());
    assert!(say(&client, "once").is_none());
    assert_eq!(said(&forge), 1);
    assert_eq!(forge.requests()[0].status, None);
    assert_eq!(forge.faults_left(), 0);
}

#[test]
fn a_connection_cut_before_has_no_effect() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("POST", COMMENTS).cut_before().times(2));
    assert!(say(&client, "lost").is_none() && say(&client, "lost").is_none());
    assert_eq!(said(&forge), 0);
    assert_eq!(say(&client, "heard").unwrap().status, 201);
}

#[test]
fn faults_wait_for_their_turn_and_for_their_route() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("POST", COMMENTS).after(1).status(502));
    client.get("/issues/1/comments").expect(200);
    assert_eq!(say(&client, "one").unwrap().status, 201);
    assert_eq!(say(&client, "two").unwrap().status, 502);
    assert_eq!(said(&forge), 1);
    forge.fault(Fault::on("*", "/repos/**").always().status(500));
    client.get("/pulls/1").expect(500);
    Client { prefix: "/api/v3/repos/acme/shop".to_owned(), ..client.clone() }.get("/pulls/1").expect(500);
    forge.heal();
    client.get("/pulls/1").expect(200);
}

#[test]
fn limits_speak_the_language_of_the_api() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("GET", "/repos/**").primary_limit(7));
    let primary = client.get("/pulls/1").expect(403);
    assert_eq!((primary.header("x-ratelimit-remaining"), primary.header("retry-after")), (Some("0"), None));
    forge.fault(Fault::on("GET", "/repos/**").secondary_limit(7));
    let secondary = client.get("/pulls/1").expect(403);
    assert_eq!(secondary.header("retry-after"), Some("7"));
    assert!(secondary.json()["message"].as_str().unwrap().contains("secondary rate limit"));
    forge.fault(Fault::on("GET", "/api/v4/**").primary_limit(7));
    let gitlab = Client { prefix: "/api/v4".to_owned(), ..client.clone() }.get("/user").expect(429);
    assert_eq!(gitlab.header("retry-after"), Some("7"));
    forge.fault(Fault::on("GET", "/rest/**").primary_limit(7));
    let jira = Client { prefix: "/rest/api/2".to_owned(), ..client }.get("/myself").expect(429);
    assert_eq!(jira.header("retry-after"), Some("7"));
}

#[test]
fn half_an_answer_is_less_than_was_promised() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("POST", COMMENTS).truncated());
    let half = say(&client, "once").unwrap();
    assert!(half.status == 201 && !half.is_whole() && !half.body.is_empty());
    assert_eq!(said(&forge), 1);
}

#[test]
fn what_was_just_created_may_be_missing_from_the_next_lists() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("POST", COMMENTS).lag(2));
    say(&client, "late").unwrap().expect(201);
    let listed = || client.get("/issues/1/comments").json().as_array().unwrap().len();
    assert_eq!([listed(), listed(), listed()], [0, 0, 1]);
}

#[test]
fn people_get_a_page_and_programs_too() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("GET", "/repos/**").maintenance(200));
    assert!(client.get("/pulls/1").expect(200).text().starts_with("<!DOCTYPE html>"));
    forge.fault(Fault::on("GET", "/repos/**").redirect(302, "http://elsewhere.example/steal"));
    assert_eq!(client.get("/pulls/1").expect(302).header("location"), Some("http://elsewhere.example/steal"));
}

#[test]
fn a_slow_answer_is_late_but_right() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(Fault::on("GET", "/repos/**").slow(Duration::from_millis(300)));
    let before = Instant::now();
    assert_eq!(client.get("/pulls/1").expect(200).json()["number"], 1);
    assert!(before.elapsed() >= Duration::from_millis(300));
}

#[test]
fn every_request_is_remembered_with_its_token_but_without_the_header() {
    let forge = shop();
    let client = writer(&forge);
    say(&client, "hello").unwrap();
    let asked = &forge.writes()[0];
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/repos/acme/shop/issues/1/comments"));
    assert_eq!(asked.json["body"], "hello");
    assert!(client.auth.unwrap().1.ends_with(asked.token.as_ref().unwrap()));
    assert_eq!((asked.header("authorization"), asked.status), (None, Some(201)));
    forge.assert_no_token_leaked();
}

#[test]
#[should_panic(expected = "a token appeared in POST")]
fn a_token_in_a_body_is_a_leak() {
    let forge = shop();
    let client = writer(&forge);
    let secret = client.auth.as_ref().unwrap().1.clone();
    let _ = client.try_send("POST", "/issues/1/comments", &[], &json!({ "body": secret }));
    forge.assert_no_token_leaked();
}

#[test]
#[should_panic(expected = "a token appeared in GET")]
fn a_token_in_an_address_is_a_leak() {
    let forge = shop();
    let client = writer(&forge);
    let secret = client.auth.as_ref().unwrap().1.trim_start_matches("Bearer ").to_owned();
    let _ = client.try_send("GET", &format!("/pulls/1?access_token={secret}"), &[], &Value::Null);
    forge.assert_no_token_leaked();
}

#[test]
fn reviews_and_remarks_may_be_late_as_well() {
    let forge = shop();
    forge.ticket("PROJ-1", "S", "text");
    let client = writer(&forge);
    forge.fault(Fault::on("POST", "/repos/*/*/pulls/*/reviews").lag(1));
    let comment = json!({ "path": "list.txt", "line": 5, "body": "five?" });
    client
        .post("/pulls/1/reviews", &json!({ "event": "COMMENT", "body": "b", "comments": [comment] }))
        .expect(200);
    let listed = |path: &str| client.get(path).json().as_array().unwrap().len();
    assert_eq!([listed("/pulls/1/reviews"), listed("/pulls/1/reviews")], [0, 1]);
    assert_eq!([listed("/pulls/1/comments"), listed("/pulls/1/comments")], [0, 1]);
    let jira = Client { prefix: "/rest/api/2/issue/PROJ-1".to_owned(), ..client };
    forge.fault(Fault::on("POST", "/rest/api/2/issue/*/comment").lag(1));
    jira.post("/comment", &json!({ "body": "late" })).expect(201);
    let total = || jira.get("/comment").json()["total"].as_u64().unwrap();
    assert_eq!([total(), total()], [0, 1]);
}

#[test]
fn a_limit_may_come_with_another_status_and_other_headers() {
    let forge = shop();
    let client = writer(&forge);
    forge.fault(
        Fault::on("GET", "/repos/**").primary_limit(7).as_status(429).header("x-ratelimit-reset", "1"),
    );
    let limited = client.get("/pulls/1").expect(429);
    assert_eq!(
        (limited.header("x-ratelimit-remaining"), limited.header("x-ratelimit-reset")),
        (Some("0"), Some("1"))
    );
}

/// So that a test can name the forge as the proxy and any host as the forge.
#[test]
fn a_request_meant_for_a_proxy_is_answered_too() {
    let forge = shop();
    let client =
        Client { prefix: "http://github.example/api/v3/repos/acme/shop".to_owned(), ..writer(&forge) };
    assert_eq!(client.get("/pulls/1").expect(200).json()["number"], 1);
}
