//! Services that have had enough.

use std::time::Instant;

use serde_json::{Value, json};
use testkit::forge::{Fault, Forge};

use super::table::{REPO, github, with_pull};

const COMMENT: &str = "/repos/*/*/issues/*/comments";

fn comment(number: u64) -> Value {
    json!({"repo": REPO, "pr_number": number, "body": "hi"})
}

#[tokio::test]
async fn a_short_wait_is_waited_and_the_call_is_made_once() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    forge.fault(Fault::on("POST", COMMENT).secondary_limit(1));
    let begun = Instant::now();
    table.done("github_add_pr_comment", comment(number)).await;
    assert!(begun.elapsed().as_millis() >= 1_000);
    assert_eq!(forge.pull(REPO, number).comments.len(), 1);
}

#[tokio::test]
async fn the_hourly_limit_is_waited_for_where_it_ends_soon() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    forge.fault(Fault::on("GET", "/repos/*/*/pulls/*").primary_limit(1));
    assert_eq!(
        table.done("github_get_pr", json!({"repo": REPO, "pr_number": number})).await["number"],
        number
    );
}

#[tokio::test]
async fn a_long_wait_is_left_to_the_caller() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    for fault in
        [Fault::on("POST", COMMENT).secondary_limit(600), Fault::on("POST", COMMENT).primary_limit(600)]
    {
        forge.fault(fault);
        let error = table.refused("github_add_pr_comment", comment(number)).await;
        assert_eq!((&error["kind"], &error["may_have_happened"]), (&json!("rate_limited"), &json!(false)));
        let after = error["retry_after_seconds"].as_u64().unwrap();
        assert!((540..=602).contains(&after), "{error}");
    }
    assert!(forge.pull(REPO, number).comments.is_empty());
}

#[tokio::test]
async fn waiting_ends_however_short_the_waits_are() {
    let forge = Forge::start();
    let number = with_pull(&forge);
    let table = github(&forge).await;
    forge.fault(Fault::on("POST", COMMENT).secondary_limit(0).always());
    assert_eq!(table.refused("github_add_pr_comment", comment(number)).await["kind"], "rate_limited");
    assert_eq!(forge.writes().len(), 10);
}
