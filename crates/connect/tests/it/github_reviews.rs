use serde_json::{Value, json};
use testkit::forge::Forge;

use super::table::{REPO, github, with_pull};

fn review(number: u64, comments: Value) -> Value {
    json!({"repo": REPO, "pr_number": number, "body": "Summary <!-- marker -->", "comments": comments})
}

#[tokio::test]
async fn a_review_is_written_at_once_with_all_its_comments() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let comments = json!([
        {"path": "src/a.rs", "line": 11, "start_line": 10, "body": "two lines"},
        {"path": "src/a.rs", "line": 20, "side": "LEFT", "body": "why gone?"},
        {"path": "new file.rs", "line": 1, "start_line": 1, "body": "one line"}]);
    let written = table.done("github_create_review", review(number, comments)).await;
    assert_eq!(written["state"], "COMMENTED");
    let said = table.done("github_get_pr_comments", json!({"repo": REPO, "pr_number": number})).await;
    let inline = said["review_comments"].as_array().unwrap();
    assert_eq!(inline.len(), 3);
    assert_eq!(
        (&inline[0]["start_line"], &inline[0]["line"], &inline[0]["side"]),
        (&json!(10), &json!(11), &json!("RIGHT"))
    );
    assert_eq!((&inline[1]["side"], &inline[1]["outdated"]), (&json!("LEFT"), &json!(false)));
    assert_eq!(inline[2].get("start_line"), None);
    assert_eq!(said["reviews"][0]["body"], "Summary <!-- marker -->");
}

#[tokio::test]
async fn a_line_outside_the_diff_refuses_the_whole_review() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let comments = json!([{"path": "src/a.rs", "line": 11, "body": "good"}, {"path": "src/a.rs", "line": 3, "body": "outside"}]);
    let refused = table.refused("github_create_review", review(number, comments)).await;
    assert_eq!((&refused["kind"], &refused["status"]), (&json!("invalid"), &json!(422)));
    assert!(refused["hint"].as_str().unwrap().contains("inside a hunk"), "{refused}");
    assert_eq!(refused["may_have_happened"], false);
    assert!(forge.pull(REPO, number).reviews.is_empty());
}

#[tokio::test]
async fn to_approve_is_not_offered() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let mut approval = review(number, json!([]));
    approval["event"] = json!("APPROVE");
    forge.forget_requests();
    assert_eq!(table.refused("github_create_review", approval).await["kind"], "invalid");
    assert!(forge.requests().is_empty());
}

#[tokio::test]
async fn a_thread_is_answered_resolved_and_opened_again() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let sha = forge.branch(REPO, "feature/x").unwrap();
    let one = json!({"repo": REPO, "pr_number": number, "commit_id": sha, "path": "src/a.rs", "line": 11, "body": "hm"});
    let comment = table.done("github_add_review_comment", one).await;
    let reply = json!({"repo": REPO, "pr_number": number, "comment_id": comment["id"], "body": "fixed"});
    let reply = table.done("github_reply_to_review_comment", reply).await;
    assert_eq!(reply["in_reply_to_id"], comment["id"]);
    let by_reply = json!({"repo": REPO, "pr_number": number, "comment_id": reply["id"]});
    let resolved = table.done("github_resolve_thread", by_reply.clone()).await;
    assert_eq!(resolved["resolved"], true);
    assert_eq!(table.done("github_resolve_thread", by_reply).await, resolved, "again is the same");
    let threads = table.done("github_get_review_threads", json!({"repo": REPO, "pr_number": number})).await;
    assert_eq!(
        (&threads["threads"][0]["resolved"], &threads["threads"][0]["thread_id"]),
        (&json!(true), &resolved["thread_id"])
    );
    let open =
        json!({"repo": REPO, "pr_number": number, "thread_id": resolved["thread_id"], "resolved": false});
    assert_eq!(table.done("github_resolve_thread", open).await["resolved"], false);
}

#[tokio::test]
async fn a_thread_of_another_pull_request_is_out_of_reach() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let foreign = json!({"repo": REPO, "pr_number": number, "thread_id": "PRRT_elsewhere"});
    assert_eq!(table.refused("github_resolve_thread", foreign).await["kind"], "not_found");
    assert_eq!(forge.requests().iter().filter(|asked| asked.body.contains("mutation")).count(), 0);
    let both = json!({"repo": REPO, "pr_number": number, "thread_id": "a", "comment_id": 1});
    assert_eq!(table.refused("github_resolve_thread", both).await["kind"], "invalid");
}

#[tokio::test]
async fn a_comment_is_written_and_changed() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    forge.comment(REPO, number, "bob", "hello");
    let table = github(&forge).await;
    let written =
        table.done("github_add_pr_comment", json!({"repo": REPO, "pr_number": number, "body": "one"})).await;
    let text = json!({"repo": REPO, "comment_id": written["id"], "body": "two"});
    assert_eq!(table.done("github_update_comment", text).await["body"], "two");
    let said = table.done("github_get_pr_comments", json!({"repo": REPO, "pr_number": number})).await;
    let bodies: Vec<&Value> =
        said["comments"].as_array().unwrap().iter().map(|comment| &comment["body"]).collect();
    assert_eq!(bodies, ["hello", "two"]);
}

#[tokio::test]
async fn long_conversations_are_read_to_their_end() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    for n in 0..230 {
        forge.comment(REPO, number, "bob", &n.to_string());
    }
    let table = github(&forge).await;
    let said = table.done("github_get_pr_comments", json!({"repo": REPO, "pr_number": number})).await;
    let comments = said["comments"].as_array().unwrap();
    assert_eq!((comments.len(), &said["complete"]), (230, &json!(true)));
    assert_eq!(comments[229]["body"], "229");
}
