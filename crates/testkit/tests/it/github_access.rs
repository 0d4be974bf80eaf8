use serde_json::json;
use testkit::forge::{Limits, Rights};

use crate::github_pulls::shop;
use crate::http::Client;

fn with(forge: &testkit::forge::Forge, rights: Rights) -> Client {
    Client::bearer(&forge.url(), "/repos/acme/shop", &forge.token("somebody", rights))
}

#[test]
fn what_is_private_looks_as_if_it_were_not_there() {
    let forge = shop();
    let nobody = Client::new(&forge.url(), "/repos/acme/shop", None);
    nobody.get("/pulls/1").expect(404);
    with(&forge, Rights::None).get("/pulls/1").expect(404);
    Client::bearer(&forge.url(), "/repos/acme/shop", "ghp_wrong").get("/pulls/1").expect(401);
    forge.make_public("acme/shop");
    nobody.get("/pulls/1").expect(200);
    nobody.post("/issues/1/comments", &json!({ "body": "hi" })).expect(401);
}

#[test]
fn a_token_is_good_for_its_repositories_only() {
    let forge = shop();
    forge.repository("acme/other");
    let token = forge.token_for("somebody", Rights::Write, &["acme/other"]);
    let client = Client::bearer(&forge.url(), "/repos", &token);
    client.get("/acme/shop").expect(404);
    client.get("/acme/other").expect(200);
    forge.revoke(&token);
    client.get("/acme/other").expect(401);
}

#[test]
fn who_may_read_may_not_write() {
    let forge = shop();
    let reader = with(&forge, Rights::Read);
    reader.get("/pulls/1").expect(200);
    let refused = reader.post("/issues/1/comments", &json!({ "body": "hi" })).expect(403).json();
    assert_eq!(refused["message"], "Resource not accessible by personal access token");
    assert!(forge.pull("acme/shop", 1).comments.is_empty());
}

#[test]
fn only_apps_create_check_runs_and_only_for_commits_that_exist() {
    let forge = shop();
    let sha = forge.pull("acme/shop", 1).head_sha;
    let run = |sha: &str| json!({ "name": "review", "head_sha": sha, "status": "in_progress" });
    with(&forge, Rights::Write).post("/check-runs", &run(&sha)).expect(403);
    let app = with(&forge, Rights::Checks);
    app.post("/check-runs", &run("0123456789012345678901234567890123456789")).expect(422);
    let made = app.post("/check-runs", &run(&sha)).expect(201).json();
    let address = format!("/check-runs/{}", made["id"]);
    app.patch(&address, &json!({ "status": "completed" })).expect(422);
    app.patch(&address, &json!({ "conclusion": "failure" })).expect(200);
    assert_eq!(forge.check_runs("acme/shop", &sha)[0].conclusion.as_deref(), Some("failure"));
}

#[test]
fn the_newest_status_of_each_name_counts() {
    let forge = shop();
    let (sha, client) = (forge.pull("acme/shop", 1).head_sha, with(&forge, Rights::Write));
    let state = |state: &str| json!({ "state": state, "context": "review" });
    client.post(&format!("/statuses/{sha}"), &state("pending")).expect(201);
    assert_eq!(client.get(&format!("/commits/{sha}/status")).json()["state"], "pending");
    client.post(&format!("/statuses/{sha}"), &state("success")).expect(201);
    assert_eq!(client.get(&format!("/commits/{sha}/status")).json()["state"], "success");
    client.post(&format!("/statuses/{sha}"), &state("neutral")).expect(422);
    client.post(&format!("/statuses/{}", "0".repeat(40)), &state("success")).expect(422);
    assert_eq!(forge.statuses("acme/shop", &sha).len(), 2);
}

#[test]
fn an_answer_already_known_costs_nothing() {
    let forge = shop();
    let client = with(&forge, Rights::Read);
    let first = client.get("/pulls/1").expect(200);
    let left = |reply: &crate::http::Reply| reply.header("x-ratelimit-remaining").unwrap().to_owned();
    let etag = first.header("etag").unwrap().to_owned();
    let second = client.get_with("/pulls/1", &[("if-none-match", &etag)]).expect(304);
    assert_eq!((left(&first), left(&second)), ("4999".to_owned(), "4999".to_owned()));
    forge.comment("acme/shop", 1, "bob", "news");
    let third = client.get_with("/pulls/1", &[("if-none-match", &etag)]).expect(200);
    assert_eq!(left(&third), "4998");
}

