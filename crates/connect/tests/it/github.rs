use serde_json::json;
use testkit::forge::{Forge, Limits, PullSeed, PullState, Rights};

use super::table::{REPO, Table, github, github_with, with_pull};

#[tokio::test]
async fn a_pull_request_is_read_by_number_and_by_branch() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let pull = table.done("github_get_pr", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!(
        (&pull["title"], &pull["body"], &pull["state"]),
        (&json!("Ten"), &json!("Why"), &json!("open"))
    );
    assert_eq!((&pull["author"], &pull["from_fork"]), (&json!("alice"), &json!(false)));
    assert_eq!(pull["head"]["sha"], forge.branch(REPO, "feature/x").unwrap());
    let found = table.done("github_get_pr_by_branch", json!({"repo": REPO, "branch": "feature/x"})).await;
    assert_eq!(found["pull_request"]["number"], number);
    let none = table.done("github_get_pr_by_branch", json!({"repo": REPO, "branch": "other"})).await;
    assert_eq!(none, json!({}));
}

#[tokio::test]
async fn a_closed_pull_request_is_found_where_it_is_asked_for() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    forge.set_pull_state(REPO, number, PullState::Merged);
    let table = github(&forge).await;
    let open = json!({"repo": REPO, "branch": "feature/x"});
    assert_eq!(table.done("github_get_pr_by_branch", open).await, json!({}));
    let all = json!({"repo": REPO, "branch": "feature/x", "state": "all"});
    assert_eq!(table.done("github_get_pr_by_branch", all).await["pull_request"]["merged"], true);
}

#[tokio::test]
async fn a_change_from_a_fork_is_known_as_such() {
    let forge = Forge::start();
    with_pull(&forge);
    forge.fork(REPO, "mallory/shop");
    forge.commit("mallory/shop", "evil", &[("x", "y")]);
    let number = forge.open_pull(REPO, PullSeed::from("evil").fork("mallory/shop").by("mallory"));
    let table = github(&forge).await;
    let pull = table.done("github_get_pr", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!((&pull["from_fork"], &pull["head"]["repo"]), (&json!(true), &json!("mallory/shop")));
    let by_owner = json!({"repo": REPO, "branch": "evil", "head_owner": "mallory"});
    assert_eq!(table.done("github_get_pr_by_branch", by_owner).await["pull_request"]["number"], number);
}

#[tokio::test]
async fn the_diff_is_the_one_that_git_shows() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let diff = table.done("github_get_pr_diff", json!({"repo": REPO, "pr_number": number})).await;
    let text = diff["diff"].as_str().unwrap();
    assert!(text.contains("+line ten and a half\n") && text.contains("+++ b/new file.rs"), "{text}");
    assert_eq!((&diff["complete"], &diff["omitted"]), (&json!(true), &json!([])));
    assert_eq!(diff["head_sha"], forge.branch(REPO, "feature/x").unwrap());
}

#[tokio::test]
async fn a_diff_that_is_too_large_comes_from_its_files() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    forge.set_limits(Limits { diff_files: 1, ..Limits::default() });
    let table = github(&forge).await;
    let diff = table.done("github_get_pr_diff", json!({"repo": REPO, "pr_number": number})).await;
    let text = diff["diff"].as_str().unwrap();
    assert!(text.contains("diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@"), "{text}");
    assert!(text.contains("new file mode 100644\n--- /dev/null\n+++ b/new file.rs\t\n"), "{text}");
    assert_eq!(diff["complete"], true);
}

