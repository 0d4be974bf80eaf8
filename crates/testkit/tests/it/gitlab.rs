use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};
use testkit::forge::{Forge, Limits, PullSeed, PullState, Rights, Side};

use crate::github_pulls::shop;
use crate::http::Client;

const PROJECT: &str = "/api/v4/projects/acme%2Fshop";

fn gitlab(forge: &Forge) -> Client {
    let token = forge.token("reviewer", Rights::Write);
    Client::new(&forge.url(), PROJECT, Some(("private-token", &token)))
}

/// The position of a line in merge request 1.
fn position(client: &Client, old: Option<u32>, new: Option<u32>) -> Value {
    let refs = client.get("/merge_requests/1").expect(200).json()["diff_refs"].clone();
    json!({
        "position_type": "text", "base_sha": refs["base_sha"], "start_sha": refs["start_sha"],
        "head_sha": refs["head_sha"], "old_path": "list.txt", "new_path": "list.txt", "old_line": old, "new_line": new,
    })
}

fn discuss(client: &Client, position: &Value) -> crate::http::Reply {
    client.post("/merge_requests/1/discussions", &json!({ "body": "here", "position": position }))
}

fn code(old: u32, new: u32) -> String {
    let digest: String = Sha1::digest(b"list.txt").iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}_{old}_{new}")
}

#[test]
fn a_project_is_found_by_path_and_by_number_with_either_header() {
    let forge = shop();
    let token = forge.token("reader", Rights::Read);
    let id = forge.project_id("acme/shop");
    let bearer = Client::bearer(&forge.url(), &format!("/api/v4/projects/{id}"), &token);
    assert_eq!(bearer.get("").expect(200).json()["path_with_namespace"], "acme/shop");
    let private = Client::new(&forge.url(), PROJECT, Some(("private-token", &token)));
    assert_eq!(private.get("").expect(200).json()["id"], id);
    Client::new(&forge.url(), PROJECT, Some(("private-token", "glpat-wrong"))).get("").expect(401);
    let refused = Client::new(&forge.url(), PROJECT, None).get("").expect(404).json();
    assert_eq!(refused["message"], "404 Project Not Found");
}

#[test]
fn a_merge_request_is_the_pull_request_seen_from_here() {
    let forge = shop();
    let client = gitlab(&forge);
    let shown = client.get("/merge_requests/1").expect(200).json();
    assert_eq!(
        (&shown["iid"], &shown["state"], &shown["sha"]),
        (&json!(1), &json!("opened"), &json!(forge.pull("acme/shop", 1).head_sha))
    );
    assert_eq!(
        client.get("/merge_requests?source_branch=feature&state=opened").json().as_array().unwrap().len(),
        1
    );
    assert_eq!(client.get("/merge_requests?state=merged").json(), json!([]));
    client.get("/merge_requests/99").expect(404);
    client.put("/merge_requests/1", &json!({ "description": "why", "state_event": "close" })).expect(200);
    assert_eq!(forge.pull("acme/shop", 1).state, PullState::Closed);
}

#[test]
fn a_second_merge_request_for_a_branch_is_a_conflict() {
    let forge = shop();
    let client = gitlab(&forge);
    let wanted = json!({ "title": "T", "source_branch": "feature", "target_branch": "main" });
    let refused = client.post("/merge_requests", &wanted).expect(409).json();
    assert_eq!(
        refused["message"],
        json!(["Another open merge request already exists for this source branch: !1"])
    );
    let missing = client.post("/merge_requests", &json!({ "title": "T" })).expect(400).json();
    assert_eq!(missing["error"], "source_branch is missing, target_branch is missing");
    forge.fork("acme/shop", "mallory/shop");
    forge.commit("mallory/shop", "evil", &[("evil.txt", "evil\n")]);
    let fork = Client { prefix: "/api/v4/projects/mallory%2Fshop".to_owned(), ..client };
    let target = forge.project_id("acme/shop");
    let wanted = json!({ "title": "T", "source_branch": "evil", "target_branch": "main", "target_project_id": target });
    assert_eq!(fork.post("/merge_requests", &wanted).expect(201).json()["target_project_id"], target);
    assert_eq!(forge.pulls("acme/shop").len(), 2);
}

