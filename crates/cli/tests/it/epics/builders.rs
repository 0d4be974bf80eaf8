//! Builders that do not do what they should.

use super::stage::*;

#[test]
fn a_builder_that_leaves_nothing_is_asked_again_and_not_for_ever() {
    let stage = Setup { builder: "echo Done.", ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 1);
    let ticket = stage.ticket("a");
    assert_eq!(ticket["status"], "failed");
    assert_eq!(ticket["failure_reason"], "Validation failed after 3 corrections: nothing was changed");
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 0);
    assert_eq!(outcome.stderr.matches("engineer repairs what validation found").count(), 3);
}

#[test]
fn a_builder_that_edits_the_state_is_sent_back_and_changes_nothing() {
    let builder = "echo fine > \"$id.txt\"\n\
        if grep -q 'belongs to the epic' <<< \"$prompt\"; then rm epics/login/epic-state.json; else\n\
        echo '{\"tickets\":{\"a\":{\"status\":\"completed\"}}}' > epics/login/epic-state.json; fi";
    let stage = Setup { builder, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    assert!(
        outcome.stderr.contains("not valid: epics/login/epic-state.json belongs to the epic"),
        "{}",
        outcome.stderr
    );
    let files = stage.repo.git(&["ls-tree", "-r", "--name-only", "ticket/a", "epics"]);
    assert!(!files.contains("epic-state.json"), "{files}");
    stage.assert_in_agreement();
}

#[test]
fn a_builder_that_edits_the_epic_or_a_ticket_never_gets_through() {
    for file in ["epic.yaml", "a.md"] {
        let builder =
            format!("echo fine > \"$id.txt\"; echo '# {{limits: none}}' >> epics/login/{file}; echo Met: 1");
        let epic = "limits: {max_validation_failures: 1}\n";
        let stage = Setup { builder: &builder, epic, ..Setup::default() }.stage();
        assert_code(&stage.run(&[]), 1);
        let reason = stage.ticket("a")["failure_reason"].as_str().unwrap().to_owned();
        assert!(reason.contains(&format!("epics/login/{file} belongs to the epic")), "{reason}");
    }
}

#[test]
fn work_whose_tests_fail_goes_back_with_what_they_said() {
    let builder = "echo fine > \"$id.txt\"; if grep -q 'do not pass (exit code 1)' <<< \"$prompt\"; then echo y > ok.txt; fi";
    let epic = "commands: {test: 'test -e ok.txt || { echo ok.txt is missing; exit 1; }'}\n";
    let stage = Setup { builder, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    assert!(outcome.stderr.contains("not valid: the tests do not pass (exit code 1)"), "{}", outcome.stderr);
    let ticket = stage.ticket("a");
    assert_eq!((&ticket["revision_count"], &ticket["status"]), (&0.into(), &"completed".into()));
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 1, "validation costs no review");
}

#[test]
fn linter_and_coverage_have_to_pass_too() {
    let builder = "echo fine > \"$id.txt\"\n\
        grep -q 'the linter does not pass' <<< \"$prompt\" && touch linted\n\
        if grep -q 'coverage is 50' <<< \"$prompt\"; then echo 90 > covered; touch linted; else [ -e covered ] || echo 50 > covered; fi";
    let epic =
        "commands: {lint: 'test -e linted', coverage: 'echo TOTAL; cat covered', coverage_minimum: 80}\n";
    let stage = Setup { builder, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    assert!(outcome.stderr.contains("not valid: the linter does not pass"), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("not valid: coverage is 50 %, and 80 % is the limit"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_builder_that_leaves_criteria_open_is_sent_back() {
    let builder = "echo fine > \"$id.txt\"\n\
        if grep -q 'not every acceptance criterion' <<< \"$prompt\"; then echo 'Met: 1'; else echo 'Not met: 1 - no time'; fi";
    let stage = Setup { builder, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 0);
    assert!(outcome.stderr.contains("1. There is a a (no time)"), "{}", outcome.stderr);
}

#[test]
fn a_builder_that_crashes_is_started_again_and_not_for_ever() {
    let epic = "limits: {max_retries: 1}\n";
    let stage = Setup { builder: "exit 3", epic, ..Setup::default() }.stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 1);
    let reason = stage.ticket("a")["failure_reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("Execution failed after 1 retry"), "{reason}");
    assert_eq!(outcome.stderr.matches("engineer builds it").count(), 2);
}

#[test]
fn a_builder_that_commits_by_itself_has_its_commits_made_into_one() {
    let builder = "echo fine > \"$id.txt\"; git add -A; git -c user.name=x -c user.email=x@y commit -qm wip; \
        echo more >> \"$id.txt\"";
    let stage = Setup { builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    assert_eq!(stage.repo.git(&["rev-list", "--count", "main..ticket/a"]), "1");
    assert_eq!(stage.file("ticket/a", "a.txt"), "fine\nmore");
}

#[test]
fn a_builder_that_silences_findings_is_sent_back() {
    let builder = "echo 'fine # countersign:ignore all of it' > \"$id.txt\"";
    let epic = "limits: {max_validation_failures: 0}\n";
    let stage = Setup { builder, epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let reason = stage.ticket("a")["failure_reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("silences a finding"), "{reason}");
}

#[test]
fn a_branch_that_somebody_moved_is_left_alone_until_they_put_it_back() {
    let reviewer = format!("git -C '@repo@' branch -qf ticket/a main\n{REVIEWER}");
    let stage =
        Setup { builder: HOPELESS, reviewer: &reviewer, policy: "sandbox: off\n", ..Setup::default() }
            .stage();
    let outcome = stage.run(&[]);
    assert_code(&outcome, 4);
    assert_eq!(stage.ticket("a")["stopped"]["reason"], "human");
    assert_eq!(stage.repo.git(&["rev-parse", "ticket/a"]), stage.repo.git(&["rev-parse", "main"]));
}

#[test]
fn a_revision_that_changes_nothing_is_refused_however_often_it_is_repaired() {
    let builder = "grep -q 'REVISION REQUIRED' <<< \"$prompt\" || echo BUG > \"$id.txt\"; echo Met: 1";
    let stage = Setup { builder, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let ticket = stage.ticket("a");
    assert_eq!(ticket["failure_reason"], "Validation failed after 3 corrections: nothing was changed");
    assert_eq!(ticket["review_history"].as_array().unwrap().len(), 1);
}

#[test]
fn a_revision_that_is_undone_again_is_what_was_rejected() {
    let builder = "case $(ls '@outside@'/n* 2>/dev/null | wc -l) in 0) echo BUG;; 1) echo 'BUG # countersign:ignore x';; \
        *) echo BUG;; esac > \"$id.txt\"; touch '@outside@'/n$RANDOM$RANDOM";
    let epic = "limits: {max_validation_failures: 1}\n";
    let stage = Setup { builder, epic, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    let reason = stage.ticket("a")["failure_reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("nothing was changed since the review that rejected it"), "{reason}");
}

#[test]
fn work_that_leaves_criteria_open_to_the_end_is_kept_on_its_branch() {
    let builder = "echo \"fine $RANDOM$RANDOM\" > \"$id.txt\"; echo 'Not met: 1 - too hard'";
    let stage = Setup { builder, ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 1);
    assert_eq!(stage.ticket("a")["final_commit"], stage.repo.git(&["rev-parse", "ticket/a"]));
}

#[test]
fn a_retried_ticket_is_built_from_nothing_and_told_of_nothing() {
    let builder = "if [ -e '@outside@/again' ]; then grep -q 'REVISION REQUIRED' <<< \"$prompt\" && exit 3; ls \"$id.txt\" && exit 3; \
        echo fine > \"$id.txt\"; else echo \"BUG $RANDOM$RANDOM\" > \"$id.txt\"; fi; true";
    let stage =
        Setup { builder, policy: "sandbox: off\n", epic: "limits: {max_retries: 0}\n", ..Setup::default() };
    let stage = stage.stage();
    assert_code(&stage.run(&[]), 1);
    std::fs::write(stage.repo.outside("again"), "").unwrap();
    assert_code(&stage.resume(&["--retry", "a"]), 0);
    assert_eq!(stage.ticket("a")["revision_count"], 0);
}

#[test]
fn whoever_cannot_build_is_refused_as_a_builder() {
    let stage = with_tickets(&["a"]);
    let said = |name| {
        let outcome = stage.run(&["--builder", name]);
        assert_code(&outcome, 2);
        outcome.stderr
    };
    assert!(said("enginer").contains("there is no builder `enginer`"));
    assert!(said("enginer").contains("did you mean `engineer`?"));
    assert!(said("rules").contains("the built-in rules write no code"));
    assert!(said("model").contains("cannot write code"));
}

#[test]
fn the_builder_of_a_revision_gets_the_whole_review() {
    // The prompt of each call is kept beside the repository.
    let builder = "printf '%s' \"$prompt\" > \"@outside@/prompt-$(ls '@outside@' | grep -c '^prompt-')\"\n\
        if grep -q 'REVISION REQUIRED' <<< \"$prompt\"; then echo fine > \"$id.txt\"; else echo BUG > \"$id.txt\"; fi";
    let stage = Setup { builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&[]), 0);
    let prompt =
        |number: u32| std::fs::read_to_string(stage.repo.outside(&format!("prompt-{number}"))).unwrap();
    assert!(!prompt(0).contains("review report"), "there was no review yet");
    let revision = prompt(1);
    for part in [
        "Write a.",
        "\"findings\"",
        "`BUG` is wrong",
        "\"dimension\": \"requirement_adherence\"",
        "reviews of all attempts",
        "\"blocking_issues_count\"",
        "REVISION REQUIRED",
    ] {
        assert!(revision.contains(part), "{part}: {revision}");
    }
}
