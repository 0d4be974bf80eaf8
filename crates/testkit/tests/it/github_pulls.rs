use serde_json::{Value, json};
use testkit::forge::{Forge, PullSeed, ReviewState, Rights};

use crate::http::Client;

/// Ten numbered lines.
pub(crate) fn lines(change: impl Fn(usize) -> Option<String>) -> String {
    (1..=10).filter_map(|number| change(number).map(|line| line + "\n")).collect()
}

fn plain(number: usize) -> String {
    format!("line {number}")
}

/// `acme/shop` with pull request 1: line 5 of ten is changed.
pub(crate) fn shop() -> Forge {
    let forge = Forge::start();
    forge.repository("acme/shop");
    forge.commit("acme/shop", "main", &[("list.txt", &lines(|number| Some(plain(number))))]);
    let changed = lines(|number| Some(if number == 5 { "five".to_owned() } else { plain(number) }));
    forge.commit("acme/shop", "feature", &[("list.txt", &changed)]);
    assert_eq!(forge.open_pull("acme/shop", PullSeed::from("feature").by("alice").title("Five")), 1);
    forge
}

pub(crate) fn writer(forge: &Forge) -> Client {
    let token = forge.token("reviewer", Rights::Write);
    Client::bearer(&forge.url(), "/repos/acme/shop", &token)
}

fn review(comments: &Value) -> Value {
    json!({ "body": "Looked at it", "event": "COMMENT", "comments": comments })
}

#[test]
fn a_pull_request_can_be_read_by_number_and_found_by_its_branch() {
    let forge = shop();
    let github = writer(&forge);
    let pull = github.get("/pulls/1").expect(200).json();
    assert_eq!(pull["head"]["sha"], forge.branch("acme/shop", "feature").unwrap());
    assert_eq!(
        (&pull["additions"], &pull["deletions"], &pull["changed_files"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(github.get("/pulls?head=acme:feature").expect(200).json().as_array().unwrap().len(), 1);
    assert_eq!(github.get("/pulls?head=acme:other").expect(200).json(), json!([]));
}

#[test]
fn one_bad_place_refuses_the_whole_review_without_saying_which() {
    let forge = shop();
    let good = json!({ "path": "list.txt", "line": 5, "side": "RIGHT", "body": "good" });
    let bad = json!({ "path": "list.txt", "line": 10, "side": "RIGHT", "body": "bad" });
    let refused = writer(&forge).post("/pulls/1/reviews", &review(&json!([good, bad]))).expect(422).json();
    let words = "Pull request review thread line must be part of the diff and Pull request review thread diff hunk \
                 can't be blank";
    assert_eq!(refused["errors"], json!([words]));
    assert!(forge.pull("acme/shop", 1).reviews.is_empty());
    assert!(forge.pull("acme/shop", 1).threads.is_empty());
}

#[test]
fn lines_of_context_can_be_commented_on_as_well_as_changed_ones() {
    let forge = shop();
    let at =
        |line: u32, side: &str| json!({ "path": "list.txt", "line": line, "side": side, "body": "here" });
    let comments = json!([at(2, "RIGHT"), at(8, "RIGHT"), at(5, "LEFT")]);
    writer(&forge).post("/pulls/1/reviews", &review(&comments)).expect(200);
    let pull = forge.pull("acme/shop", 1);
    assert_eq!(pull.reviews[0].state, ReviewState::Commented);
    assert_eq!(pull.threads.len(), 3);
}