#[test]
fn each_kind_of_line_has_its_own_numbers() {
    let forge = shop();
    let client = gitlab(&forge);
    // Line 5 is changed: it is removed as old 5 and added as new 5. Line 6 is context.
    for (old, new, status) in [
        (None, Some(5), 201),
        (Some(5), None, 201),
        (Some(6), Some(6), 201),
        (Some(5), Some(5), 400),
        (None, Some(6), 400),
        (Some(6), None, 400),
        (None, Some(10), 400),
    ] {
        let answer = discuss(&client, &position(&client, old, new));
        assert_eq!(answer.status, status, "{old:?} {new:?}: {}", answer.text());
        if status == 400 {
            assert!(answer.json()["message"].as_str().unwrap().contains("line_code"));
        }
    }
    assert_eq!(forge.pull("acme/shop", 1).threads[1].anchor.as_ref().unwrap().side, Side::Left);
}

#[test]
fn the_three_commits_must_be_those_of_a_version_and_both_paths_are_needed() {
    let forge = shop();
    let client = gitlab(&forge);
    let good = position(&client, None, Some(5));
    let mut wrong = good.clone();
    wrong["head_sha"] = good["base_sha"].clone();
    discuss(&client, &wrong).expect(400);
    let mut missing = good.clone();
    missing.as_object_mut().unwrap().remove("start_sha");
    assert_eq!(discuss(&client, &missing).expect(400).json()["error"], "position[start_sha] is missing");
    let mut one_path = good.clone();
    one_path.as_object_mut().unwrap().remove("old_path");
    discuss(&client, &one_path).expect(400);
    // An earlier version still is one.
    forge.commit("acme/shop", "feature", &[("b.txt", "b\n")]);
    assert_eq!(client.get("/merge_requests/1/versions").expect(200).json().as_array().unwrap().len(), 2);
    discuss(&client, &good).expect(201);
}

#[test]
fn a_range_names_its_ends_by_their_codes() {
    let forge = shop();
    let client = gitlab(&forge);
    let mut place = position(&client, Some(6), Some(6));
    let end = |old: u32, new: u32, kind: &str| json!({ "line_code": code(old, new), "type": kind });
    // The added line 5 stands before the old line 6.
    place["line_range"] = json!({ "start": end(6, 5, "new"), "end": end(6, 6, "old") });
    let made = discuss(&client, &place).expect(201).json();
    assert_eq!(made["notes"][0]["position"]["line_range"]["start"]["line_code"], code(6, 5));
    place["line_range"] = json!({ "start": end(5, 9, "new"), "end": end(6, 6, "old") });
    discuss(&client, &place).expect(400);
    place["line_range"] = json!({ "start": end(6, 5, "old"), "end": end(6, 6, "old") });
    discuss(&client, &place).expect(400);
}

#[test]
fn discussions_are_answered_and_resolved() {
    let forge = shop();
    let client = gitlab(&forge);
    let made = discuss(&client, &position(&client, None, Some(5))).expect(201).json();
    let address = format!("/merge_requests/1/discussions/{}", made["id"].as_str().unwrap());
    client.post(&format!("{address}/notes"), &json!({ "body": "fixed" })).expect(201);
    client.put(&address, &json!({})).expect(400);
    let resolved = client.put(&format!("{address}?resolved=true"), &Value::Null).expect(200).json();
    assert_eq!(resolved["notes"][1]["resolved"], true);
    assert!(forge.pull("acme/shop", 1).threads[0].is_resolved());
    client.put("/merge_requests/1/discussions/unknown?resolved=true", &Value::Null).expect(404);
}

#[test]
fn notes_are_listed_newest_first_changed_and_paged() {
    let forge = shop();
    let client = gitlab(&forge);
    for number in 1..=3 {
        client.post("/merge_requests/1/notes", &json!({ "body": format!("note {number}") })).expect(201);
    }
    let page = client.get("/merge_requests/1/notes?per_page=2").expect(200);
    assert_eq!(page.json()[0]["body"], "note 3");
    assert_eq!((page.header("x-next-page"), page.header("x-total")), (Some("2"), Some("3")));
    assert!(page.header("link").unwrap().contains("rel=\"next\""));
    let last = client.get("/merge_requests/1/notes?per_page=2&page=2").expect(200);
    assert_eq!(last.header("x-next-page"), Some(""));
    let id = last.json()[0]["id"].clone();
    client.put(&format!("/merge_requests/1/notes/{id}"), &json!({ "body": "better" })).expect(200);
    assert_eq!(forge.pull("acme/shop", 1).comments[0].body, "better");
    assert_eq!(client.get("/merge_requests/1/discussions").json()[0]["individual_note"], true);
}

