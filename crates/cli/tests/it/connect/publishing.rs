use std::time::Duration;

use testkit::forge::{Fault, Rights};

use super::stage::{Kind, PROJECT, SOUND, STOPS, Stage};
use crate::agents::eventually;

#[test]
fn a_published_review_is_at_its_line_in_a_summary_and_on_the_commit() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        let outcome = stage.review(&["--publish"]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("Published at"), "{}", outcome.stderr);
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert_eq!(pull.threads.len(), 1, "{:?}", stage.posted());
        let at_line = &pull.threads[0].comments[0].body;
        assert!(at_line.contains("```suggestion"), "it can be mended without judgement: {at_line}");
        assert!(stage.posted().iter().any(|body| body.contains("Countersign: fail")), "{:?}", stage.posted());
        assert_eq!(stage.statuses(&stage.head()).len(), 1);
    }
}

#[test]
fn published_twice_it_is_there_once() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        stage.review(&["--publish"]);
        let (first, statuses) = (stage.posted(), stage.statuses(&stage.head()));
        stage.forge.forget_requests();
        assert_eq!(stage.review(&["--publish"]).code, Some(1));
        assert_eq!((stage.posted(), stage.statuses(&stage.head())), (first, statuses));
        assert_eq!(stage.writes(), [""; 0]);
    }
}

#[test]
fn a_push_that_mends_it_settles_the_comment_and_passes() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        stage.review(&["--publish"]);
        let before = stage.posted().len();
        stage.forge.commit(PROJECT, "feature", &[("src/total.py", SOUND)]);
        assert_eq!(stage.review(&["--publish"]).code, Some(0));
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert!(pull.threads[0].resolved_by.is_some(), "{:?}", stage.posted());
        assert_eq!(stage.posted().len(), before, "{:?}", stage.posted());
        assert_eq!(stage.statuses(&stage.head()), ["success"]);
    }
}

#[test]
fn an_app_says_it_as_a_check_run() {
    let mut stage = Stage::new(Kind::Github, STOPS);
    stage.token = stage.forge.token("countersign[bot]", Rights::Checks);
    let url = stage.url();
    let mut command = stage.command(&["review", "--publish", "--pr", &url]);
    command.env("COUNTERSIGN_PUBLISH_KEY", "a secret of all workers");
    assert_eq!(command.status().unwrap().code(), Some(1));
    assert_eq!(stage.forge.check_runs(PROJECT, &stage.head()).len(), 1);
}

#[test]
fn killed_while_it_posts_the_next_run_adds_what_is_missing_and_nothing_twice() {
    for (method, path) in [
        ("POST", "/repos/*/*/pulls/*/reviews"),
        ("POST", "/repos/*/*/issues/*/comments"),
        ("POST", "/repos/*/*/statuses/*"),
    ] {
        let stage = Stage::new(Kind::Github, STOPS);
        stage.forge.fault(Fault::on(method, path).slow(Duration::from_secs(30)));
        let url = stage.url();
        let mut killed = stage.command(&["review", "--publish", "--pr", &url]).spawn().unwrap();
        eventually("it posts", || stage.forge.faults_left() == 0);
        killed.kill().unwrap();
        killed.wait().unwrap();
        stage.forge.heal();
        assert_eq!(stage.review(&["--publish"]).code, Some(1));
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert_eq!((pull.threads.len(), pull.comments.len()), (1, 1), "{path}: {:?}", stage.posted());
    }
}

#[test]
fn an_answer_that_was_lost_is_looked_for_before_anything_is_posted_again() {
    let stage = Stage::new(Kind::Gitlab, STOPS);
    stage.forge.fault(Fault::on("POST", "/api/v4/projects/*/merge_requests/*/discussions").cut_after());
    assert_eq!(stage.review(&["--publish"]).code, Some(1));
    assert_eq!(stage.forge.pull(PROJECT, stage.number).threads.len(), 1, "{:?}", stage.posted());
}
