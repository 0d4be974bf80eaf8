//! What goes wrong between here and a service.

use std::time::Duration;

use connect::servers::{Patience, Service};
use serde_json::{Value, json};
use testkit::Port;
use testkit::forge::{Fault, Forge, Rights};

use super::table::{REPO, Table, github, github_with, patience, settings, with_pull};

const GET: &str = "/repos/*/*/pulls/*";
const COMMENT: &str = "/repos/*/*/issues/*/comments";

fn pull(number: u64) -> Value {
    json!({"repo": REPO, "pr_number": number})
}

fn comment(number: u64) -> Value {
    json!({"repo": REPO, "pr_number": number, "body": "hi"})
}

#[tokio::test]
async fn each_refusal_has_its_kind_and_says_what_to_do() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    for (status, kind) in [
        (400, "invalid"),
        (401, "unauthorised"),
        (403, "forbidden"),
        (404, "not_found"),
        (409, "conflict"),
        (410, "not_found"),
        (422, "invalid"),
    ] {
        forge.fault(Fault::on("POST", COMMENT).status(status));
        let error = table.refused("github_add_pr_comment", comment(number)).await;
        assert_eq!((&error["kind"], &error["status"]), (&json!(kind), &json!(status)));
        assert!(error["message"].as_str().unwrap().contains("fault with status"), "{error}");
        assert_eq!(error["may_have_happened"], false);
    }
    assert!(forge.pull(REPO, number).comments.is_empty());
}

#[tokio::test]
async fn a_wrong_token_is_not_accepted() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let token = forge.token("x", Rights::Write);
    forge.revoke(&token);
    let table = github_with(&forge, &token).await;
    assert_eq!(table.refused("github_get_pr", pull(number)).await["kind"], "unauthorised");
}

#[tokio::test]
async fn what_only_reads_is_tried_again() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    for fault in [
        Fault::on("GET", GET).status(502),
        Fault::on("GET", GET).maintenance(503),
        Fault::on("GET", GET).cut_before(),
        Fault::on("GET", GET).truncated(),
    ] {
        forge.fault(fault.times(2));
        let table = github(&forge).await;
        assert_eq!(table.done("github_get_pr", pull(number)).await["number"], number);
        assert_eq!(forge.faults_left(), 0);
    }
    forge.fault(Fault::on("GET", GET).status(500).always());
    let table = github(&forge).await;
    assert_eq!(table.refused("github_get_pr", pull(number)).await["kind"], "unavailable");
}

#[tokio::test]
async fn what_writes_is_sent_once_and_may_have_happened() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let faults = [
        Fault::on("POST", COMMENT).cut_after(),
        Fault::on("POST", COMMENT).truncated(),
        Fault::on("POST", COMMENT).status(502),
    ];
    for fault in faults {
        forge.fault(fault);
        let error = table.refused("github_add_pr_comment", comment(number)).await;
        assert_eq!(
            (&error["kind"], &error["may_have_happened"]),
            (&json!("unavailable"), &json!(true)),
            "{error}"
        );
    }
    assert_eq!(forge.writes().len(), 3);
    assert_eq!(forge.pull(REPO, number).comments.len(), 2);
}

#[tokio::test]
async fn what_was_never_sent_is_tried_again_even_if_it_writes() {
    let port = Port::reserve();
    let nobody = format!("http://127.0.0.1:{}", port.number());
    let table = Table::with(&settings(
        Service::Github,
        &[("GITHUB_API_URL", &nobody), ("GITHUB_TOKEN", "token-of-mine")],
    ))
    .await;
    let error = table.refused("github_add_pr_comment", comment(1)).await;
    assert_eq!((&error["kind"], &error["may_have_happened"]), (&json!("unavailable"), &json!(false)));
    assert!(error["hint"].as_str().unwrap().contains("nothing was sent"), "{error}");
}

#[tokio::test]
async fn a_page_for_people_is_no_answer() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    forge.fault(Fault::on("GET", GET).maintenance(200).always());
    let error = table.refused("github_get_pr", pull(number)).await;
    assert_eq!(error["kind"], "unreadable");
    assert!(error["message"].as_str().unwrap().contains("text/html"), "{error}");
    forge.heal();
    forge.fault(Fault::on("GET", GET).answer(200, "application/json", "[1, 2"));
    assert_eq!(table.refused("github_get_pr", pull(number)).await["kind"], "unreadable");
    forge.fault(Fault::on("GET", GET).answer(200, "application/json", "{}"));
    assert_eq!(table.refused("github_get_pr", pull(number)).await["kind"], "unreadable");
}

