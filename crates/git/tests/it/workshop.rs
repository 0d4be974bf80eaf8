//! Work on a branch, away from everybody's checkout.

use git::{Committed, GitError};
use testkit::Repo;

use crate::support::*;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.git(&["branch", "topic"]);
    repo
}

#[test]
fn what_was_changed_is_committed_to_the_branch_and_to_nothing_else() {
    let repo = repo();
    repo.write("mine", "untracked\n");
    let opened = open(&repo);
    let workshop = opened.workshop("topic", None, &repo.outside("shop")).unwrap();
    std::fs::write(workshop.folder().join("a"), "2\n").unwrap();
    std::fs::write(workshop.folder().join("b"), "new\n").unwrap();
    let Committed::At(head) = workshop.commit("fix: it\n\nas asked").unwrap() else { panic!("nothing") };
    drop(workshop);
    assert_eq!(repo.git(&["rev-parse", "topic"]), head.as_str());
    assert_eq!(repo.git(&["log", "--format=%s by %an", "-1", "topic"]), "fix: it by Countersign");
    assert_eq!(repo.git(&["diff", "--name-only", "main", "topic"]), "a\nb");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? mine");
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    assert!(!repo.outside("shop").exists());
}

#[test]
fn who_is_configured_is_who_commits() {
    let repo = repo();
    repo.config("user.name", "Ada").config("user.email", "ada@example.com");
    let opened = open(&repo);
    let workshop = opened.workshop("topic", None, &repo.outside("shop")).unwrap();
    std::fs::write(workshop.folder().join("a"), "2\n").unwrap();
    workshop.commit("x").unwrap();
    assert_eq!(repo.git(&["log", "--format=%an <%ae>", "-1", "topic"]), "Ada <ada@example.com>");
}

#[test]
fn nothing_changed_is_no_commit() {
    let repo = repo();
    let before = repo.git(&["rev-parse", "topic"]);
    let opened = open(&repo);
    let workshop = opened.workshop("topic", None, &repo.outside("shop")).unwrap();
    assert_eq!(workshop.commit("x").unwrap(), Committed::NothingChanged);
    assert_eq!(repo.git(&["rev-parse", "topic"]), before);
}

#[test]
fn a_branch_that_is_checked_out_is_left_alone() {
    let repo = repo();
    let refused = open(&repo).workshop("main", None, &repo.outside("shop")).map(drop);
    assert!(matches!(refused, Err(GitError::BranchInUse { .. })), "{refused:?}");
    repo.git(&["worktree", "add", "--quiet", repo.outside("theirs").to_str().unwrap(), "topic"]);
    let refused = open(&repo).workshop("topic", None, &repo.outside("shop")).map(drop);
    assert!(matches!(refused, Err(GitError::BranchInUse { .. })), "{refused:?}");
}

#[test]
fn a_branch_that_was_moved_meanwhile_is_left_alone() {
    let repo = repo();
    let opened = open(&repo);
    let workshop = opened.workshop("topic", None, &repo.outside("shop")).unwrap();
    std::fs::write(workshop.folder().join("a"), "2\n").unwrap();
    let moved = repo.write("c", "3\n").commit("three");
    repo.git(&["branch", "--force", "topic", &moved]);
    let refused = workshop.commit("x");
    assert!(matches!(refused, Err(GitError::BranchMoved(_))), "{refused:?}");
    assert_eq!(repo.git(&["rev-parse", "topic"]), moved);
}

#[test]
fn a_branch_that_does_not_exist_begins_at_its_base() {
    let repo = repo();
    let opened = open(&repo);
    assert!(opened.workshop("new/one", None, &repo.outside("shop")).is_err());
    let workshop = opened.workshop("new/one", Some("main"), &repo.outside("shop")).unwrap();
    std::fs::write(workshop.folder().join("b"), "2\n").unwrap();
    workshop.commit("feat: b").unwrap();
    assert_eq!(repo.git(&["diff", "--name-only", "main", "new/one"]), "b");
}

#[test]
fn a_repository_put_into_the_worktree_is_not_entered() {
    let repo = repo();
    let opened = open(&repo);
    let workshop = opened.workshop("topic", None, &repo.outside("shop")).unwrap();
    let nested = workshop.folder().join("sub");
    std::fs::create_dir(&nested).unwrap();
    repo.git_in(&nested, &["init", "--quiet"]);
    let refused = workshop.commit("x");
    assert!(matches!(refused, Err(GitError::NestedRepository(_))), "{refused:?}");
}

#[test]
fn hooks_and_filters_are_not_run() {
    let repo = repo();
    repo.write(".gitattributes", "* filter=evil\n").commit("two");
    repo.git(&["branch", "--force", "topic"]);
    let mark = |name: &str| format!("touch '{}'", repo.outside("ran").join(name).display());
    std::fs::create_dir(repo.outside("ran")).unwrap();
    for kind in ["clean", "smudge"] {
        repo.config(&format!("filter.evil.{kind}"), &format!("{}; cat", mark(kind)));
    }
    for hook in ["post-checkout", "reference-transaction", "pre-commit", "post-commit"] {
        let path = format!(".git/hooks/{hook}");
        repo.write(&path, format!("#!/bin/sh\n{}\n", mark(hook))).chmod(&path, 0o755);
    }
    let opened = open(&repo);
    let workshop = opened.workshop("topic", None, &repo.outside("shop")).unwrap();
    std::fs::write(workshop.folder().join("a"), "2\n").unwrap();
    workshop.commit("x").unwrap();
    drop(workshop);
    let ran: Vec<_> =
        std::fs::read_dir(repo.outside("ran")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(ran.is_empty(), "{ran:?}");
}

#[test]
fn what_a_crash_left_behind_is_forgotten() {
    let repo = repo();
    let opened = open(&repo);
    let place = |name: &str| repo.outside("shops").join(name).join("tree");
    std::mem::forget(opened.workshop("topic", None, &place("one")).unwrap());
    std::fs::remove_dir_all(repo.outside("shops").join("one")).unwrap();
    drop(opened.workshop("topic", None, &place("two")).unwrap());
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
}

#[test]
fn a_workshop_whose_process_died_is_removed_and_nobody_elses() {
    let repo = repo();
    let opened = open(&repo);
    let place = |name: &str| repo.outside("shops").join(name).join("tree");
    let living = opened.workshop("topic", None, &place("living")).unwrap();
    for name in ["dead", "theirs"] {
        repo.git(&["worktree", "add", "--quiet", "--detach", place(name).to_str().unwrap(), "topic"]);
    }
    // As a process that was killed leaves it: the file is there, and the kernel has taken the lock back.
    std::fs::write(place("dead").with_file_name("tree.lock"), "").unwrap();
    drop(opened.workshop("topic", None, &place("next")).unwrap());
    let listed = repo.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains("dead") && !listed.contains("next"), "{listed}");
    assert!(listed.contains("living") && listed.contains("theirs"), "{listed}");
    assert!(living.folder().join("a").exists() && place("theirs").join("a").exists());
    assert!(!place("dead").exists() && !place("dead").with_file_name("tree.lock").exists());
    assert!(!place("next").with_file_name("tree.lock").exists());
}
