use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use serde_json::{Value, json};
use testkit::forge::{Fault, Rights};
use testkit::model_server::{ModelServer, Reply};

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

const MEAN: &str = "def total(prices):\n    return sum(prices) / len(prices)\n";

/// A model that finds one thing, or nothing.
fn model(found: bool) -> ModelServer {
    let finding = json!({
        "file": "src/total.py", "line": 2, "end_line": null, "quote": "    return sum(prices) / len(prices)",
        "severity": "HIGH", "category": "correctness", "dimension": "requirement_adherence", "confidence": "high",
        "message": "This is the mean, not the total", "impact": "Customers pay too little", "suggestion": "Sum up",
    });
    let findings = if found { vec![finding] } else { vec![] };
    let verdict = if found { "fail" } else { "pass" };
    ModelServer::start(Reply::json(
        &json!({"summary": "s", "findings": findings, "dimension_scores": null, "verdict": verdict}),
    ))
}

impl Stage {
    fn publish_by(&self, model: &ModelServer, name: &str) -> Option<i32> {
        let url = self.url();
        let mut command = self.command(&["review", "--publish", "--reviewer", "model", "--pr", &url]);
        command.env("CODE_REVIEW_LLM_MODEL_PRIORITY", name).env("ANTHROPIC_API_KEY", ModelServer::KEY);
        command.env("ANTHROPIC_BASE_URL", model.url());
        command.output().unwrap().status.code()
    }
}

#[test]
fn what_a_model_found_is_settled_by_a_model_and_never_by_rules_alone() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, MEAN);
        assert_eq!(stage.publish_by(&model(true), "anthropic:one"), Some(1));
        stage.forge.commit(PROJECT, "feature", &[("src/total.py", &format!("{MEAN}\n# more\n"))]);
        let by_rules = stage.review(&["--publish"]);
        assert_eq!(by_rules.code, Some(3), "{}{}", by_rules.stdout, by_rules.stderr);
        assert!(by_rules.stdout.contains("1 by anthropic:one"), "{}", by_rules.stdout);
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert!(pull.threads[0].resolved_by.is_none(), "{:?}", stage.posted());
        assert!(stage.posted().iter().any(|body| body.contains("Countersign: inconclusive")));
        assert_ne!(stage.statuses(&stage.head()), ["success"]);
        assert_eq!(stage.publish_by(&model(false), "anthropic:two"), Some(0));
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert!(pull.threads[0].resolved_by.is_some(), "{:?}", stage.posted());
        assert_eq!(stage.statuses(&stage.head()).last().map(String::as_str), Some("success"));
    }
}

#[test]
fn programs_are_told_what_was_posted() {
    let stage = Stage::new(Kind::Github, STOPS);
    let posting =
        |outcome: &str| serde_json::from_str::<Value>(outcome).unwrap()["countersign"]["posting"].clone();
    let looked = stage.review(&["--format", "json"]);
    assert_eq!(posting(&looked.stdout), Value::Null);
    let first = posting(&stage.review(&["--publish", "--format", "json"]).stdout);
    assert_eq!((&first["comments_added"], &first["summary"]), (&json!(1), &json!("added")));
    assert_eq!((&first["check"]["outcome"], &first["check"]["success"]), (&json!("set"), &json!(false)));
    assert_eq!((&first["url"], &first["commit"]), (&json!(stage.url()), &json!(stage.head())));
    let again = stage.review(&["--publish", "--format", "json"]);
    let second = posting(&again.stdout);
    assert_eq!((&second["comments_added"], &second["summary"]), (&json!(0), &json!("unchanged")));
    let shown = stage.review(&["--publish"]);
    assert!(shown.stdout.replace("\n      ", " ").contains("--publish` again"), "{}", shown.stdout);
}

#[test]
fn limits_are_waited_for_while_it_posts() {
    let stage = Stage::new(Kind::Github, STOPS);
    stage.forge.fault(Fault::on("POST", "/repos/*/*/issues/*/comments").primary_limit(1));
    stage.forge.fault(Fault::on("POST", "/repos/*/*/pulls/*/reviews").secondary_limit(2));
    stage.forge.fault(Fault::on("PATCH", "/repos/*/*/issues/comments/*").secondary_limit(1));
    stage.forge.fault(Fault::on("POST", "/repos/*/*/statuses/*").primary_limit(1).as_status(429));
    let outcome = stage.review(&["--publish"]);
    assert_eq!((outcome.code, stage.forge.faults_left()), (Some(1), 0), "{}", outcome.stderr);
    let pull = stage.forge.pull(PROJECT, stage.number);
    assert_eq!((pull.threads.len(), pull.comments.len()), (1, 1), "{:?}", stage.posted());
    assert_eq!(stage.statuses(&stage.head()).len(), 1);
    let told = outcome.stderr.matches("GitHub asks to wait 0:0").count();
    assert_eq!(told, 4, "{}", outcome.stderr);
}

#[test]
fn a_long_limit_ends_in_an_error_that_says_when_and_the_review_is_shown() {
    for kind in Kind::BOTH {
        let stage = Stage::new(kind, STOPS);
        let route = match kind {
            Kind::Github => "/repos/*/*/pulls/*/reviews",
            Kind::Gitlab => "/api/v4/projects/*/merge_requests/*/discussions",
        };
        stage.forge.fault(Fault::on("POST", route).primary_limit(900));
        let outcome = stage.review(&["--publish"]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stdout.contains("breakpoint"), "{}", outcome.stdout);
        let said = outcome.stderr.lines().filter(|line| line.starts_with("hint:")).collect::<Vec<_>>();
        assert!(said[0].contains("run it again after ") && said[0].contains(" UTC"), "{}", outcome.stderr);
        assert_eq!(stage.review(&["--publish"]).code, Some(1));
        let pull = stage.forge.pull(PROJECT, stage.number);
        assert_eq!((pull.threads.len(), pull.comments.len()), (1, 1), "{:?}", stage.posted());
    }
}

#[test]
fn stopped_while_it_posts_the_review_is_shown_all_the_same() {
    let stage = Stage::new(Kind::Github, STOPS);
    stage.forge.fault(Fault::on("POST", "/repos/*/*/pulls/*/reviews").secondary_limit(50));
    let url = stage.url();
    let mut command = stage.command(&["review", "--publish", "--pr", &url]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("GitHub asks to wait 0:50 until ")));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let left: Vec<String> = said.map(Result::unwrap).collect();
    let outcome = child.wait_with_output().unwrap();
    assert_eq!(outcome.status.code(), Some(130), "{left:?}");
    assert!(String::from_utf8(outcome.stdout).unwrap().contains("breakpoint"));
    assert!(left.iter().any(|line| line.contains("was not published: it was stopped")), "{left:?}");
}

#[test]
fn what_does_not_fit_at_lines_is_counted_and_in_the_summary() {
    // One at each of them, and one about the change as a whole, which has no tests.
    let many: String =
        (0..70).map(|n| format!("def f{n}():\n    breakpoint()\n    return {n}\n\n\n")).collect();
    let stage = Stage::new(Kind::Gitlab, &many);
    let outcome = stage.review(&["--publish"]);
    assert!(
        outcome.stderr.contains("50 new comments, 0 settled, 21 only in the summary"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.forge.pull(PROJECT, stage.number).threads.len(), 50);
    assert!(stage.posted().iter().any(|body| body.contains("Must fix, said only here (21)")));
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
