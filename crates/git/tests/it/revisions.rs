//! What people type for a revision.

use git::GitError;
use testkit::Repo;

use crate::support::*;

fn two_commits() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.write("a", "2\n").commit("two");
    repo
}

#[test]
fn every_way_to_name_a_commit_is_understood() {
    let repo = two_commits();
    repo.git(&["tag", "-a", "v1", "-m", "tagged", "HEAD~1"]);
    let sha = repo.git(&["rev-parse", "HEAD~1"]);
    for base in ["HEAD~1", "v1", "HEAD^", "refs/tags/v1", "@~", ":/one", "main@{1}", &sha, &sha[..8]] {
        let scope = scope(&repo, &between(base, "HEAD")).unwrap();
        assert_eq!(scope.base.unwrap().as_str(), sha, "{base}");
    }
}

#[test]
fn a_full_commit_id_is_shown_short() {
    let repo = two_commits();
    let sha = repo.git(&["rev-parse", "HEAD"]);
    let scope = scope(&repo, &between("HEAD~1", &sha)).unwrap();
    assert_eq!(scope.head_name, sha[..10]);
}

#[test]
fn an_unknown_revision_is_answered_with_the_nearest_names() {
    let repo = two_commits();
    repo.git(&["branch", "feature/login"]);
    let error = scope(&repo, &between("feature/logn", "HEAD")).unwrap_err();
    assert_eq!(error.to_string(), "there is no revision `feature/logn`");
    assert_eq!(error.hint(), "did you mean feature/login?");
}

#[test]
fn what_git_refuses_to_think_about_is_unknown() {
    let repo = two_commits();
    for name in ["main@{upstream}", "main@{99}", "HEAD:a", "nothing", "HEAD^9", "0000000000", ":0:a"] {
        let error = scope(&repo, &between(name, "HEAD")).unwrap_err();
        assert!(matches!(error, GitError::UnknownRevision { .. }), "{name}: {error:?}");
    }
}

#[test]
fn a_revision_is_never_an_option_or_a_range() {
    let repo = two_commits();
    for name in ["--output=x", "-p", "", " ", "a\nb", "main..HEAD"] {
        let error = scope(&repo, &between("HEAD", name)).unwrap_err();
        assert!(matches!(error, GitError::BadRevision { .. }), "{name:?}: {error:?}");
        assert!(!error.to_string().contains('\n'));
    }
    assert!(!repo.path().join("x").exists());
}

#[test]
fn too_few_digits_are_ambiguous() {
    let repo = Repo::new();
    for n in 0..1000 {
        repo.write(&format!("f{n}"), format!("{n}\n"));
    }
    repo.commit("many objects, of which some share their first four digits");
    let all = repo.git(&["cat-file", "--batch-check=%(objectname)", "--batch-all-objects"]);
    let sorted: Vec<&str> = all.lines().map(|oid| &oid[..4]).collect();
    let shared = sorted.windows(2).find(|pair| pair[0] == pair[1]).unwrap()[0];
    let error = scope(&repo, &between(shared, "HEAD")).unwrap_err();
    assert!(matches!(error, GitError::AmbiguousRevision(_)), "{error:?}");
}

#[test]
fn a_tag_with_the_name_of_a_branch_is_pointed_out() {
    let repo = two_commits();
    repo.git(&["branch", "both", "HEAD"]);
    repo.git(&["tag", "both", "HEAD~1"]);
    let scope = scope(&repo, &between("both", "HEAD")).unwrap();
    assert_eq!(scope.base.as_ref().unwrap().as_str(), repo.git(&["rev-parse", "HEAD~1"]));
    assert!(has_note(&scope, "both is both a tag and a branch"));
}

#[test]
fn histories_that_never_met_have_no_base() {
    let repo = two_commits();
    repo.git(&["checkout", "--quiet", "--orphan", "pages"]);
    repo.commit("unrelated");
    let error = scope(&repo, &commits()).unwrap_err();
    assert_eq!(error.to_string(), "main and pages have no common ancestor");
    assert!(error.hint().contains("--base"));
}

#[test]
fn a_head_is_no_answer_to_what_is_not_committed() {
    let repo = two_commits();
    for ask in [staged(), worktree()] {
        let error = scope(&repo, &git::Ask { head: Some("main".into()), ..ask }).unwrap_err();
        assert!(matches!(error, GitError::HeadNotApplicable(_)));
    }
}