#[tokio::test]
async fn whoever_says_nothing_is_given_up() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let token = forge.token("reviewer", Rights::Write);
    let mut settings =
        settings(Service::Github, &[("GITHUB_API_URL", &forge.github_url()), ("GITHUB_TOKEN", &token)]);
    settings.patience = Patience { silence: Duration::from_secs(2), tries: 1, ..patience() };
    let table = Table::with(&settings).await;
    forge.fault(Fault::on("POST", COMMENT).slow(Duration::from_secs(30)));
    let error = table.refused("github_add_pr_comment", comment(number)).await;
    assert_eq!((&error["kind"], &error["may_have_happened"]), (&json!("unavailable"), &json!(true)));
    assert!(error["message"].as_str().unwrap().contains("in time"), "{error}");
}

#[tokio::test]
async fn the_token_is_never_taken_to_another_host() {
    let (forge, other) = (Forge::start(), Forge::start());
    let number = with_pull(&forge);
    let table = github(&forge).await;
    for status in [301, 302, 307, 308] {
        forge.fault(Fault::on("GET", GET).redirect(status, &format!("{}/repos/x/y/pulls/1", other.url())));
        let error = table.refused("github_get_pr", pull(number)).await;
        assert_eq!(error["kind"], "unreadable");
        assert!(error["message"].as_str().unwrap().contains("another host"), "{error}");
        forge.fault(Fault::on("POST", COMMENT).redirect(status, &other.url()));
        assert_eq!(table.refused("github_add_pr_comment", comment(number)).await["kind"], "unreadable");
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_redirect_within_the_host_is_followed_where_nothing_changes_its_meaning() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let moved = format!("{}/repos/{REPO}/pulls/{number}", forge.github_url());
    forge.fault(Fault::on("GET", "/repos/*/*/branches/*").redirect(301, &moved));
    let error = table.refused("github_get_branch", json!({"repo": REPO, "branch": "main"})).await;
    assert_eq!(error["kind"], "unreadable", "it was followed, and is no branch: {error}");
    assert_eq!(forge.requests().last().unwrap().path, format!("/api/v3/repos/{REPO}/pulls/{number}"));
    let here = format!("{}/repos/{REPO}/issues/{number}/comments", forge.github_url());
    forge.fault(Fault::on("POST", COMMENT).redirect(307, &here));
    table.done("github_add_pr_comment", comment(number)).await;
    forge.fault(Fault::on("POST", COMMENT).redirect(302, &here));
    assert_eq!(table.refused("github_add_pr_comment", comment(number)).await["kind"], "unreadable");
    forge.fault(Fault::on("GET", GET).redirect(302, &moved).always());
    let circles = table.refused("github_get_pr", pull(number)).await;
    assert!(circles["message"].as_str().unwrap().contains("circles"), "{circles}");
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    let first = table.done("github_get_pr", pull(number)).await;
    let second = table.done("github_get_pr", pull(number)).await;
    assert_eq!(first, second);
    let statuses: Vec<u16> = forge.requests().iter().filter_map(|asked| asked.status).collect();
    assert_eq!(statuses, [200, 304]);
    table.done("github_update_pr", json!({"repo": REPO, "pr_number": number, "title": "Changed"})).await;
    assert_eq!(table.done("github_get_pr", pull(number)).await["title"], "Changed");
}

#[tokio::test]
async fn hostile_names_send_nothing() {
    let forge = Forge::start();
    with_pull(&forge);
    let table = github(&forge).await;
    forge.forget_requests();
    for arguments in [
        json!({"repo": "../../user", "pr_number": 1}),
        json!({"repo": "acme/..", "pr_number": 1}),
        json!({"repo": "acme/shop/../../user", "pr_number": 1}),
        json!({"repo": REPO, "pr_number": "1/../../../user"}),
        json!({"repo": REPO, "pr_number": -1}),
        json!({"repo": REPO, "pr_number": 0}),
        json!({"repo": REPO, "pr_number": 1.5}),
        json!({"repo": REPO, "pr_number": 1, "extra": true}),
        json!({"repo": REPO}),
    ] {
        let error = table.refused("github_get_pr", arguments.clone()).await;
        assert_eq!(error["kind"], "invalid", "{arguments}");
    }
    let branch = json!({"repo": REPO, "branch": "../../../user"});
    assert_eq!(table.refused("github_get_branch", branch).await["kind"], "invalid");
    assert!(forge.requests().is_empty());
}