#[test]
fn a_used_up_quota_says_when_it_is_renewed() {
    let forge = shop();
    let token = forge.token("busy", Rights::Write);
    let client = Client::bearer(&forge.url(), "/repos/acme/shop", &token);
    forge.set_remaining(&token, 1);
    client.get("/pulls/1").expect(200);
    let refused = client.post("/issues/1/comments", &json!({ "body": "hi" })).expect(403);
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    assert!(refused.header("x-ratelimit-reset").unwrap().parse::<u64>().unwrap() > 1_700_000_000);
    assert!(forge.pull("acme/shop", 1).comments.is_empty());
    let account = Client { prefix: String::new(), ..client };
    assert_eq!(account.get("/rate_limit").expect(200).json()["rate"]["remaining"], 0);
}

#[test]
fn a_branch_is_there_or_not_found() {
    let forge = shop();
    forge.commit("acme/shop", "topic/with-slash", &[("b.txt", "b\n")]);
    let client = with(&forge, Rights::Read);
    for path in
        ["/branches/topic/with-slash", "/branches/topic%2Fwith-slash", "/git/ref/heads/topic/with-slash"]
    {
        client.get(path).expect(200);
    }
    assert_eq!(client.get("/branches/missing").expect(404).json()["message"], "Branch not found");
}

#[test]
fn a_merge_needs_the_head_it_was_meant_for() {
    let forge = shop();
    let client = with(&forge, Rights::Write);
    client.put("/pulls/1/merge", &json!({ "sha": forge.branch("acme/shop", "main") })).expect(409);
    client.get("/pulls/1/merge").expect(404);
    client.put("/pulls/1/merge", &json!({})).expect(200);
    client.get("/pulls/1/merge").expect(204);
    client.put("/pulls/1/merge", &json!({})).expect(405);
    client.patch("/pulls/1", &json!({ "state": "open" })).expect(422);
}

#[test]
fn another_target_makes_another_diff() {
    let forge = shop();
    forge.commit("acme/shop", "release", &[("only-there.txt", "x\n")]);
    forge.commit("acme/shop", "feature", &[("new.txt", "new\n")]);
    let client = with(&forge, Rights::Write);
    client.patch("/pulls/1", &json!({ "base": "missing" })).expect(422);
    let changed = client.patch("/pulls/1", &json!({ "base": "release" })).expect(200).json();
    assert_eq!(changed["base"]["sha"], forge.branch("acme/shop", "release").unwrap());
    assert_eq!(changed["changed_files"], 2);
}

#[test]
fn many_at_once_are_all_heard_once() {
    let forge = shop();
    let client = with(&forge, Rights::Write);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let client = &client;
            scope.spawn(move || {
                client.post("/issues/1/comments", &json!({ "body": format!("{number}") })).expect(201)
            });
        }
    });
    let mut said: Vec<String> =
        forge.pull("acme/shop", 1).comments.iter().map(|comment| comment.body.clone()).collect();
    said.sort();
    assert_eq!(said, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn a_fork_is_a_repository_of_its_own_whose_pull_requests_are_in_the_parent() {
    let forge = shop();
    forge.fork("acme/shop", "mallory/shop");
    forge.commit("mallory/shop", "evil", &[("evil.txt", "evil\n")]);
    let mallory = Client::bearer(&forge.url(), "/repos/acme/shop", &forge.token("mallory", Rights::Write));
    let wanted = json!({ "title": "Trust me", "head": "mallory:evil", "base": "main" });
    let opened = mallory.post("/pulls", &wanted).expect(201).json();
    assert_eq!(
        (&opened["head"]["repo"]["fork"], &opened["head"]["label"]),
        (&json!(true), &json!("mallory:evil"))
    );
    assert_eq!(mallory.get("/pulls?head=mallory:evil").json().as_array().unwrap().len(), 1);
    assert_eq!(mallory.get("/pulls?head=acme:evil").json(), json!([]));
    forge.delete_repository("mallory/shop");
    assert!(
        mallory.get(&format!("/pulls/{}", opened["number"])).expect(200).json()["head"]["repo"].is_null()
    );
}

#[test]
fn files_are_listed_in_pages_up_to_a_limit() {
    let forge = shop();
    let names: Vec<String> = (0..7).map(|number| format!("file-{number}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    forge.commit("acme/shop", "feature", &files);
    forge.set_limits(Limits { listed_files: 5, ..Limits::default() });
    let client = with(&forge, Rights::Read);
    let count = |page: usize| {
        client
            .get(&format!("/pulls/1/files?per_page=3&page={page}"))
            .expect(200)
            .json()
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!([count(1), count(2), count(3)], [3, 2, 0]);
    assert_eq!(client.get("/pulls/1").json()["changed_files"], 8);
}
