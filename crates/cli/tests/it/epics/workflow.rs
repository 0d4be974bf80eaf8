//! The four integration tests that the specification names, and what surrounds them.

use super::stage::*;
use crate::program::run;

#[test]
fn a_ticket_that_passes_its_review_is_completed() {
    let stage = with_tickets(&["a"]);
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    let ticket = stage.ticket("a");
    assert_eq!((&ticket["status"], &ticket["review_approved"]), (&"completed".into(), &true.into()));
    assert_eq!((&ticket["revision_count"], &ticket["branch"]), (&0.into(), &"ticket/a".into()));
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 1);
    assert_eq!(ticket["current_review_report"]["status"], "pass");
    assert_eq!(ticket["base_commit"], stage.repo.git(&["rev-parse", "main"]));
    assert_eq!(ticket["final_commit"], stage.repo.git(&["rev-parse", "ticket/a"]));
    assert_eq!(stage.file("ticket/a", "a.txt"), "fine");
    assert_eq!(stage.repo.git(&["log", "-1", "--format=%s", "ticket/a"]), "Ticket a");
    assert_eq!(stage.repo.git(&["rev-parse", "epic/login"]), stage.repo.git(&["rev-parse", "main"]));
    let report = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    assert!(report.contains("Ticket a") && report.contains("completed"), "{report}");
    assert!(outcome.stdout.contains("Epic login is completed: 1 of 1 tickets"), "{}", outcome.stdout);
    stage.assert_in_agreement();
    stage.assert_nothing_left();
}

#[test]
fn a_ticket_that_fails_its_review_is_revised_on_the_same_base_and_completed() {
    let stage = Setup { builder: REVISES, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    let ticket = stage.ticket("a");
    let history = ticket["review_history"].as_array().unwrap();
    let told: Vec<_> = history.iter().map(|entry| (&entry["attempt"], &entry["status"])).collect();
    assert_eq!(told, [(&0.into(), &"fail".into()), (&1.into(), &"pass".into())]);
    assert!(history[0]["revision_notes"].as_str().unwrap().contains("`BUG` is wrong"), "{history:?}");
    assert_eq!((&ticket["revision_count"], &ticket["review_approved"]), (&1.into(), &true.into()));
    assert_eq!(ticket["base_commit"], stage.repo.git(&["rev-parse", "main"]));
    assert_eq!(stage.repo.git(&["rev-list", "--count", "main..ticket/a"]), "2");
    assert!(outcome.stderr.contains("[a executing, revision 1/2] engineer revises it"), "{}", outcome.stderr);
    stage.assert_in_agreement();
}

#[test]
fn a_ticket_that_fails_too_often_has_failed() {
    let stage = Setup { builder: HOPELESS, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 1);
    let ticket = stage.ticket("a");
    assert_eq!((&ticket["status"], &ticket["revision_count"]), (&"failed".into(), &2.into()));
    assert_eq!(ticket["failure_reason"], "Review failed after 2 revisions");
    for expected in ["a failed: Review failed after 2 revisions", "` is wrong", "epics/login/epic-report.md"]
    {
        assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
    assert_eq!(ticket["stopped"]["reason"], "limit");
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 3);
    assert_eq!(ticket["review_approved"], false);
    stage.assert_in_agreement();
    stage.assert_nothing_left();
}

#[test]
fn several_tickets_are_worked_on_at_once_each_on_its_own() {
    let builder = "case $id in b) echo BUG > b.txt; grep -q 'REVISION REQUIRED' <<< \"$prompt\" && echo fine > b.txt;; \
        c) echo \"BUG $RANDOM\" > c.txt;; *) echo fine > \"$id.txt\";; esac; true";
    let stage = Setup { tickets: &["a", "b", "c", "d"], builder, ..Setup::default() }.stage();
    let outcome = stage.run(&["--parallel", "4"]);
    assert_code(&outcome, 1);
    let statuses: Vec<_> = ["a", "b", "c", "d"].into_iter().map(|id| stage.status(id)).collect();
    assert_eq!(statuses, ["completed", "completed", "failed", "completed"]);
    assert_eq!(stage.ticket("b")["revision_count"], 1);
    assert_eq!(stage.file("ticket/d", "d.txt"), "fine");
    let others = stage.repo.try_git(stage.repo.path(), &["cat-file", "-e", "ticket/d:a.txt"]);
    assert!(!others.status.success(), "tickets that do not depend on each other do not see each other");
    stage.assert_in_agreement();
    stage.assert_nothing_left();
}

#[test]
fn builders_are_at_work_at_the_same_time() {
    // Each waits for the other: one after the other they would wait for ever.
    let builder = "touch '@outside@/'$id; while [ ! -e '@outside@/a' ] || [ ! -e '@outside@/b' ]; do sleep 0.05; done\n\
        echo fine > \"$id.txt\"";
    let stage = Setup { tickets: &["a", "b"], builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&["--parallel", "2"]), 0);
}

#[test]
fn without_review_a_valid_ticket_is_completed_as_before_there_were_reviews() {
    let stage = Setup { builder: HOPELESS, epic: "review: off\n", ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    let ticket = stage.ticket("a");
    assert_eq!(
        (&ticket["status"], &ticket["review_approved"]),
        (&"completed".into(), &serde_json::Value::Null)
    );
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 0);
    assert!(!outcome.stderr.contains("reviews it"), "{}", outcome.stderr);
}