#[test]
fn large_files_come_without_their_diff() {
    let forge = shop();
    forge.commit("acme/shop", "feature", &[("long.txt", &"x\n".repeat(50)), ("wide.txt", &"y".repeat(5000))]);
    forge.set_limits(Limits { patch_lines: 20, patch_bytes: 4000, ..Limits::default() });
    let client = gitlab(&forge);
    let diffs = client.get("/merge_requests/1/diffs").expect(200).json();
    let file = |name: &str| diffs.as_array().unwrap().iter().find(|file| file["new_path"] == name).unwrap();
    assert_eq!((&file("long.txt")["collapsed"], &file("long.txt")["diff"]), (&json!(true), &json!("")));
    assert_eq!((&file("wide.txt")["too_large"], &file("wide.txt")["diff"]), (&json!(true), &json!("")));
    assert!(file("list.txt")["diff"].as_str().unwrap().starts_with("@@ -2,7 +2,7 @@"));
    assert_eq!(client.get("/merge_requests/1/changes").expect(200).json()["overflow"], true);
}

#[test]
fn a_status_moves_on_and_does_not_stand_still() {
    let forge = shop();
    let client = gitlab(&forge);
    let sha = forge.pull("acme/shop", 1).head_sha;
    let set =
        |state: &str| client.post(&format!("/statuses/{sha}"), &json!({ "state": state, "name": "review" }));
    set("running").expect(201);
    set("running").expect(400);
    set("failed").expect(201);
    set("neutral").expect(400);
    client.post(&format!("/statuses/{}", "0".repeat(40)), &json!({ "state": "success" })).expect(404);
    let listed = client.get(&format!("/repository/commits/{sha}/statuses")).expect(200).json();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["status"]), (1, &json!("failed")));
}

#[test]
fn reading_rights_do_not_write() {
    let forge = shop();
    let reader =
        Client::new(&forge.url(), PROJECT, Some(("private-token", &forge.token("reader", Rights::Read))));
    reader.get("/repository/branches/feature").expect(200);
    assert_eq!(
        reader.get("/repository/branches/missing").expect(404).json()["message"],
        "404 Branch Not Found"
    );
    let refused = reader.post("/merge_requests/1/notes", &json!({ "body": "hi" })).expect(403).json();
    assert_eq!(refused["error"], "insufficient_scope");
}

#[test]
fn a_renamed_file_is_commented_on_under_both_names() {
    let forge = shop();
    forge.edit("acme/shop", "rename", &[testkit::forge::Edit::Rename("list.txt", "other.txt")]);
    let changed =
        (1..=10).map(|number| if number == 5 { "five\n".to_owned() } else { format!("line {number}\n") });
    forge.commit("acme/shop", "rename", &[("other.txt", &changed.collect::<String>())]);
    let number = forge.open_pull("acme/shop", PullSeed::from("rename"));
    let client = gitlab(&forge);
    let refs = client.get(&format!("/merge_requests/{number}")).json()["diff_refs"].clone();
    let place = |old: &str| {
        json!({ "body": "here", "position": {
            "position_type": "text", "base_sha": refs["base_sha"], "start_sha": refs["start_sha"],
            "head_sha": refs["head_sha"], "old_path": old, "new_path": "other.txt", "new_line": 5,
        }})
    };
    let address = format!("/merge_requests/{number}/discussions");
    client.post(&address, &place("other.txt")).expect(400);
    client.post(&address, &place("list.txt")).expect(201);
}

#[test]
fn projects_can_be_paged_by_key_and_notes_cannot() {
    let forge = shop();
    forge.repository("acme/other");
    let client = Client { prefix: "/api/v4".to_owned(), ..gitlab(&forge) };
    let first = client.get("/projects?pagination=keyset&order_by=id&sort=asc&per_page=1").expect(200);
    assert_eq!((first.json().as_array().unwrap().len(), first.header("x-total")), (1, None));
    let link = first.header("link").unwrap();
    let next = link.trim_start_matches('<').split('>').next().unwrap().split("/api/v4").nth(1).unwrap();
    let second = client.get(next).expect(200);
    assert_eq!(
        (&second.json()[0]["path_with_namespace"], second.header("link")),
        (&json!("acme/other"), None)
    );
    client.get("/projects/acme%2Fshop/merge_requests/1/notes?pagination=keyset").expect(405);
}

#[test]
fn a_merge_needs_the_head_it_was_meant_for() {
    let forge = shop();
    let client = gitlab(&forge);
    client.put("/merge_requests/1/merge", &json!({ "sha": forge.branch("acme/shop", "main") })).expect(409);
    client.put("/merge_requests/1/merge", &json!({ "sha": forge.pull("acme/shop", 1).head_sha })).expect(200);
    assert_eq!(forge.pull("acme/shop", 1).state, PullState::Merged);
    client.put("/merge_requests/1/merge", &Value::Null).expect(405);
}
