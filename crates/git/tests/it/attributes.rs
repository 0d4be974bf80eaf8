//! A change cannot hide itself.

use domain::change::{Attributes, Content};
use git::{Environment, Repository};
use testkit::Repo;

use crate::support::*;

fn marked(content: &str) -> Repo {
    let repo = Repo::new();
    repo.write(".gitattributes", content).write("a.rs", "1\n").commit("one");
    repo
}

const HIDING: &str = "*.rs binary linguist-generated linguist-vendored\n";

#[test]
fn attributes_of_the_change_itself_do_not_count() {
    if testkit::skip_with_old_git() {
        return;
    }
    let repo = marked("");
    repo.branch("feature").write(".gitattributes", HIDING).write("a.rs", "2\n");
    for ask in [worktree(), staged(), commits()] {
        match ask.what {
            git::What::Worktree => {}
            git::What::Staged => drop(repo.stage()),
            git::What::Commits => drop(repo.commit("hide")),
        }
        let change = change(&repo, &ask);
        let file = file(&change, "a.rs");
        assert_eq!(rendered(file), "@@ -1 +1 @@\n-1\n+2\n", "{:?}", ask.what);
        assert_eq!(file.attributes, Attributes::default());
    }
}

#[test]
fn attributes_of_the_first_commit_do_not_count_either() {
    let change = change(&marked(HIDING), &commits());
    assert_eq!(file(&change, "a.rs").attributes, Attributes::default());
    assert_eq!(file(&change, "a.rs").hunks().len(), 1);
}

#[test]
fn attributes_of_the_base_count_even_if_the_change_drops_them() {
    if testkit::skip_with_old_git() {
        return;
    }
    let repo = marked(
        "*.rs -diff\ngen/* linguist-generated\nvendor/* linguist-vendored=true\nvendor/ours -linguist-vendored\n",
    );
    repo.branch("feature").remove(".gitattributes").write("a.rs", "2\n");
    repo.write("gen/x", "1\n").write("vendor/x", "1\n").write("vendor/ours", "1\n").commit("two");
    let change = change(&repo, &commits());
    assert!(matches!(file(&change, "a.rs").content, Content::Binary));
    assert_eq!(file(&change, "gen/x").attributes, Attributes { generated: Some(true), vendored: None });
    assert_eq!(file(&change, "vendor/x").attributes.vendored, Some(true));
    assert_eq!(file(&change, "vendor/ours").attributes.vendored, Some(false));
}

#[test]
fn attributes_work_in_a_bare_repository() {
    if testkit::skip_with_old_git() {
        return;
    }
    let repo = marked("*.rs linguist-generated\n");
    repo.write("a.rs", "2\n").commit("two");
    let change = change(&repo.cloned(&["--bare"]), &commits());
    assert_eq!(file(&change, "a.rs").attributes.generated, Some(true));
}

#[test]
fn an_old_git_is_used_and_the_gap_is_told() {
    let repo = marked("");
    let old = r#"case "$2" in --attr-source=*) echo "unknown option: $2" >&2; exit 129;; version) echo "git version 2.34.1"; exit 0;; esac"#;
    let environment = Environment::from_vars(git_wrapper(&repo, old), &repo.outside("home"));
    let repository = Repository::discover_in(repo.path(), &environment).unwrap();
    let scope = repository.resolve(&commits()).unwrap();
    assert!(has_note(&scope, "own .gitattributes could not be kept out"), "{scope:?}");
    assert_eq!(repository.change(&scope).unwrap().files.len(), 2);
}

#[test]
fn a_git_that_is_too_old_is_refused() {
    let repo = marked("");
    let old = r#"case "$2" in --attr-source=*) echo "unknown option: $2" >&2; exit 129;; version) echo "git version 2.20.0"; exit 0;; esac"#;
    let environment = Environment::from_vars(git_wrapper(&repo, old), &repo.outside("home"));
    let error = Repository::discover_in(repo.path(), &environment).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.hint().as_str()),
        ("git 2.20.0 is too old", "git 2.31.0 or later is needed")
    );
}