#[test]
fn a_dry_run_says_in_which_order_whom_it_would_start_and_changes_nothing() {
    let stage = with_tickets(&["a", "b: a"]);
    let before = stage.repo.snapshot();
    let outcome = stage.run(&["--dry-run"]);
    assert_code(&outcome, 0);
    assert_eq!(
        outcome.stdout,
        "Wave 1\n[DRY-RUN] Would spawn builder engineer for ticket a\n\
         [DRY-RUN] Would spawn reviewer qa for ticket a\n\
         Wave 2\n[DRY-RUN] Would spawn builder engineer for ticket b\n\
         [DRY-RUN] Would spawn reviewer qa for ticket b\n"
    );
    assert_eq!(before, stage.repo.snapshot());
}

#[test]
fn a_run_that_is_over_begins_anew_only_when_asked_to() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&[]), 0);
    let refused = stage.run(&[]);
    assert_code(&refused, 2);
    assert!(refused.stderr.contains("--restart drops that run"), "{}", refused.stderr);
    assert_code(&stage.run(&["--restart"]), 0);
    assert_eq!(stage.ticket("a")["review_history"].as_array().unwrap().len(), 1);
}

#[test]
fn a_branch_that_is_there_already_is_nobodys_to_overwrite() {
    let stage = with_tickets(&["a"]);
    stage.repo.git(&["branch", "ticket/a"]);
    let refused = stage.run(&[]);
    assert_code(&refused, 2);
    assert!(refused.stderr.contains("there is a branch ticket/a already"), "{}", refused.stderr);
    assert!(!stage.state_path().exists());
}

#[test]
fn an_epic_that_is_wrong_is_shown_where_and_nothing_is_run() {
    let stage = with_tickets(&["a", "b: c"]);
    let refused = stage.run(&[]);
    assert_code(&refused, 2);
    assert!(refused.stderr.contains("epics/login/epic.yaml:7:"), "{}", refused.stderr);
    assert!(!stage.state_path().exists());
}

#[test]
fn epics_are_listed_and_shown() {
    let stage = with_tickets(&["a", "b"]);
    let none = run(stage.command(&["status"]));
    assert_code(&none, 0);
    assert!(none.stderr.contains("No epic was run here."), "{}", none.stderr);
    assert_code(&stage.run(&[]), 0);
    let listed = run(stage.command(&["status"]));
    assert!(listed.stdout.contains("2 of 2 completed"), "{}", listed.stdout);
    let watched = run(stage.command(&["status", "login", "--watch"]));
    assert!(watched.stdout.contains("completed"), "{}", watched.stdout);
    let unknown = run(stage.command(&["status", "logn"]));
    assert_code(&unknown, 2);
    assert!(unknown.stderr.contains("did you mean `login`?"), "{}", unknown.stderr);
}

#[test]
fn a_plan_is_told_as_json_as_well() {
    let stage = with_tickets(&["a", "b: a"]);
    let outcome = stage.run(&["--dry-run", "--merge", "--format", "json"]);
    assert_code(&outcome, 0);
    let plan: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(plan["waves"], serde_json::json!([["a"], ["b"]]));
    assert_eq!((&plan["builder"], &plan["merge"]), (&"engineer".into(), &true.into()));
}

const AGREED: &str = "coordination_requirements: {function_profiles: [log_in/2]}\n";

#[test]
fn a_function_that_no_ticket_defines_stops_for_a_human_who_defines_it() {
    for merge in [&[][..], &["--merge"]] {
        let stage = Setup { epic: AGREED, ..Setup::default() }.stage();
        let outcome = stage.run(merge);
        assert_code(&outcome, 4);
        assert!(outcome.stdout.contains("no ticket defines log_in/2"), "{}", outcome.stdout);
        assert_eq!(
            (stage.status("a").as_str(), &stage.state()["stopped"]["reason"]),
            ("completed", &"human".into())
        );
        assert!(stage.report().contains("no ticket defines log"), "{}", stage.report());
        stage
            .repo
            .checkout("epic/login")
            .write("auth.py", "def log_in(name):\n    return name\n")
            .commit("Half");
        assert_code(&crate::program::run(stage.command(&["resume"])), 4);
        stage.repo.write("auth.py", "def log_in(name, password):\n    return name\n").commit("Whole");
        assert_code(&stage.resume(&[]), 0);
        assert!(stage.state()["stopped"].is_null() && !stage.state()["completed_at"].is_null());
    }
}

#[test]
fn a_function_that_one_ticket_of_several_defines_is_defined() {
    let builder = "if [ \"$id\" = a ]; then printf 'def log_in(name, password):\\n    return name\\n' > auth.py; \
        else echo fine > \"$id.txt\"; fi";
    let stage = Setup { tickets: &["a", "b"], builder, epic: AGREED, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
}

#[test]
fn an_epic_without_a_title_is_called_by_its_id() {
    let builder = "grep -qx 'Epic: login' <<< \"$prompt\" || exit 3; echo fine > \"$id.txt\"";
    let stage = Setup { builder, ..Setup::default() }.stage();
    let path = stage.repo.path().join("epics/login/epic.yaml");
    let text = std::fs::read_to_string(&path).unwrap().replace("title: Log in\n", "");
    stage.repo.write("epics/login/epic.yaml", text).commit("No title");
    assert_code(&stage.run(&[]), 0);
    let message = stage.repo.git(&["log", "-1", "--format=%B", "ticket/a"]);
    assert!(message.lines().any(|line| line == "Epic: login"), "{message}");
}
