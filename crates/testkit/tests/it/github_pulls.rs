use serde_json::{Value, json};
use testkit::forge::{Forge, Limits, PullSeed, ReviewState, Rights};

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

#[test]
fn a_line_the_diff_has_only_on_the_other_side_is_refused() {
    let forge = shop();
    forge.commit(
        "acme/shop",
        "feature",
        &[("list.txt", &lines(|number| (number != 5).then(|| plain(number))))],
    );
    let at = |side: &str| json!([{ "path": "list.txt", "line": 9, "side": side, "body": "the last" }]);
    let github = writer(&forge);
    // The old file has ten lines, the new one nine; the hunk ends with the old line 8, which is the new line 7.
    let on =
        |line: u32, side: &str| json!([{ "path": "list.txt", "line": line, "side": side, "body": "here" }]);
    github.post("/pulls/1/reviews", &review(&on(8, "RIGHT"))).expect(422);
    github.post("/pulls/1/reviews", &review(&on(8, "LEFT"))).expect(200);
    github.post("/pulls/1/reviews", &review(&at("LEFT"))).expect(422);
}

#[test]
fn a_range_lies_in_one_hunk_and_begins_before_it_ends() {
    let forge = Forge::start();
    forge.repository("acme/shop");
    let long: Vec<String> = (1..=60).map(plain).collect();
    forge.commit("acme/shop", "main", &[("list.txt", &(long.join("\n") + "\n"))]);
    let mut changed = long.clone();
    changed[4] = "five".to_owned();
    changed[49] = "fifty".to_owned();
    forge.commit("acme/shop", "feature", &[("list.txt", &(changed.join("\n") + "\n"))]);
    forge.open_pull("acme/shop", PullSeed::from("feature"));
    let github = writer(&forge);
    let range = |start: u32, end: u32| {
        let comment = json!({
            "path": "list.txt", "start_line": start, "start_side": "RIGHT", "line": end, "side": "RIGHT", "body": "here",
        });
        github.post("/pulls/1/reviews", &review(&json!([comment])))
    };
    range(4, 6).expect(200);
    let across = range(5, 50).expect(422).json()["errors"][0].as_str().unwrap().to_owned();
    assert!(across.contains("must be part of the same hunk"), "{across}");
    let backwards = range(6, 6).expect(422).json()["errors"][0].as_str().unwrap().to_owned();
    assert!(backwards.contains("must precede the end line"), "{backwards}");
}

#[test]
fn nobody_judges_his_own_pull_request() {
    let forge = shop();
    let alice = Client::bearer(&forge.url(), "/repos/acme/shop", &forge.token("alice", Rights::Write));
    for (event, words) in [("APPROVE", "approve"), ("REQUEST_CHANGES", "request changes on")] {
        let refused =
            alice.post("/pulls/1/reviews", &json!({ "event": event, "body": "Mine" })).expect(422).json();
        assert_eq!(refused["errors"], json!([format!("Can not {words} your own pull request")]));
    }
    alice.post("/pulls/1/reviews", &json!({ "event": "COMMENT", "body": "Mine" })).expect(200);
    writer(&forge).post("/pulls/1/reviews", &json!({ "event": "APPROVE" })).expect(200);
    assert_eq!(forge.pull("acme/shop", 1).reviews[1].state, ReviewState::Approved);
}

#[test]
fn a_review_is_about_a_commit_of_the_pull_request() {
    let forge = shop();
    let github = writer(&forge);
    let main = forge.branch("acme/shop", "main").unwrap();
    let refused = |commit: &str| json!({ "event": "COMMENT", "body": "Seen", "commit_id": commit });
    github.post("/pulls/1/reviews", &refused(&main)).expect(422);
    github.post("/pulls/1/reviews", &refused("0123456789012345678901234567890123456789")).expect(422);
    github.post("/pulls/1/reviews", &refused(&forge.pull("acme/shop", 1).head_sha)).expect(200);
}

