use super::stage::*;

fn refused(stage: &Stage, more: &[&str], why: &str) {
    let before = (stage.tip(), stage.repo.git(&["status", "--porcelain"]));
    let outcome = stage.run(more);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains(why), "{why}: {}", outcome.stderr);
    assert_eq!((stage.tip(), stage.repo.git(&["status", "--porcelain"])), before);
    stage.assert_nothing_left();
}

#[test]
fn a_clean_checkout_of_the_branch_is_brought_along() {
    let stage = with_notes("fine\nBUG one\n");
    stage.repo.checkout("topic");
    assert_code(&stage.run(&[]), 0);
    assert_eq!(std::fs::read_to_string(stage.repo.path().join("notes.txt")).unwrap(), "fine\n");
    assert_eq!(stage.repo.git(&["status", "--porcelain"]), "?? docs/");
}

#[test]
fn uncommitted_work_on_the_branch_is_not_mixed_with_an_agents() {
    let stage = with_notes("BUG one\n");
    stage.repo.checkout("topic").write("notes.txt", "mine\n");
    refused(&stage, &[], "has uncommitted changes: notes.txt");
    assert_eq!(std::fs::read_to_string(stage.repo.path().join("notes.txt")).unwrap(), "mine\n");
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_is_left_alone() {
    let stage = with_notes("BUG one\n");
    let theirs = stage.repo.outside("theirs");
    stage.repo.git(&["worktree", "add", "--quiet", theirs.to_str().unwrap(), "topic"]);
    let outcome = stage.run(&[]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("is checked out in"), "{}", outcome.stderr);
}

#[test]
fn a_detached_head_is_no_branch() {
    let stage = with_notes("BUG one\n");
    stage.repo.git(&["checkout", "--quiet", "--detach", "topic"]);
    let outcome = crate::program::run(stage.command(&["--title", "x"]));
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("HEAD is detached"), "{}", outcome.stderr);
}

#[test]
fn an_unrelated_history_is_explained() {
    let stage = with_notes("BUG one\n");
    stage.repo.git(&["checkout", "--quiet", "--orphan", "island"]);
    stage.repo.commit("Alone");
    stage.repo.checkout("main");
    refused(&stage, &["--base", "island"], "have no common ancestor");
}

#[test]
fn a_branch_or_base_that_is_not_there_is_explained() {
    let stage = with_notes("BUG one\n");
    let outcome = crate::program::run(stage.command(&["--title", "x", "--branch", "topci"]));
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("did you mean topic?"), "{}", outcome.stderr);
    refused(&stage, &["--base", "nowhere"], "there is no revision `nowhere`");
}

#[test]
fn a_base_that_moved_is_told_of() {
    let stage = with_notes("BUG one\nBUG two\n");
    script(&stage.repo, "engineer", "cat > /dev/null; false");
    assert_code(&stage.run(&[]), 4);
    stage.repo.write("README.md", "# Moved\n").commit("Move on");
    script(&stage.repo, "engineer", ALL_AT_ONCE);
    let outcome = stage.resume(&["--yes-to", "c"]);
    assert_code(&outcome, 0);
    assert!(outcome.stdout.contains("Note: main moved from "), "{}", outcome.stdout);
}

#[test]
fn the_remote_base_counts_where_there_is_one() {
    let stage = with_notes("fine\n");
    stage.repo.checkout("topic");
    let clone = stage.repo.cloned(&["--branch", "main"]);
    clone.git(&["checkout", "--quiet", "topic"]);
    let mut command = crate::program::command(clone.path());
    command.args(["loop", "--title", "x", "--base", "main", "--reviewer", "qa"]);
    let outcome = crate::program::run(command);
    assert_code(&outcome, 0);
    assert!(outcome.stderr.contains("qa reviews topic against origin/main"), "{}", outcome.stderr);
}

#[test]
fn a_link_in_the_place_of_a_document_is_not_followed() {
    let stage = with_notes("fine\n");
    let victim = stage.repo.outside("victim");
    std::fs::write(&victim, "precious\n").unwrap();
    stage.repo.checkout("topic").write("docs/progress/readme", "\n");
    let link = "docs/progress/story-1.2-review-findings-round-1.md";
    stage.repo.symlink(link, victim.to_str().unwrap()).commit("Trap");
    assert_code(&stage.run(&[]), 0);
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious\n");
    assert!(stage.document(1).starts_with("# Story 1.2"), "{}", stage.document(1));
}

#[test]
fn a_folder_of_documents_that_leads_out_of_the_repository_is_refused() {
    let stage = with_notes("fine\n");
    let outside = stage.repo.outside("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    stage.repo.checkout("topic").write("docs/readme", "\n");
    stage.repo.symlink("docs/progress", outside.to_str().unwrap()).commit("Trap");
    let outcome = stage.run(&[]);
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("a link leads out of the repository"), "{}", outcome.stderr);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_model_cannot_fix() {
    let stage = with_notes("BUG one\n");
    let outcome =
        crate::program::run(stage.command(&["--title", "x", "--branch", "topic", "--fixer", "model"]));
    assert_code(&outcome, 2);
    assert!(outcome.stderr.contains("can review and cannot write code"), "{}", outcome.stderr);
}
