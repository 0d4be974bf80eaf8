//! What somebody puts on the epic branch without being asked, or without anybody having reviewed it.

use super::stage::*;

/// A commit on the epic branch by somebody who is not the run.
fn put(stage: &Stage, file: &str, text: &str, subject: &str) -> String {
    stage.repo.git(&["switch", "--quiet", "epic/login"]);
    std::fs::write(stage.repo.path().join(file), text).unwrap();
    stage.repo.git(&["add", file]);
    stage.repo.git(&["commit", "--quiet", "-m", subject]);
    stage.repo.git(&["switch", "--quiet", "main"]);
    stage.repo.git(&["rev-parse", "epic/login"])
}

#[test]
fn a_stranger_on_the_epic_branch_is_not_merged_with_before_a_human_was_told() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    let evil = put(&stage, "evil.txt", "evil\n", "Add evil");
    let outcome = stage.resume(&["--merge"]);
    assert_code(&outcome, 4);
    assert_eq!(stage.repo.git(&["rev-parse", "epic/login"]), evil);
    let stop = stage.state()["stopped"].clone();
    assert_eq!(stop["reason"], "human");
    let named = format!("{} Add evil", &evil[..10]);
    for said in [named.as_str(), "look at it and resume"] {
        assert!(stop["detail"].as_str().unwrap().contains(said), "{stop}");
    }
    assert!(stage.report().contains("a commit that nobody reviewed"), "{}", stage.report());

    let outcome = stage.resume(&[]);
    assert_code(&outcome, 0);
    assert!(
        outcome.stderr.contains("it goes on from there, with what nobody reviewed"),
        "{}",
        outcome.stderr
    );
    let report = stage.report();
    assert!(report.contains("its branch holds a commit that nobody reviewed"), "{report}");
    assert!(report.contains("Add evil") && !report.contains("Merge ticket"), "{report}");
    assert_code(&stage.resume(&[]), 0);
    assert!(stage.report().contains("Add evil"), "it is not forgotten");
}

#[test]
fn what_comes_after_a_human_was_told_is_told_as_well() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    put(&stage, "one.txt", "one\n", "Add one");
    assert_code(&stage.resume(&["--merge"]), 4);
    put(&stage, "two.txt", "two\n", "Add two");
    let outcome = stage.resume(&[]);
    assert_code(&outcome, 4);
    assert!(outcome.stderr.contains("Add two"), "{}", outcome.stderr);
    assert_code(&stage.resume(&[]), 0);
}

#[test]
fn approved_work_that_somebody_merged_by_hand_is_nothing_strange() {
    let stage = with_tickets(&["a", "b"]);
    assert_code(&stage.run(&[]), 0);
    stage.repo.git(&["switch", "--quiet", "epic/login"]);
    stage.repo.git(&["merge", "--quiet", "--no-ff", "-m", "By hand", "ticket/a"]);
    stage.repo.git(&["switch", "--quiet", "main"]);
    assert_code(&stage.resume(&["--merge"]), 0);
    assert!(!stage.report().contains("nobody reviewed"), "{}", stage.report());
}

#[test]
fn a_merge_by_hand_that_brings_something_of_its_own_is_a_stranger() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    stage.repo.git(&["switch", "--quiet", "epic/login"]);
    stage.repo.git(&["merge", "--quiet", "--no-ff", "--no-commit", "ticket/a"]);
    std::fs::write(stage.repo.path().join("evil.txt"), "evil\n").unwrap();
    stage.repo.git(&["add", "evil.txt"]);
    stage.repo.git(&["commit", "--quiet", "-m", "By hand"]);
    stage.repo.git(&["switch", "--quiet", "main"]);
    let outcome = stage.resume(&["--merge"]);
    assert_code(&outcome, 4);
    assert!(outcome.stderr.contains("By hand"), "{}", outcome.stderr);
}

#[test]
fn where_people_merge_a_stranger_stops_nothing_and_is_in_the_report() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    put(&stage, "evil.txt", "evil\n", "Add evil");
    assert_code(&stage.resume(&[]), 0);
    assert!(stage.report().contains("Add evil"), "{}", stage.report());
    assert_code(&stage.resume(&["--merge"]), 4);
}

#[test]
fn what_a_human_was_asked_to_put_there_has_to_pass_the_tests() {
    let epic =
        "coordination_requirements: {function_profiles: [nd/2]}\ncommands: {test: 'test ! -e bad.txt'}\n";
    let stage = Setup { epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&["--merge"]), 4);
    put(&stage, "bad.txt", "bad\n", "Break the tests");
    put(&stage, "nd.py", "def nd(a, b):\n    return a\n", "Define nd");
    for _ in 0..2 {
        let outcome = stage.resume(&[]);
        assert_code(&outcome, 4);
        assert!(
            outcome.stderr.contains("where somebody else put it, the tests do not pass"),
            "{}",
            outcome.stderr
        );
        assert_eq!(stage.state()["stopped"]["reason"], "human");
    }
    stage.repo.git(&["switch", "--quiet", "epic/login"]);
    stage.repo.git(&["rm", "--quiet", "bad.txt"]);
    stage.repo.git(&["commit", "--quiet", "-m", "Mend the tests"]);
    stage.repo.git(&["switch", "--quiet", "main"]);
    assert_code(&stage.resume(&[]), 0);
    let report = stage.report();
    assert!(report.contains("3 commits that nobody reviewed") && report.contains("Define nd"), "{report}");
}

#[test]
fn a_file_in_the_way_of_a_merge_stops_for_a_human_who_is_told_which() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    stage.repo.git(&["switch", "--quiet", "epic/login"]);
    std::fs::write(stage.repo.path().join("a.txt"), "mine\n").unwrap();
    assert_code(&stage.resume(&["--merge"]), 4);
    let stop = stage.ticket("a")["stopped"].clone();
    assert_eq!(stop["reason"], "human");
    assert!(stop["detail"].as_str().unwrap().contains("a.txt"), "{stop}");
    assert!(stage.report().contains("stands still (human)"), "{}", stage.report());
    assert_eq!(std::fs::read_to_string(stage.repo.path().join("a.txt")).unwrap(), "mine\n");
    std::fs::remove_file(stage.repo.path().join("a.txt")).unwrap();
    assert_code(&stage.resume(&[]), 0);
}

#[test]
fn an_epic_branch_that_was_deleted_between_two_runs_stops_for_a_human() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    stage.repo.git(&["branch", "--quiet", "-D", "epic/login"]);
    let outcome = stage.resume(&["--merge"]);
    assert_code(&outcome, 4);
    let stop = stage.state()["stopped"].clone();
    assert_eq!(stop["reason"], "human");
    assert!(stop["detail"].as_str().unwrap().contains("make it again with `git branch epic/login"), "{stop}");
    stage.repo.git(&["branch", "epic/login", "main"]);
    assert_code(&stage.resume(&[]), 0);
}
