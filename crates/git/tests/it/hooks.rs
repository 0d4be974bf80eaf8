//! Inside a git hook, where git itself says which index is meant.

use git::{Environment, Repository};
use testkit::Repo;

use crate::support::*;

#[test]
fn in_a_hook_of_a_partial_commit_the_index_of_that_commit_is_reviewed() {
    let repo = Repo::new();
    repo.write("a", "1\n").write("b", "1\n").commit("one");
    repo.write("a", "2\n").write("b", "2\n").stage();
    repo.git(&["read-tree", "--index-output=.git/next-index", "HEAD"]);
    let only_a = [("GIT_INDEX_FILE", ".git/next-index"), ("GIT_DIR", ".git")];
    let vars = repo.vars().into_iter().chain(only_a.map(|(k, v)| (k.into(), v.into())));
    let environment = Environment::from_vars(vars, repo.path());
    let repository = Repository::discover_in(repo.path(), &environment).unwrap();
    let change = repository.change(&repository.resolve(&staged()).unwrap()).unwrap();
    assert!(change.files.is_empty(), "{:?}", summary(&change));
}

#[test]
fn variables_of_one_repository_do_not_lead_into_another() {
    let (here, there) = (Repo::new(), Repo::new());
    there.write("a", "1\n").commit("one");
    let vars = here.vars().into_iter().chain([("GIT_DIR".into(), here.path().join(".git").into())]);
    let environment = Environment::from_vars(vars, here.path());
    let repository = Repository::discover_in(there.path(), &environment).unwrap();
    assert_eq!(repository.work_tree(), Some(there.path()));
}
