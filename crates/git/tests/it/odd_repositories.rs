//! Repositories of every shape, and places that are none.

use git::{Environment, GitError, Repository};
use testkit::Repo;

use crate::support::*;

fn two_commits() -> Repo {
    let repo = Repo::new();
    repo.write("dir/a", "1\n").commit("one");
    repo.write("dir/a", "2\n").commit("two");
    repo
}

#[test]
fn an_empty_repository_has_no_commits_to_review() {
    let error = scope(&Repo::new(), &commits()).unwrap_err();
    assert!(matches!(error, GitError::NoCommits), "{error:?}");
    assert_eq!(error.hint(), "no commits yet to review: use --staged or --worktree");
}

#[test]
fn a_branch_without_commits_beside_others_is_told_from_an_empty_repository() {
    let repo = two_commits();
    repo.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    let error = scope(&repo, &commits()).unwrap_err();
    assert_eq!(error.to_string(), "the current branch has no commits yet, other branches do");
    assert!(error.hint().contains("--head BRANCH") && error.hint().contains("--worktree"));
    assert_eq!(summary(&change(&repo, &worktree())), ["A dir/a"]);
    assert!(scope(&repo, &git::Ask { head: Some("main".into()), ..commits() }).is_ok());
}

#[test]
fn discovery_works_from_any_place_inside() {
    let repo = two_commits();
    for place in ["", "dir", "dir/a", ".git", ".git/refs/heads"] {
        let repository = open_at(&repo, &repo.path().join(place)).unwrap();
        assert_eq!(repository.work_tree(), Some(repo.path()), "{place}");
        assert_eq!(repository.git_dir(), repo.path().join(".git"));
        let scope = repository.resolve(&commits()).unwrap();
        assert_eq!(summary(&repository.change(&scope).unwrap()), ["M dir/a"], "{place}");
    }
    assert_eq!(open_at(&repo, &repo.path().join("dir")).unwrap().prefix(), std::path::Path::new("dir/"));
}

#[test]
fn from_a_folder_inside_the_whole_working_tree_is_reviewed() {
    let repo = two_commits();
    repo.config("diff.relative", "true").write("top", "x\n").write("dir/new", "x\n");
    let repository = open_at(&repo, &repo.path().join("dir")).unwrap();
    let change = repository.change(&repository.resolve(&worktree()).unwrap()).unwrap();
    assert_eq!(summary(&change), ["A dir/new", "A top"]);
}

#[test]
fn a_folder_with_a_line_feed_in_its_name_is_no_obstacle() {
    let repo = two_commits();
    let odd = repo.outside("odd\nname");
    std::fs::rename(repo.path(), &odd).unwrap();
    let repository = open_at(&repo, &odd.join("dir")).unwrap();
    assert_eq!(repository.work_tree(), Some(odd.as_path()));
    std::fs::rename(&odd, repo.path()).unwrap();
}

#[test]
fn a_bare_repository_can_be_reviewed() {
    let bare = two_commits().cloned(&["--bare"]);
    let repository = open(&bare);
    assert!(repository.is_bare());
    assert_eq!(summary(&change(&bare, &commits())), ["M dir/a"]);
}

#[test]
fn a_linked_worktree_is_a_repository_of_its_own() {
    let repo = two_commits();
    let linked = repo.outside("linked");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    std::fs::write(linked.join("dir/a"), "3\n").unwrap();
    let repository = open_at(&repo, &linked).unwrap();
    assert_eq!(repository.work_tree(), Some(linked.as_path()));
    let scope = repository.resolve(&worktree()).unwrap();
    assert_eq!(scope.head_name, "side");
    assert_eq!(summary(&repository.change(&scope).unwrap()), ["M dir/a"]);
    assert!(change(&repo, &worktree()).files.is_empty());
}

