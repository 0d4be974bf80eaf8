//! Work on a commit, taken without moving a branch; and a branch that is moved afterwards.

use domain::change::Oid;
use git::{GitError, Held, Left, TheirHead};
use testkit::Repo;

use crate::support::*;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.git(&["branch", "topic"]);
    repo
}

fn work(repo: &Repo, opened: &git::Repository) -> (Oid, Oid) {
    let start = opened.branch_tip("topic").unwrap();
    let checkout = opened.checkout(&start, &repo.outside("shop/tree")).unwrap();
    std::fs::write(checkout.folder().join("a"), "2\n").unwrap();
    let Left::Commit(commit) = checkout.take("fix: it").unwrap() else { panic!("nothing") };
    (start, commit)
}

#[test]
fn work_is_taken_and_no_branch_moves() {
    let repo = repo();
    let opened = open(&repo);
    let (start, commit) = work(&repo, &opened);
    assert_eq!(repo.git(&["rev-parse", "topic"]), start.as_str());
    assert_eq!(repo.git(&["log", "-1", "--format=%s", commit.as_str()]), "fix: it");
    assert!(opened.patch(&start, &commit).unwrap().contains("\n-1\n+2\n"));
    assert!(!repo.outside("shop/tree").exists());
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
}

#[test]
fn commits_of_their_own_become_one() {
    let repo = repo();
    let opened = open(&repo);
    let start = opened.branch_tip("topic").unwrap();
    let checkout = opened.checkout(&start, &repo.outside("shop/tree")).unwrap();
    assert_eq!(checkout.their_head().unwrap(), TheirHead::Untouched);
    std::fs::write(checkout.folder().join("a"), "2\n").unwrap();
    repo.git_in(checkout.folder(), &["commit", "--quiet", "-am", "wip"]);
    assert_eq!(checkout.their_head().unwrap(), TheirHead::Ahead);
    let Left::Commit(commit) = checkout.take("fix: it").unwrap() else { panic!("nothing") };
    assert_eq!(repo.git(&["rev-list", "--count", &format!("{start}..{commit}")]), "1");
    repo.git_in(checkout.folder(), &["commit", "--quiet", "--amend", "-m", "other"]);
    repo.git_in(checkout.folder(), &["checkout", "--quiet", "--orphan", "lonely"]);
    repo.git_in(checkout.folder(), &["commit", "--quiet", "-m", "alone"]);
    assert_eq!(checkout.their_head().unwrap(), TheirHead::Rewritten);
}

#[test]
fn a_branch_goes_forward_once_and_only_from_where_it_was() {
    let repo = repo();
    let opened = open(&repo);
    let (start, commit) = work(&repo, &opened);
    opened.advance("topic", &start, &commit).unwrap();
    opened.advance("topic", &start, &commit).unwrap();
    assert_eq!(repo.git(&["rev-parse", "topic"]), commit.as_str());
    let moved = repo.write("c", "3\n").commit("three");
    repo.git(&["branch", "--force", "topic", &moved]);
    assert!(matches!(opened.advance("topic", &start, &commit), Err(GitError::BranchMoved(_))));
}

#[test]
fn a_branch_that_is_checked_out_here_brings_its_files_along() {
    let repo = repo();
    repo.checkout("topic").write("mine", "untracked\n");
    let opened = open(&repo);
    assert!(matches!(opened.held("topic").unwrap(), Held::Here(_)));
    let (start, commit) = work(&repo, &opened);
    opened.advance("topic", &start, &commit).unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? mine");
    assert_eq!(std::fs::read_to_string(repo.path().join("a")).unwrap(), "2\n");
}

#[test]
fn uncommitted_work_in_the_way_is_left_alone() {
    let repo = repo();
    repo.checkout("topic").write("a", "mine\n");
    let opened = open(&repo);
    let (start, commit) = work(&repo, &opened);
    let refused = opened.advance("topic", &start, &commit);
    assert!(matches!(refused, Err(GitError::CheckoutInTheWay { .. })), "{refused:?}");
    assert!(refused.is_err_and(|error| error.to_string().ends_with(" a")));
    assert_eq!(std::fs::read_to_string(repo.path().join("a")).unwrap(), "mine\n");
    assert_eq!(repo.git(&["rev-parse", "topic"]), start.as_str());
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_stays() {
    let repo = repo();
    repo.git(&["worktree", "add", "--quiet", repo.outside("theirs").to_str().unwrap(), "topic"]);
    let opened = open(&repo);
    assert!(matches!(opened.held("topic").unwrap(), Held::Elsewhere(_)));
    let (start, commit) = work(&repo, &opened);
    assert!(matches!(opened.advance("topic", &start, &commit), Err(GitError::BranchInUse { .. })));
}

#[test]
fn what_a_crash_left_is_cleared() {
    let repo = repo();
    let opened = open(&repo);
    let start = opened.branch_tip("topic").unwrap();
    let place = repo.outside("shop/tree");
    std::mem::forget(opened.checkout(&start, &place).unwrap());
    drop(opened.checkout(&start, &place).unwrap());
    std::mem::forget(opened.checkout(&start, &place).unwrap());
    opened.clear_checkout(&place).unwrap();
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
}

#[test]
fn the_base_is_that_of_the_remote_where_there_is_one() {
    let repo = repo();
    assert_eq!(open(&repo).base_of("main").unwrap().0, "main");
    let clone = repo.cloned(&[]);
    assert_eq!(open(&clone).base_of("main").unwrap().0, "origin/main");
    clone.git(&["checkout", "--quiet", "--detach"]);
    assert!(matches!(open(&clone).current_branch(), Err(GitError::Detached)));
}

#[test]
fn a_worktree_that_somebody_else_is_just_making_is_waited_for() {
    let repo = repo();
    let making = repo.path().join(".git/worktrees/theirs");
    std::fs::create_dir_all(&making).unwrap();
    std::fs::write(making.join("gitdir"), "/nowhere/.git\n").unwrap();
    std::fs::write(making.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(making.join("commondir"), "").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            std::fs::write(making.join("commondir"), "../..\n").unwrap();
        });
        let repository = open(&repo);
        let start = repository.branch_tip("main").unwrap();
        let checkout = repository.checkout(&start, &repo.outside("tree")).unwrap();
        assert!(checkout.folder().join(".git").exists());
    });
}