#[test]
fn a_pending_review_is_seen_by_its_author_only_until_it_is_submitted() {
    let forge = shop();
    let (github, other) = (
        writer(&forge),
        Client::bearer(&forge.url(), "/repos/acme/shop", &forge.token("bob", Rights::Write)),
    );
    let comment = json!({ "path": "list.txt", "line": 5, "body": "five?" });
    let pending = github.post("/pulls/1/reviews", &json!({ "comments": [comment] })).expect(200).json();
    github.post("/pulls/1/reviews", &json!({ "body": "again" })).expect(422);
    assert_eq!(other.get("/pulls/1/reviews").json(), json!([]));
    assert_eq!(other.get("/pulls/1/comments").json(), json!([]));
    github
        .post(&format!("/pulls/1/reviews/{}/events", pending["id"]), &json!({ "event": "COMMENT" }))
        .expect(200);
    assert_eq!(other.get("/pulls/1/comments").json().as_array().unwrap().len(), 1);
}

#[test]
fn a_comment_follows_its_line_and_is_outdated_once_the_line_changes() {
    let forge = shop();
    let github = writer(&forge);
    let comment = json!({ "path": "list.txt", "line": 5, "side": "RIGHT", "body": "five?" });
    github.post("/pulls/1/reviews", &review(&json!([comment]))).expect(200);
    let moved = lines(|number| Some(if number == 5 { "five".to_owned() } else { plain(number) }));
    forge.commit("acme/shop", "feature", &[("list.txt", &format!("line 0\n{moved}"))]);
    assert_eq!(github.get("/pulls/1/comments").json()[0]["line"], 6);
    forge.commit("acme/shop", "feature", &[("list.txt", &lines(|number| Some(plain(number) + "!")))]);
    let outdated = github.get("/pulls/1/comments").json();
    assert_eq!((&outdated[0]["line"], &outdated[0]["position"]), (&Value::Null, &Value::Null));
    assert_eq!(outdated[0]["original_line"], 5);
}

#[test]
fn replies_hang_under_the_first_comment_and_both_can_be_changed() {
    let forge = shop();
    let github = writer(&forge);
    let comment = json!({ "path": "list.txt", "line": 5, "body": "five?", "commit_id": forge.pull("acme/shop", 1).head_sha });
    let first = github.post("/pulls/1/comments", &comment).expect(201).json();
    let reply = github
        .post(&format!("/pulls/1/comments/{}/replies", first["id"]), &json!({ "body": "yes" }))
        .expect(201)
        .json();
    assert_eq!(reply["in_reply_to_id"], first["id"]);
    github.post(&format!("/pulls/1/comments/{}/replies", reply["id"]), &json!({ "body": "no" })).expect(404);
    github.patch(&format!("/pulls/comments/{}", first["id"]), &json!({ "body": "fixed" })).expect(200);
    assert_eq!(forge.pull("acme/shop", 1).everything_said(), ["", "", "fixed", "yes"]);
}

#[test]
fn a_lone_comment_outside_the_diff_is_refused_field_by_field() {
    let forge = shop();
    let comment = json!({ "path": "list.txt", "line": 99, "body": "?", "commit_id": forge.pull("acme/shop", 1).head_sha });
    let refused = writer(&forge).post("/pulls/1/comments", &comment).expect(422).json();
    assert_eq!(refused["errors"][0]["message"], "pull_request_review_thread.line must be part of the diff");
    assert_eq!(refused["errors"][1]["code"], "missing_field");
}

#[test]
fn a_pull_request_is_opened_once_per_branch_and_only_from_branches_that_exist() {
    let forge = shop();
    let github = writer(&forge);
    let open = |head: &str| github.post("/pulls", &json!({ "title": "T", "head": head, "base": "main" }));
    let again = open("feature").expect(422).json();
    assert_eq!(again["errors"][0]["message"], "A pull request already exists for acme:feature.");
    assert_eq!(open("missing").expect(422).json()["errors"][0]["field"], "head");
    assert_eq!(open("main").expect(422).json()["errors"][0]["message"], "No commits between main and main");
    forge.commit("acme/shop", "other", &[("b.txt", "b\n")]);
    assert_eq!(open("other").expect(201).json()["number"], 2);
}