#[tokio::test]
async fn what_github_withholds_is_said() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    forge.set_limits(Limits { diff_files: 1, patch_lines: 2, ..Limits::default() });
    let table = github(&forge).await;
    let diff = table.done("github_get_pr_diff", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!((&diff["complete"], &diff["omitted"]), (&json!(false), &json!(["src/a.rs"])));
    let files = table.done("github_get_pr_files", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!(files["files"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_pull_request_is_opened_once() {
    let forge = Forge::start();
    forge.repository(REPO);
    forge.commit(REPO, "work", &[("a", "b")]);
    let table = github(&forge).await;
    let wanted = json!({"repo": REPO, "title": "T", "head": "work", "base": "main", "body": "PROJ-1"});
    let first = table.done("github_create_pr", wanted.clone()).await;
    let second = table.done("github_create_pr", wanted).await;
    assert_eq!((&first["created"], &second["created"]), (&json!(true), &json!(false)));
    assert_eq!(first["pull_request"]["number"], second["pull_request"]["number"]);
    assert_eq!(forge.pulls(REPO).len(), 1);
}

#[tokio::test]
async fn a_pull_request_is_changed() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let changes = json!({"repo": REPO, "pr_number": number, "title": "New", "state": "closed"});
    let pull = table.done("github_update_pr", changes).await;
    assert_eq!(
        (&pull["title"], &pull["state"], &pull["body"]),
        (&json!("New"), &json!("closed"), &json!("Why"))
    );
    let nothing = table.refused("github_update_pr", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!(nothing["kind"], "invalid");
}

#[tokio::test]
async fn a_branch_exists_or_is_not_found() {
    let forge = Forge::start();
    with_pull(&forge);
    let table = github(&forge).await;
    let branch = table.done("github_get_branch", json!({"repo": REPO, "branch": "feature/x"})).await;
    assert_eq!(
        (&branch["name"], &branch["sha"]),
        (&json!("feature/x"), &json!(forge.branch(REPO, "feature/x").unwrap()))
    );
    let gone = table.refused("github_get_branch", json!({"repo": REPO, "branch": "gone"})).await;
    assert_eq!((&gone["kind"], &gone["status"]), (&json!("not_found"), &json!(404)));
    assert_eq!(table.done("github_get_me", json!({})).await["login"], "reviewer");
}

#[tokio::test]
async fn a_verdict_is_a_check_run_for_an_app_and_a_status_for_everybody() {
    let forge = Forge::start();
    with_pull(&forge);
    let sha = forge.branch(REPO, "feature/x").unwrap();
    let table = github(&forge).await;
    let run = json!({"repo": REPO, "head_sha": sha, "name": "countersign", "conclusion": "failure",
        "title": "2 findings", "summary": "Two.", "external_id": "r1"});
    let refused = table.refused("github_create_check_run", run.clone()).await;
    assert_eq!(refused["kind"], "forbidden");
    assert!(refused["hint"].as_str().unwrap().contains("github_create_commit_status"), "{refused}");
    let status = json!({"repo": REPO, "sha": sha, "state": "failure", "context": "countersign", "description": "x".repeat(500)});
    let said = table.done("github_create_commit_status", status).await;
    assert_eq!(said["description"].as_str().unwrap().chars().count(), 140);

    let app = github_with(&forge, &forge.token("countersign[bot]", Rights::Checks)).await;
    let made = app.done("github_create_check_run", run).await;
    assert_eq!((&made["conclusion"], &made["title"]), (&json!("failure"), &json!("2 findings")));
    let change =
        json!({"repo": REPO, "check_run_id": made["id"], "conclusion": "success", "status": "completed"});
    assert_eq!(app.done("github_update_check_run", change).await["conclusion"], "success");
    let checks = table.done("github_get_check_runs", json!({"repo": REPO, "ref": sha})).await;
    assert_eq!(
        (&checks["state"], &checks["statuses"][0]["context"]),
        (&json!("failure"), &json!("countersign"))
    );
    assert_eq!(checks["check_runs"][0]["external_id"], "r1");
}

#[tokio::test]
async fn a_completed_check_says_how_it_ended() {
    let forge = Forge::start();
    with_pull(&forge);
    let table = github(&forge).await;
    let run = json!({"repo": REPO, "head_sha": "a".repeat(40), "name": "countersign"});
    forge.forget_requests();
    assert_eq!(table.refused("github_create_check_run", run).await["kind"], "invalid");
    assert!(forge.requests().is_empty());
}

#[tokio::test]
async fn many_files_are_read_page_by_page() {
    let forge = Forge::start();
    forge.repository(REPO);
    let names: Vec<String> = (0..130).map(|n| format!("f{n:03}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    forge.commit(REPO, "many", &files);
    let number = forge.open_pull(REPO, PullSeed::from("many").by("alice"));
    let table = github(&forge).await;
    let read = table.done("github_get_pr_files", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!((read["files"].as_array().unwrap().len(), &read["complete"]), (130, &json!(true)));
}

#[tokio::test]
async fn only_comments_that_countersign_posted_with_this_token_are_deleted() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    for token in [forge.token("bot", Rights::Write), forge.token("countersign[bot]", Rights::Checks)] {
        let table = github_with(&forge, &token).await;
        let alice = github_with(&forge, &forge.token("alice", Rights::Write)).await;
        let said = async |by: &Table, body: &str| {
            let comment = json!({"repo": REPO, "pr_number": number, "body": body});
            let id = by.done("github_add_pr_comment", comment).await["id"].clone();
            json!({"repo": REPO, "comment_id": id})
        };
        let ours = said(&table, "<!-- countersign:v1 kind=batch -->\nx").await;
        assert!(table.done("github_delete_comment", ours).await["deleted"].is_number());
        let unmarked = said(&table, "x\n<!-- countersign:v1 kind=batch -->").await;
        let copied = said(&alice, "<!-- countersign:v1 kind=batch -->\nx").await;
        for (kept, why) in [(unmarked, "no marker"), (copied, "somebody else")] {
            let refused = table.refused("github_delete_comment", kept).await;
            assert_eq!(refused["kind"], "forbidden", "{refused}");
            assert!(refused["message"].as_str().unwrap().contains(why), "{refused}");
        }
    }
    assert_eq!(forge.pull(REPO, number).comments.len(), 4);
}
