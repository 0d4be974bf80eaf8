use serde_json::json;
use testkit::forge::{Fault, Forge, Limits, PullSeed};

use super::table::{REPO, gitlab, with_pull};

#[tokio::test]
async fn a_merge_request_is_read_by_number_and_by_branch() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let by_path = table.done("gitlab_get_mr", json!({"project": REPO, "mr_iid": iid})).await;
    assert_eq!(
        (&by_path["title"], &by_path["state"], &by_path["author"]),
        (&json!("Ten"), &json!("opened"), &json!("alice"))
    );
    assert_eq!(by_path["diff_refs"]["head_sha"], forge.branch(REPO, "feature/x").unwrap());
    let by_id = table
        .done("gitlab_get_mr", json!({"project": forge.project_id(REPO).to_string(), "mr_iid": iid}))
        .await;
    assert_eq!(by_path, by_id);
    let by_branch =
        table.done("gitlab_get_mr_by_branch", json!({"project": REPO, "source_branch": "feature/x"})).await;
    assert_eq!(by_branch["merge_request"], by_path);
    let none =
        table.done("gitlab_get_mr_by_branch", json!({"project": REPO, "source_branch": "other"})).await;
    assert_eq!(none, json!({}));
}

#[tokio::test]
async fn the_projects_own_branch_comes_before_one_of_a_fork() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    forge.fork(REPO, "mallory/shop");
    forge.commit("mallory/shop", "feature/x", &[("x", "y")]);
    let foreign = forge.open_pull(REPO, PullSeed::from("feature/x").fork("mallory/shop").by("mallory"));
    let table = gitlab(&forge).await;
    let found =
        table.done("gitlab_get_mr_by_branch", json!({"project": REPO, "source_branch": "feature/x"})).await;
    assert_eq!(
        (&found["merge_request"]["iid"], &found["merge_request"]["from_fork"]),
        (&json!(iid), &json!(false))
    );
    let other = table.done("gitlab_get_mr", json!({"project": REPO, "mr_iid": foreign})).await;
    assert_eq!(other["from_fork"], true);
}

#[tokio::test]
async fn the_diff_names_the_commits_it_is_between() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let diff = table.done("gitlab_get_mr_diff", json!({"project": REPO, "mr_iid": iid})).await;
    let text = diff["diff"].as_str().unwrap();
    assert!(text.contains("diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@"), "{text}");
    assert!(text.contains("new file mode 100644\n--- /dev/null\n+++ b/new file.rs\t\n@@"), "{text}");
    assert_eq!(diff["head_sha"], forge.branch(REPO, "feature/x").unwrap());
    assert_eq!(diff["base_sha"], forge.branch(REPO, "main").unwrap());
    assert_eq!((&diff["complete"], diff["files"].as_array().unwrap().len()), (&json!(true), 2));
}

#[tokio::test]
async fn what_gitlab_withholds_is_said() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    forge.set_limits(Limits { patch_lines: 2, ..Limits::default() });
    let table = gitlab(&forge).await;
    let diff = table.done("gitlab_get_mr_diff", json!({"project": REPO, "mr_iid": iid})).await;
    assert_eq!((&diff["complete"], &diff["omitted"]), (&json!(false), &json!(["src/a.rs"])));
}