#[test]
fn sha256_repositories_work_in_every_mode() {
    let repo = Repo::with_init(&["--object-format=sha256"]);
    repo.write("a", "1\n").commit("one");
    assert_eq!(summary(&change(&repo, &commits())), ["A a"]);
    repo.write("a", "2\n").commit("two");
    let found = change(&repo, &commits());
    assert_eq!(found.scope.base.as_ref().unwrap().as_str().len(), 64);
    repo.write("a", "3\n").write("b", "1\n");
    assert_eq!(summary(&change(&repo, &worktree())), ["M a", "A b"]);
    assert_eq!(summary(&change(repo.stage(), &staged())), ["M a", "A b"]);
}

#[test]
fn a_shallow_clone_lacks_the_parent() {
    let shallow = two_commits().cloned(&["--depth=1"]);
    assert!(open(&shallow).is_shallow());
    let error = scope(&shallow, &commits()).unwrap_err();
    assert!(matches!(error, GitError::Shallow { .. }), "{error:?}");
    assert!(error.hint().contains("git fetch --unshallow"));
}

#[test]
fn a_shallow_clone_may_lack_the_merge_base() {
    let repo = two_commits();
    repo.branch("feature").write("b", "1\n").commit("b");
    repo.checkout("main").write("c", "1\n").commit("c");
    let shallow = repo.cloned(&["--depth=1", "--no-single-branch"]);
    let error = scope(&shallow, &between("origin/main", "origin/feature")).unwrap_err();
    assert!(matches!(error, GitError::Shallow { .. }), "{error:?}");
}

#[test]
fn a_partial_clone_is_never_filled_behind_the_users_back() {
    let origin = two_commits();
    origin.config("uploadpack.allowFilter", "true").config("uploadpack.allowAnySHA1InWant", "true");
    let partial = origin.cloned(&["--filter=blob:none", "--no-checkout"]);
    let before = partial.snapshot();
    let repository = open(&partial);
    let error = repository.change(&repository.resolve(&between("HEAD~1", "HEAD")).unwrap()).unwrap_err();
    assert!(matches!(error, GitError::MissingObjects { .. }), "{error:?}");
    assert!(error.hint().contains("git diff --stat"));
    before.assert_same(&partial.snapshot());
    partial.git(&["diff", "--stat", "HEAD~1", "HEAD"]);
    assert_eq!(summary(&change(&partial, &between("HEAD~1", "HEAD"))), ["M dir/a"]);
}

#[test]
fn a_repository_of_somebody_else_is_named_with_the_way_out() {
    let repo = two_commits();
    let vars = git_wrapper(&repo, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1");
    let environment = Environment::from_vars(vars.clone(), &repo.outside("home"));
    let error = Repository::discover_in(repo.path(), &environment).unwrap_err();
    assert!(matches!(error, GitError::DubiousOwnership(_)), "{error:?}");
    assert!(error.hint().contains(&format!("safe.directory {}", repo.path().display())));

    let trusting = [("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*")];
    let vars = vars.into_iter().chain(trusting.map(|(k, v)| (k.into(), v.into())));
    let environment = Environment::from_vars(vars, &repo.outside("home"));
    Repository::discover_in(repo.path(), &environment).unwrap();
}

#[test]
fn places_that_are_no_repository_are_told_apart() {
    let repo = Repo::new();
    let error = open_at(&repo, &repo.outside("home")).unwrap_err();
    assert!(matches!(error, GitError::NotARepository(_)), "{error:?}");
    let error = open_at(&repo, &repo.outside("nowhere")).unwrap_err();
    assert!(matches!(error, GitError::NoSuchPath(_)), "{error:?}");
    let nothing = Environment::from_vars([("PATH".into(), "/nonexistent".into())], repo.path());
    let error = Repository::discover_in(repo.path(), &nothing).unwrap_err();
    assert!(matches!(error, GitError::GitNotInstalled), "{error:?}");
}

#[test]
fn the_version_of_git_is_known() {
    let repo = Repo::new();
    let printed = repo.git(&["version"]);
    assert!(printed.contains(&open(&repo).version().unwrap().to_string()), "{printed}");
}