#[test]
fn large_changes_have_no_diff_and_large_files_no_patch() {
    let forge = shop();
    forge.commit("acme/shop", "feature", &[("a.txt", "a\n"), ("long.txt", &"x\n".repeat(50))]);
    let github = writer(&forge);
    let diff = |forge: &Forge, limits: Limits| {
        forge.set_limits(limits);
        github.get_with("/pulls/1", &[("accept", "application/vnd.github.diff")])
    };
    assert!(diff(&forge, Limits::default()).expect(200).text().starts_with("diff --git a/a.txt b/a.txt"));
    let many = diff(&forge, Limits { diff_files: 2, ..Limits::default() }).expect(406).json();
    assert_eq!(many["errors"][0]["code"], "too_large");
    diff(&forge, Limits { diff_lines: 20, ..Limits::default() }).expect(406);
    forge.set_limits(Limits { patch_lines: 20, ..Limits::default() });
    let files = github.get("/pulls/1/files").expect(200).json();
    let has_patch = |name: &str| {
        files.as_array().unwrap().iter().find(|file| file["filename"] == name).unwrap().get("patch").is_some()
    };
    assert!(has_patch("a.txt") && !has_patch("long.txt"));
}

#[test]
fn long_lists_are_given_in_pages_that_link_to_each_other() {
    let forge = shop();
    for number in 0..5 {
        forge.comment("acme/shop", 1, "bob", &format!("comment {number}"));
    }
    let github = writer(&forge);
    let first = github.get("/issues/1/comments?per_page=2").expect(200);
    let base = format!("{}/repos/acme/shop/issues/1/comments?per_page=2&page=", forge.url());
    assert_eq!(first.header("link").unwrap(), format!("<{base}2>; rel=\"next\", <{base}3>; rel=\"last\""));
    let last = github.get("/issues/1/comments?per_page=2&page=3").expect(200);
    assert_eq!(last.json().as_array().unwrap().len(), 1);
    assert!(!last.header("link").unwrap().contains("next"));
}

#[test]
fn threads_are_found_and_resolved_through_graphql() {
    let forge = shop();
    let github = writer(&forge);
    let comment = json!({ "path": "list.txt", "line": 5, "body": "five?" });
    github.post("/pulls/1/reviews", &review(&json!([comment]))).expect(200);
    let graphql = Client { prefix: String::new(), ..github };
    let query = "query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { \
                 pullRequest(number: $number) { reviewThreads(first: 50) { nodes { id isResolved } } } } }";
    let asked = json!({ "query": query, "variables": { "owner": "acme", "name": "shop", "number": 1 } });
    let found = graphql.post("/graphql", &asked).expect(200).json();
    let thread = &found["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"][0];
    assert_eq!(thread["isResolved"], false);
    let query =
        "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }";
    let done =
        graphql.post("/api/graphql", &json!({ "query": query, "variables": { "id": thread["id"] } })).json();
    assert_eq!(done["data"]["resolveReviewThread"]["thread"]["isResolved"], true);
    assert!(forge.pull("acme/shop", 1).threads[0].is_resolved());
}

#[test]
fn comments_are_hidden_through_graphql_with_a_reason() {
    let forge = shop();
    forge.comment("acme/shop", 1, "bob", "old news");
    let github = writer(&forge);
    let node = github.get("/issues/1/comments").json()[0]["node_id"].as_str().unwrap().to_owned();
    let graphql = Client { prefix: String::new(), ..github };
    let query = format!(
        "mutation {{ minimizeComment(input: {{ subjectId: \"{node}\", classifier: OUTDATED }}) {{ minimizedComment {{ isMinimized }} }} }}"
    );
    let done = graphql.post("/graphql", &json!({ "query": query })).expect(200).json();
    assert_eq!(done["data"]["minimizeComment"]["minimizedComment"]["isMinimized"], true);
    assert_eq!(forge.pull("acme/shop", 1).comments[0].minimized.as_deref(), Some("OUTDATED"));
}