#[tokio::test]
async fn many_files_are_read_page_by_page() {
    let forge = Forge::start();
    forge.repository(REPO);
    let names: Vec<String> = (0..130).map(|n| format!("f{n:03}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    forge.commit(REPO, "many", &files);
    let iid = forge.open_pull(REPO, PullSeed::from("many").by("alice"));
    let table = gitlab(&forge).await;
    let diff = table.done("gitlab_get_mr_diff", json!({"project": REPO, "mr_iid": iid})).await;
    assert_eq!((diff["files"].as_array().unwrap().len(), &diff["complete"]), (130, &json!(true)));
}

#[tokio::test]
async fn a_merge_request_is_opened_once() {
    let forge = Forge::start();
    forge.repository(REPO);
    forge.commit(REPO, "work", &[("a", "b")]);
    let table = gitlab(&forge).await;
    let wanted = json!({"project": REPO, "title": "T", "source_branch": "work", "target_branch": "main", "draft": true});
    let first = table.done("gitlab_create_mr", wanted.clone()).await;
    let second = table.done("gitlab_create_mr", wanted).await;
    assert_eq!((&first["created"], &second["created"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&first["merge_request"]["iid"], &first["merge_request"]["draft"]),
        (&second["merge_request"]["iid"], &json!(true))
    );
    assert_eq!(forge.pulls(REPO).len(), 1);
}

#[tokio::test]
async fn a_merge_request_is_changed() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let changes = json!({"project": REPO, "mr_iid": iid, "title": "New", "state_event": "close"});
    let changed = table.done("gitlab_update_mr", changes).await;
    assert_eq!((&changed["title"], &changed["state"]), (&json!("New"), &json!("closed")));
}

#[tokio::test]
async fn a_verdict_is_a_status_and_may_be_said_twice() {
    let forge = Forge::start();
    with_pull(&forge);
    let sha = forge.branch(REPO, "feature/x").unwrap();
    let table = gitlab(&forge).await;
    let status = json!({"project": REPO, "sha": sha, "state": "failed", "name": "countersign", "description": "2 findings"});
    let first = table.done("gitlab_create_commit_status", status.clone()).await;
    assert_eq!((&first["status"], &first["name"]), (&json!("failed"), &json!("countersign")));
    let second = table.done("gitlab_create_commit_status", status).await;
    assert_eq!(second["status"], "failed");
    let all = table.done("gitlab_get_commit_statuses", json!({"project": REPO, "sha": sha})).await;
    assert_eq!(all["statuses"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_branch_exists_or_is_not_found() {
    let forge = Forge::start();
    with_pull(&forge);
    let table = gitlab(&forge).await;
    let branch = table.done("gitlab_get_branch", json!({"project": REPO, "branch": "feature/x"})).await;
    assert_eq!(
        (&branch["name"], &branch["sha"]),
        (&json!("feature/x"), &json!(forge.branch(REPO, "feature/x").unwrap()))
    );
    assert_eq!(
        table.refused("gitlab_get_branch", json!({"project": REPO, "branch": "gone"})).await["kind"],
        "not_found"
    );
    assert_eq!(
        table.refused("gitlab_get_branch", json!({"project": "../../user", "branch": "main"})).await["kind"],
        "invalid"
    );
    assert_eq!(table.done("gitlab_get_me", json!({})).await["username"], "reviewer");
}

#[tokio::test]
async fn limits_and_errors_are_told_in_the_same_words() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let ask = json!({"project": REPO, "mr_iid": iid});
    for (fault, kind) in [
        (Fault::on("GET", "/api/v4/**").primary_limit(600), "rate_limited"),
        (Fault::on("GET", "/api/v4/**").status(401), "unauthorised"),
        (Fault::on("GET", "/api/v4/**").status(403), "forbidden"),
        (Fault::on("GET", "/api/v4/**").maintenance(200), "unreadable"),
    ] {
        forge.fault(fault);
        assert_eq!(table.refused("gitlab_get_mr", ask.clone()).await["kind"], kind);
    }
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    let ask = json!({"project": REPO, "mr_iid": iid});
    let first = table.done("gitlab_get_mr", ask.clone()).await;
    assert_eq!(table.done("gitlab_get_mr", ask).await, first);
    let statuses: Vec<u16> = forge.requests().iter().filter_map(|asked| asked.status).collect();
    assert_eq!(statuses, [200, 304]);
}

#[tokio::test]
async fn a_short_wait_is_waited() {
    let forge = Forge::start();
    let iid = with_pull(&forge);
    let table = gitlab(&forge).await;
    forge.fault(Fault::on("POST", "/api/v4/**").primary_limit(1));
    table.done("gitlab_add_mr_note", json!({"project": REPO, "mr_iid": iid, "body": "once"})).await;
    assert_eq!((forge.pull(REPO, iid).comments.len(), forge.faults_left()), (1, 0));
}
