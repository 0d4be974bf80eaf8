//! The index under review.

use domain::change::{Side, Status, Target};
use domain::ports::Sources;
use git::GitError;
use testkit::Repo;

use crate::support::*;

fn base() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").write("b", "1\n").commit("one");
    repo
}

#[test]
fn only_what_is_staged_counts() {
    let repo = base();
    repo.write("a", "2\n").stage().write("a", "3\n").write("b", "2\n").write("c", "new\n");
    let change = change(&repo, &staged());
    assert_eq!((change.scope.head.clone(), change.scope.base_name.as_str()), (Target::Index, "HEAD"));
    assert_eq!(change.scope.head_name, "main");
    assert_eq!(summary(&change), ["M a"]);
    assert_eq!(rendered(&change.files[0]), "@@ -1 +1 @@\n-1\n+2\n");
}

#[test]
fn what_is_only_intended_to_be_added_is_not_staged() {
    let repo = base();
    repo.write("c", "new\n").git(&["add", "--intent-to-add", "c"]);
    assert!(change(&repo, &staged()).files.is_empty());
    assert_eq!(summary(&change(&repo, &worktree())), ["A c"]);
}

#[test]
fn with_a_base_the_branch_and_the_index_are_one_change() {
    let repo = base();
    repo.branch("feature").write("a", "2\n").commit("two");
    repo.write("b", "2\n").stage();
    let ask = git::Ask { base: Some("main".into()), ..staged() };
    let change = change(&repo, &ask);
    assert_eq!(
        (change.scope.base_name.as_str(), summary(&change)),
        ("main", vec!["M a".into(), "M b".into()])
    );
}

#[test]
fn before_the_first_commit_everything_staged_is_new() {
    let repo = Repo::new();
    repo.write("a", "1\n").stage();
    for ask in [staged(), worktree()] {
        let change = change(&repo, &ask);
        assert_eq!((change.scope.base.clone(), summary(&change)), (None, vec!["A a".to_owned()]));
    }
}

#[test]
fn a_path_in_conflict_is_unmerged() {
    let repo = base();
    repo.branch("other").write("a", "other\n").commit("other");
    repo.checkout("main").write("a", "main\n").commit("main");
    repo.try_git(repo.path(), &["merge", "other"]);
    let repository = open(&repo);
    let scope = repository.resolve(&staged()).unwrap();
    let found = repository.change(&scope).unwrap();
    assert_eq!((found.files.len(), found.files[0].status), (1, Status::Unmerged));
    assert_eq!(repository.sources(&scope).unwrap().read(&found.files[0], Side::New).unwrap(), None);
    let on_disk = change(&repo, &worktree());
    assert!(rendered(file(&on_disk, "a")).contains("+<<<<<<< HEAD"));
}

#[test]
fn a_bare_repository_has_neither_index_nor_working_tree() {
    let bare = base().cloned(&["--bare"]);
    for ask in [staged(), worktree()] {
        let error = scope(&bare, &ask).unwrap_err();
        assert!(matches!(error, GitError::NoWorkTree { .. }), "{error:?}");
    }
}
