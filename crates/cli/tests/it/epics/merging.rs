//! What passed comes together in the epic branch.

use super::stage::*;

#[test]
fn passed_tickets_are_merged_in_the_order_of_their_dependencies() {
    let builder = "[ \"$id\" = a ] || test -e a.txt || exit 3\necho fine > \"$id.txt\"";
    let stage = Setup { tickets: &["b: a", "a", "c: b"], builder, ..Setup::default() }.stage();
    assert_code(&stage.run(&["--merge", "--parallel", "3"]), 0);
    let merges = stage.repo.git(&["log", "--first-parent", "--reverse", "--format=%s", "main..epic/login"]);
    assert_eq!(
        merges,
        "Merge ticket/a into epic/login\nMerge ticket/b into epic/login\nMerge ticket/c into epic/login"
    );
    assert_eq!(stage.state()["epic_commit"], stage.repo.git(&["rev-parse", "epic/login"]));
    assert_eq!(stage.ticket("c")["merged_commit"], stage.repo.git(&["rev-parse", "epic/login"]));
    assert_eq!(stage.repo.git(&["rev-parse", "HEAD"]), stage.repo.git(&["rev-parse", "main"]));
    stage.assert_in_agreement();
    stage.assert_nothing_left();
}

#[test]
fn a_conflict_sends_the_ticket_back_to_be_rebased_and_reviewed_again() {
    let builder = "if grep -q 'conflict markers' <<< \"$prompt\"; then printf 'fine a\\nfine b\\n' > shared.txt\n\
        else echo \"fine $id\" > shared.txt; fi";
    let stage = Setup { tickets: &["a", "b"], builder, ..Setup::default() }.stage();
    let outcome = stage.run(&["--merge", "--parallel", "2"]);
    assert_code(&outcome, 0);
    assert!(
        outcome.stderr.contains("not merged: it conflicts with what was merged before: shared.txt"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.file("epic/login", "shared.txt"), "fine a\nfine b");
    let rebased = ["a", "b"].map(|id| stage.ticket(id));
    let rebased = rebased.iter().find(|ticket| ticket["review_history"].as_array().unwrap().len() == 2);
    let rebased = rebased.expect("one of them was reviewed twice");
    assert_eq!((&rebased["revision_count"], &rebased["status"]), (&0.into(), &"completed".into()));
    assert_ne!(rebased["base_commit"], stage.repo.git(&["rev-parse", "main"]));
    stage.assert_in_agreement();
}

#[test]
fn conflict_markers_that_are_left_never_get_through_and_the_rest_is_merged() {
    let builder = "grep -q 'conflict markers' <<< \"$prompt\" && exec touch looked\n\
        grep -q 'is a conflict marker' <<< \"$prompt\" || echo \"fine $id\" > shared.txt";
    let epic = "limits: {max_validation_failures: 1}\n";
    let stage = Setup { tickets: &["a", "b"], builder, epic, ..Setup::default() }.stage();
    assert_code(&stage.run(&["--merge", "--parallel", "1"]), 1);
    assert_eq!((stage.status("a"), stage.status("b")), ("completed".to_owned(), "failed".to_owned()));
    assert_eq!(stage.file("epic/login", "shared.txt"), "fine a");
}

#[test]
fn a_merge_whose_tests_fail_is_not_made() {
    let builder = "if grep -q 'could not be merged' <<< \"$prompt\"; then mv \"$id.txt\" other.txt\n\
        else echo fine > \"$id.txt\"; fi";
    let epic = "commands: {test: '! test -e a.txt || ! test -e b.txt'}\n";
    let stage = Setup { tickets: &["a", "b"], builder, epic, ..Setup::default() }.stage();
    let outcome = stage.run(&["--merge", "--parallel", "2"]);
    assert_code(&outcome, 0);
    assert!(
        outcome.stderr.contains("not merged: merged with the others, the tests do not pass"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.file("epic/login", "other.txt"), "fine");
}

#[test]
fn what_was_put_on_a_branch_after_its_approval_is_not_merged() {
    // Whoever reviews here uses the time to put something on the branch.
    let reviewer = format!(
        "cd '@repo@' && tree=$(git write-tree) && evil=$(echo evil | git -c user.name=x -c user.email=x@y \
         commit-tree -p ticket/a $tree) && git branch -qf ticket/a $evil; cd - > /dev/null\n{REVIEWER}"
    );
    let stage = Setup { reviewer: &reviewer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    assert_code(&stage.run(&["--merge"]), 0);
    let subjects = stage.repo.git(&["log", "--format=%s", "main..epic/login"]);
    assert!(subjects.contains("Ticket a") && !subjects.contains("evil"), "{subjects}");
    assert_eq!(stage.repo.git(&["log", "-1", "--format=%s", "ticket/a"]), "evil", "nobody's branch is reset");
}

#[test]
fn merging_may_be_asked_for_afterwards() {
    let stage = with_tickets(&["a", "b: a"]);
    assert_code(&stage.run(&[]), 0);
    assert_eq!(stage.repo.git(&["rev-parse", "epic/login"]), stage.repo.git(&["rev-parse", "main"]));
    assert_code(&stage.resume(&["--merge"]), 0);
    assert_eq!(
        (stage.file("epic/login", "a.txt"), stage.file("epic/login", "b.txt")),
        ("fine".into(), "fine".into())
    );
}

#[test]
fn an_epic_branch_that_is_checked_out_brings_its_files_along() {
    let stage = with_tickets(&["a"]);
    stage.repo.git(&["switch", "--quiet", "-c", "epic/login"]);
    assert_code(&stage.run(&["--merge"]), 0);
    assert_eq!(std::fs::read_to_string(stage.repo.path().join("a.txt")).unwrap(), "fine\n");
    let status = stage.repo.git(&["status", "--porcelain", "--untracked-files=no"]);
    assert_eq!(status, "");
}
