//! `connect.mirror`: whether git talks to the forge for a mission.

use testkit::forge::{Fault, PullSeed};
use testkit::model_server::Reply;

use super::stage::{KEY, PROJECT, Stage, report};

const WITHOUT: &str = "connect: { mirror: false }\n";
/// Has something to say about every file.
const LINTER: &str = "model:\n  linters:\n    shouts:\n      \
    command: [sh, -c, 'echo \"src/old.py:2:1: loud\"']\n      files: ['*.py']\n      format: lines\n";
const OLD: &str = "def old(prices):\n    return max(prices)\n";
/// Only added lines are in the diff; what the rules prove needs the rest of the file.
const STOPS: &str = "def old(prices):\n    breakpoint()\n    return max(prices)\n";

/// A request that changes a file which is there, and a model to which everything is fine.
fn changed(operator: &str, base: &str) -> Stage {
    let mut stage = Stage::new(Reply::json(&report(&[])));
    stage.forge.commit(PROJECT, "main", &[("src/old.py", OLD), ("countersign.yaml", base)]);
    stage.forge.commit(PROJECT, "change", &[("src/old.py", STOPS)]);
    let number =
        stage.forge.open_pull(PROJECT, PullSeed::from("change").into("main").by("alice").title("Old"));
    stage.about(number, "change");
    std::fs::write(stage.folder.path().join("countersign.yaml"), operator).unwrap();
    stage
}

fn fetched(stage: &Stage) -> bool {
    stage.forge.requests().iter().any(|asked| asked.path.contains(".git/"))
}

#[test]
fn without_a_mirror_no_request_reaches_the_git_remote() {
    for mode in ["linear", "agentic"] {
        let stage = changed(WITHOUT, "");
        let outcome = stage.run(&[KEY, "--mode", mode]);
        assert_eq!(stage.count("result"), 1, "{}{}", outcome.stdout, outcome.stderr);
        for said in [stage.told().pop().unwrap(), stage.posted().join("\n")] {
            assert!(said.contains("reviewed from the diff alone"), "{said}");
        }
        assert!(!fetched(&stage), "git talked to the forge");
        assert!(!stage.folder.path().join("cache/countersign/mirrors").exists());
    }
}

#[test]
fn with_a_mirror_the_rules_see_both_sides_of_every_file() {
    let stage = changed(WITHOUT, "");
    assert_eq!(stage.run(&[KEY]).code, Some(0), "of a part of a file the rules would have to guess");
    let stage = changed("", "");
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert!(fetched(&stage));
    let posted = stage.posted().join("\n");
    assert!(posted.contains("breakpoint()"), "{posted}");
    assert!(posted.contains("```suggestion"), "it can be mended without judgement: {posted}");
    assert_eq!((stage.count("start"), stage.count("result")), (1, 1), "{:?}", stage.told());
}

#[test]
fn with_a_mirror_the_policy_is_that_of_the_target_branch() {
    let stage = changed("", "rules: { disable: [debugger-stop] }\n");
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    let stage = changed("", LINTER);
    assert_eq!(stage.run(&[KEY]).code, Some(1));
    assert!(stage.posted().join("\n").contains("loud"), "{:?}", stage.posted());
}

#[test]
fn with_a_mirror_nothing_of_a_fork_is_executed() {
    let mut stage = Stage::new(Reply::json(&report(&[])));
    stage.forge.commit(PROJECT, "main", &[("src/old.py", OLD), ("countersign.yaml", LINTER)]);
    stage.forge.fork(PROJECT, "mallory/shop");
    stage.forge.commit("mallory/shop", "evil", &[("src/old.py", STOPS)]);
    let seed = PullSeed::from("evil").fork("mallory/shop").into("main").by("mallory").title("Old");
    let number = stage.forge.open_pull(PROJECT, seed);
    stage.about(number, "evil");
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(1), "{}{} {:?}", outcome.stdout, outcome.stderr, stage.told());
    let posted = stage.posted().join("\n");
    assert!(posted.contains("breakpoint()") && !posted.contains("loud"), "{posted}");
    assert!(posted.contains("comes from a fork"), "{posted}");
}

#[test]
fn a_removed_assertion_is_found_as_review_pr_finds_it() {
    let test = "def test_total():\n    assert total([1, 2]) == 3\n    assert total([]) == 0\n";
    let mut stage = Stage::new(Reply::json(&report(&[])));
    stage.forge.commit(PROJECT, "main", &[("tests/test_total.py", test)]);
    stage.forge.commit(
        PROJECT,
        "change",
        &[("tests/test_total.py", "def test_total():\n    total([1, 2])\n")],
    );
    let seed = PullSeed::from("change").into("main").by("alice").title("Totals");
    let number = stage.forge.open_pull(PROJECT, seed);
    stage.about(number, "change");
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert!(stage.posted().join("\n").contains("assert"), "{:?}", stage.posted());
}

#[test]
fn without_its_commits_a_mission_reviews_the_diff_and_passes_nothing() {
    let stage = changed("", "");
    stage.forge.fault(Fault::on("GET", "/acme/*/info/refs").status(403).always());
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(3), "{}{}", outcome.stdout, outcome.stderr);
    for said in [stage.told().pop().unwrap(), stage.posted().join("\n")] {
        assert!(said.contains("could not be fetched") && said.contains("does not let us in"), "{said}");
        assert!(said.contains("token"), "{said}");
    }
}

#[test]
fn a_remote_that_is_down_for_a_moment_is_asked_again() {
    let stage = changed("", "");
    stage.forge.fault(Fault::on("GET", "/acme/*/info/refs").status(502));
    let outcome = stage.run(&[KEY]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(stage.forge.faults_left(), 0);
}
