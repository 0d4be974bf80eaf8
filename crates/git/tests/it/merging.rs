//! Two branches brought together while nobody's checkout is touched.

use domain::change::Oid;
use git::{GitError, Merged};
use testkit::Repo;

use crate::support::*;

fn oid(repo: &Repo, name: &str) -> Oid {
    Oid::parse(&repo.git(&["rev-parse", name])).unwrap()
}

/// `ours` and `theirs` both come from `main`; each writes its line into the given file.
fn parted(ours: &str, theirs: &str) -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").write("b", "1\n").commit("one");
    repo.branch("ours").write(ours, "ours\n").commit("ours");
    repo.checkout("main");
    repo.branch("theirs").write(theirs, "theirs\n").commit("theirs");
    repo.checkout("main");
    repo
}

#[test]
fn what_fits_becomes_a_commit_with_both_as_parents_and_no_branch_moves() {
    let repo = parted("a", "b");
    let (ours, theirs) = (oid(&repo, "ours"), oid(&repo, "theirs"));
    let Merged::Commit(merge) = open(&repo).merge(&ours, &theirs, "Merge it").unwrap() else {
        panic!("no commit")
    };
    let parents = repo.git(&["log", "-1", "--format=%P", merge.as_str()]);
    assert_eq!(parents, format!("{ours} {theirs}"));
    assert_eq!(repo.git(&["show", &format!("{merge}:a")]), "ours");
    assert_eq!(repo.git(&["show", &format!("{merge}:b")]), "theirs");
    assert_eq!((oid(&repo, "ours"), repo.git(&["status", "--porcelain"])), (ours.clone(), String::new()));
    assert_eq!(open(&repo).merge(&merge, &theirs, "again").unwrap(), Merged::AlreadyIn);
}

#[test]
fn what_does_not_fit_is_named() {
    let repo = parted("a", "a");
    let (ours, theirs) = (oid(&repo, "ours"), oid(&repo, "theirs"));
    let Merged::Conflict(conflict) = open(&repo).merge(&ours, &theirs, "m").unwrap() else {
        panic!("no conflict")
    };
    assert_eq!(conflict.files, ["a".into()]);
    let (commit, files) = open(&repo).put_on_top(&ours, &theirs, "rebased").unwrap();
    assert_eq!(files, ["a".into()]);
    assert_eq!(repo.git(&["log", "-1", "--format=%P", commit.as_str()]), ours.as_str());
    assert!(repo.git(&["show", &format!("{commit}:a")]).contains("<<<<<<<"));
}

#[test]
fn a_configured_merge_driver_is_not_run() {
    let repo = parted("a", "a");
    repo.config("merge.mine.driver", "touch driver-ran; true");
    std::fs::write(repo.path().join(".git/info/attributes"), "a merge=mine\n").unwrap();
    let merged = open(&repo).merge(&oid(&repo, "ours"), &oid(&repo, "theirs"), "m").unwrap();
    assert!(matches!(merged, Merged::Conflict(_)), "{merged:?}");
    assert!(!repo.path().join("driver-ran").exists());
}

#[test]
fn several_commits_become_one_on_another_parent() {
    let repo = parted("a", "b");
    let (main, theirs) = (oid(&repo, "main"), oid(&repo, "theirs"));
    repo.checkout("theirs").write("c", "more\n").commit("more");
    let squashed = open(&repo).squashed(&oid(&repo, "theirs"), &main, "one").unwrap();
    assert_eq!(repo.git(&["rev-list", "--count", &format!("{main}..{squashed}")]), "1");
    assert_eq!(repo.git(&["show", &format!("{squashed}:c")]), "more");
    assert_ne!(squashed, theirs);
}

#[test]
fn a_branch_is_made_once_moved_from_where_it_was_and_never_under_a_checkout() {
    let repo = parted("a", "b");
    let (ours, theirs) = (oid(&repo, "ours"), oid(&repo, "theirs"));
    let opened = open(&repo);
    opened.make_branch("ticket/x", &ours).unwrap();
    opened.make_branch("ticket/x", &ours).unwrap();
    let moved = opened.make_branch("ticket/x", &theirs).unwrap_err();
    assert!(matches!(moved, GitError::BranchMoved(_)), "{moved}");
    opened.reset_branch("ticket/x", &ours, &theirs).unwrap();
    opened.reset_branch("ticket/x", &ours, &theirs).unwrap();
    assert!(matches!(opened.reset_branch("ticket/x", &ours, &ours), Err(GitError::BranchMoved(_))));
    repo.checkout("ticket/x");
    let held = opened.reset_branch("ticket/x", &theirs, &ours).unwrap_err();
    assert!(matches!(held, GitError::BranchInUse { .. }), "{held}");
    repo.checkout("main");
    opened.remove_branch("ticket/x", &theirs).unwrap();
    assert_eq!(opened.find_branch("ticket/x").unwrap(), None);
    assert!(matches!(opened.make_branch("a..b", &ours), Err(GitError::BadRevision { .. })));
}

#[test]
fn a_path_in_the_working_tree_is_named_from_its_root() {
    let repo = parted("a", "b");
    repo.write("epics/one/epic.yaml", "");
    let opened = open(&repo);
    let inside = opened.path_inside(&repo.path().join("epics/one/../one/epic.yaml"));
    assert_eq!(inside, Some("epics/one/epic.yaml".into()));
    assert_eq!(opened.path_inside(&repo.outside("epic.yaml")), None);
}

#[test]
fn a_branch_that_is_locked_for_a_moment_is_moved_all_the_same() {
    let repo = Repo::new();
    let first = Oid::parse(&repo.write("a", "1\n").commit("one")).unwrap();
    let second = Oid::parse(&repo.write("a", "2\n").commit("two")).unwrap();
    repo.git(&["branch", "topic", first.as_str()]);
    let lock = repo.path().join(".git/refs/heads/topic.lock");
    std::fs::write(&lock, "").unwrap();
    let free = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        std::fs::remove_file(lock).unwrap();
    });
    open(&repo).advance("topic", &first, &second).unwrap();
    free.join().unwrap();
    assert_eq!(repo.git(&["rev-parse", "topic"]), second.as_str());
}
