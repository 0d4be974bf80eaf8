use testkit::forge::{Fault, PullState, Rights};

use super::stage::{Kind, LINTER, PROJECT, SOUND, STOPS, Stage};

#[test]
fn a_request_is_reviewed_from_its_commits_and_nothing_is_written() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        let outcome = stage.review(&["--format", "json"]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(report["countersign"]["subject"]["scope"]["base_name"], "main", "{report}");
        assert!(outcome.stdout.contains("debugger-stop"), "{}", outcome.stdout);
        assert_eq!(stage.writes(), [""; 0]);
        assert_eq!(
            std::fs::read_dir(stage.folder.path().join("cache/countersign/mirrors")).unwrap().count(),
            1
        );
    }
}

#[test]
fn the_policy_is_that_of_the_target_branch_and_its_linters_run_on_a_branch_of_the_project() {
    let stage = Stage::under(LINTER, Kind::Github, SOUND);
    let outcome = stage.review(&["--format", "markdown"]);
    assert!(outcome.stdout.contains("loud"), "{}{}", outcome.stdout, outcome.stderr);
}

#[test]
fn an_address_elsewhere_is_refused_before_any_call() {
    let stage = Stage::new(Kind::Github, SOUND);
    for address in ["https://github.com/acme/shop/pull/1", "ftp://x", "http://127.0.0.1:1/acme/shop/pull/1"] {
        let outcome = stage.run(&["review", "--pr", address]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    }
    assert_eq!(stage.forge.requests().len(), 0);
}

#[test]
fn a_push_before_the_next_review_is_fetched_into_the_same_mirror() {
    let stage = Stage::new(Kind::Gitlab, STOPS);
    assert_eq!(stage.review(&[]).code, Some(1));
    stage.forge.commit(PROJECT, "feature", &[("src/total.py", SOUND)]);
    assert_eq!(stage.review(&[]).code, Some(0));
    assert_eq!(std::fs::read_dir(stage.folder.path().join("cache/countersign/mirrors")).unwrap().count(), 1);
}

#[test]
fn what_is_closed_or_missing_is_said() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.forge.set_pull_state(PROJECT, stage.number, PullState::Merged);
    let merged = stage.review(&[]);
    assert!(merged.stderr.contains("is merged: there is nothing left to review"), "{}", merged.stderr);
    let missing = stage.run(&["review", "--pr", &stage.forge.pull_url(PROJECT, 99)]);
    assert!(missing.stderr.contains("there is no pull request #99"), "{}", missing.stderr);
}

#[test]
fn a_token_that_is_not_accepted_is_told_and_not_shown() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, SOUND);
        stage.forge.revoke(&stage.token);
        let outcome = stage.review(&[]);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains("hint:"), "{}", outcome.stderr);
        assert!(outcome.stderr.to_lowercase().contains("token"), "{}", outcome.stderr);
    }
}

#[test]
fn a_token_that_may_only_read_reviews_and_says_what_it_may_not() {
    let mut stage = Stage::new(Kind::Github, STOPS);
    stage.token = stage.forge.token("reader", Rights::Read);
    assert_eq!(stage.review(&[]).code, Some(1));
    let outcome = stage.review(&["--publish"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stdout.contains("breakpoint()"), "the report is worth having: {}", outcome.stdout);
    assert!(outcome.stderr.contains("the review was not published"), "{}", outcome.stderr);
}

#[test]
fn a_rate_limit_is_waited_for() {
    let stage = Stage::new(Kind::Github, SOUND);
    stage.forge.fault(Fault::on("GET", "/repos/*/*/pulls/*").secondary_limit(1));
    assert_eq!(stage.review(&[]).code, Some(0));
    assert_eq!(stage.forge.faults_left(), 0);
}
