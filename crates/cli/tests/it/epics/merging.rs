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
    let report = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    assert!(
        report.contains("(rebase): passed") && report.contains("was rebased, so see how it was fitted"),
        "{report}"
    );
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
    let report = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    assert!(report.contains("what it holds now passed no gate and stays out"), "{report}");
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

/// Makes a commit that nobody reviewed, on top of a branch, and puts a branch there.
fn evil(on: &str, branch: &str) -> String {
    format!(
        "tree=$(git -C '@repo@' rev-parse '{on}^{{tree}}') && evil=$(echo evil | git -C '@repo@' -c user.name=x \\
         -c user.email=x@y commit-tree -p {on} $tree) && git -C '@repo@' update-ref refs/heads/{branch} $evil\n"
    )
}

#[test]
fn branches_that_move_while_a_builder_works_unconfined_are_told_of_and_left_alone() {
    let builder = format!(
        "echo fine >> \"$id.txt\"\n{}git -C '@repo@' update-ref -d refs/heads/side\necho Done.",
        evil("main", "theirs")
    );
    let stage = Setup { builder: &builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    stage.repo.git(&["branch", "side"]);
    stage.repo.git(&["branch", "theirs"]);
    assert_code(&stage.run(&["--merge"]), 0);
    let page = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    for said in ["branch theirs was moved while", "branch side was deleted while"] {
        assert!(page.contains(said), "{page}");
    }
    assert_eq!(stage.repo.git(&["log", "-1", "--format=%s", "theirs"]), "evil");
    assert_eq!(stage.repo.git(&["rev-parse", "side"]), stage.repo.git(&["rev-parse", "main"]));
}

#[test]
fn a_builder_that_moves_the_epic_branch_gets_nothing_merged() {
    let builder = format!("echo fine >> \"$id.txt\"\n{}echo Done.", evil("main", "epic/login"));
    let stage = Setup { builder: &builder, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let outcome = stage.run(&["--merge"]);
    assert_code(&outcome, 4);
    assert_eq!(stage.repo.git(&["log", "--format=%s", "main..epic/login"]), "evil");
    let page = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    assert!(page.contains("epic/login"), "{page}");
}

#[test]
fn builders_at_work_at_once_are_not_blamed_for_what_the_run_moves() {
    let policy = "sandbox: off\n";
    let stage =
        Setup { tickets: &["a", "b", "c", "d: a"], builder: REVISES, policy, ..Setup::default() }.stage();
    let outcome = stage.run(&["--merge", "--parallel", "4"]);
    assert_code(&outcome, 0);
    assert!(!outcome.stderr.contains("was moved"), "{}", outcome.stderr);
    let page = std::fs::read_to_string(stage.repo.path().join("epics/login/epic-report.md")).unwrap();
    assert!(!page.contains("was moved"), "{page}");
}

#[test]
fn an_epic_branch_that_somebody_moved_waits_for_a_human_to_look() {
    let moves = evil("main", "epic/login");
    let reviewer = format!("[ -e '@outside@/once' ] || {{ touch '@outside@/once'; {moves} }}\n{REVIEWER}");
    let stage = Setup { reviewer: &reviewer, policy: "sandbox: off\n", ..Setup::default() }.stage();
    let was = stage.repo.git(&["rev-parse", "main"]);
    assert_code(&stage.run(&["--merge"]), 4);
    let stop = stage.ticket("a")["stopped"].clone();
    assert_eq!(stop["reason"], "human");
    assert!(stop["detail"].as_str().unwrap().contains("somebody else moved epic/login from"), "{stop}");
    assert_eq!(stage.state()["epic_commit"], was);
    let moved = stage.repo.git(&["rev-parse", "epic/login"]);
    let outcome = stage.resume(&[]);
    assert_code(&outcome, 0);
    assert!(outcome.stderr.contains("it goes on from there"), "{}", outcome.stderr);
    assert_eq!(stage.repo.git(&["rev-parse", "epic/login^1"]), moved);
}

#[test]
fn a_run_that_begins_anew_does_so_at_the_base_branch_and_keeps_what_there_was() {
    let stage = with_tickets(&["a"]);
    assert_code(&stage.run(&["--merge"]), 0);
    let old = stage.repo.git(&["rev-parse", "epic/login"]);
    stage.repo.write("new.txt", "new\n").commit("New");
    let outcome = stage.run(&["--merge", "--restart"]);
    assert_code(&outcome, 0);
    assert!(
        outcome.stderr.contains("What epic/login held is kept as epic/login-before-"),
        "{}",
        outcome.stderr
    );
    let kept = stage.repo.git(&["for-each-ref", "--format=%(objectname)", "refs/heads/epic/login-before-*"]);
    assert_eq!(kept, old);
    assert_eq!(stage.repo.git(&["rev-parse", "epic/login^1"]), stage.repo.git(&["rev-parse", "main"]));
    assert_eq!(stage.state()["base_commit"], stage.repo.git(&["rev-parse", "main"]));
}

#[test]
fn a_builder_that_left_conflicts_as_they_were_finds_them_again_when_it_repairs() {
    let builder = "if grep -q 'conflict markers' <<< \"$prompt\"; then :\n\
        elif grep -q '<<<<<<<' shared.txt 2> /dev/null; then printf 'fine a\\nfine b\\n' > shared.txt\n\
        else echo \"fine $id\" > shared.txt; fi";
    let stage = Setup { tickets: &["a", "b"], builder, ..Setup::default() }.stage();
    let outcome = stage.run(&["--merge", "--parallel", "1"]);
    assert_code(&outcome, 0);
    assert!(
        outcome.stderr.contains("its conflicts with this work are left in shared.txt"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        outcome.stderr.matches("it conflicts with what was merged before").count(),
        1,
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.file("epic/login", "shared.txt"), "fine a\nfine b");
}
