//! Which base is taken when nobody names one, and what is said about it.

use domain::change::Target;
use testkit::Repo;

use crate::support::*;

fn with_feature() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.branch("feature").write("a", "2\n").commit("two");
    repo
}

#[test]
fn a_branch_is_compared_with_where_it_left_main() {
    let repo = with_feature();
    let base = repo.git(&["rev-parse", "main"]);
    repo.checkout("main").write("elsewhere", "x\n").commit("main went on");
    repo.checkout("feature");
    let change = change(&repo, &commits());
    assert_eq!(change.scope.base.as_ref().unwrap().as_str(), base);
    assert_eq!((change.scope.base_name.as_str(), change.scope.head_name.as_str()), ("main", "feature"));
    assert_eq!(change.scope.notes, ["base guessed: main, by its name"]);
    assert_eq!(summary(&change), ["M a"]);
}

#[test]
fn the_default_branch_of_the_remote_is_the_base() {
    let origin = Repo::new();
    origin.write("a", "1\n").commit("one");
    origin.git(&["branch", "-m", "main", "stable"]);
    let repo = origin.cloned(&[]);
    repo.branch("feature").write("a", "2\n").commit("two");
    let scope = scope(&repo, &commits()).unwrap();
    assert_eq!(scope.base_name, "origin/stable");
    assert_eq!(scope.notes, ["base guessed: origin/stable, the default branch of origin"]);
}

#[test]
fn commits_on_main_that_are_not_pushed_are_compared_with_the_remote() {
    let origin = Repo::new();
    origin.write("a", "1\n").commit("one");
    let repo = origin.cloned(&[]);
    repo.write("a", "2\n").commit("two");
    repo.write("b", "3\n").commit("three");
    let change = change(&repo, &commits());
    assert_eq!(change.scope.base_name, "origin/main");
    assert_eq!(summary(&change), ["M a", "A b"]);
}

#[test]
fn with_nothing_newer_the_latest_commit_is_reviewed() {
    let origin = Repo::new();
    origin.write("a", "1\n").commit("one");
    origin.write("a", "2\n").commit("second \x1b[31m thing");
    let repo = origin.cloned(&[]);
    let change = change(&repo, &commits());
    let head = repo.git(&["rev-parse", "--short=10", "HEAD"]);
    assert_eq!(change.scope.base_name, "HEAD~1");
    let note = format!(
        "nothing on this branch is newer than origin/main: reviewing the latest commit, {head} second thing"
    );
    assert_eq!(change.scope.notes, [note]);
    assert_eq!(summary(&change), ["M a"]);
}

#[test]
fn uncommitted_changes_are_pointed_out_when_the_latest_commit_is_reviewed() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.write("a", "2\n").commit("two");
    assert!(!has_note(&scope(&repo, &commits()).unwrap(), "uncommitted"));
    repo.write("a", "3\n");
    assert!(has_note(
        &scope(&repo, &commits()).unwrap(),
        "uncommitted changes are not part of this review: use --worktree or --staged"
    ));
    assert!(open(&repo).has_uncommitted_changes().unwrap());
}

#[test]
fn the_first_commit_is_compared_with_nothing() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    let change = change(&repo, &commits());
    assert_eq!((change.scope.base.clone(), summary(&change)), (None, vec!["A a".to_owned()]));
}

#[test]
fn a_merge_as_the_latest_commit_is_compared_with_its_first_parent() {
    let repo = with_feature();
    repo.checkout("main").write("b", "x\n").commit("b");
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "feature"]);
    assert_eq!(summary(&change(&repo, &commits())), ["M a"]);
}

#[test]
fn an_explicit_base_equal_to_the_head_is_an_empty_change() {
    let repo = with_feature();
    let change = change(&repo, &between("feature", "feature"));
    assert!(change.files.is_empty());
    assert!(change.scope.notes.is_empty());
}

#[test]
fn a_detached_head_is_named_by_its_commit() {
    let repo = with_feature();
    repo.git(&["checkout", "--quiet", "--detach"]);
    let scope = scope(&repo, &commits()).unwrap();
    assert_eq!(scope.head_name, repo.git(&["rev-parse", "--short=10", "HEAD"]));
    assert_eq!(scope.base_name, "main");
}

#[test]
fn another_head_than_the_one_checked_out_can_be_reviewed() {
    let repo = with_feature();
    repo.checkout("main");
    let ask = git::Ask { head: Some("feature".into()), ..commits() };
    let change = change(&repo, &ask);
    assert_eq!(change.scope.head, Target::Commit(oid(&repo, "feature")));
    assert_eq!((change.scope.head_name.as_str(), summary(&change)), ("feature", vec!["M a".to_owned()]));
}

fn oid(repo: &Repo, name: &str) -> domain::change::Oid {
    domain::change::Oid::parse(&repo.git(&["rev-parse", name])).unwrap()
}

#[test]
fn of_several_merge_bases_the_first_is_taken_as_git_does() {
    let repo = with_feature();
    repo.checkout("main").write("b", "x\n").commit("b");
    let (main, feature) = (repo.git(&["rev-parse", "main"]), repo.git(&["rev-parse", "feature"]));
    repo.git(&["merge", "--quiet", "--no-edit", &feature]);
    repo.checkout("feature").git(&["merge", "--quiet", "--no-edit", &main]);
    repo.write("c", "x\n").commit("c");
    let scope = scope(&repo, &between("main", "feature")).unwrap();
    assert_eq!(scope.base.unwrap().as_str(), repo.git(&["merge-base", "main", "feature"]));
}
