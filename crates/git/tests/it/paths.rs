//! Names that trip up parsers.

use domain::change::{RepoPath, Side};
use domain::ports::Sources;
use testkit::Repo;

use crate::support::*;

const NAMES: [&[u8]; 12] = [
    b"with space",
    b"tab\there",
    b"line\nfeed",
    b"quote\"d",
    b"back\\slash",
    b"-dash",
    b"latin\xe9",
    b"x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y",
    b"* Unmerged path z",
    b"dir with space /and\x01control",
    b":(glob)*",
    b"caf\xc3\xa9",
];

#[test]
fn any_path_git_allows_is_read_as_it_is() {
    let repo = Repo::new();
    repo.write("z", "z\n").commit("zero");
    repo.branch("feature");
    for name in NAMES {
        repo.write_bytes_path(name, b"one\n");
    }
    repo.commit("odd names");
    check(&repo, &commits());
}

#[test]
fn any_path_is_read_from_index_and_working_tree_too() {
    let repo = Repo::new();
    repo.write("z", "z\n").commit("zero");
    for name in NAMES {
        repo.write_bytes_path(name, b"one\n");
    }
    check(&repo, &worktree());
    repo.stage();
    check(&repo, &staged());
    check(&repo, &worktree());
}

fn check(repo: &Repo, ask: &git::Ask) {
    let repository = open(repo);
    let scope = repository.resolve(ask).unwrap();
    let change = repository.change(&scope).unwrap();
    let sources = repository.sources(&scope).unwrap();
    assert_eq!(change.files.len(), NAMES.len(), "{:?}", summary(&change));
    for name in NAMES {
        let path = RepoPath::from_bytes(name);
        let file = change.files.iter().find(|f| *f.path() == path).unwrap();
        assert_eq!(file.added().collect::<Vec<_>>(), [(1, &b"one"[..])], "{path}");
        assert_eq!(sources.read(file, Side::New).unwrap().unwrap(), "one\n", "{path}");
        assert_eq!(sources.read_path(&path, Side::New).unwrap().unwrap(), "one\n", "{path}");
        assert_eq!(sources.read_path(&path, Side::Old).unwrap(), None, "{path}");
    }
}

#[test]
fn renames_and_deletions_of_odd_names_find_their_sections() {
    let repo = Repo::new();
    for name in NAMES {
        repo.write_bytes_path(name, b"one\ntwo\nthree\n");
    }
    repo.commit("odd names");
    for name in ["line\nfeed", "quote\"d"] {
        repo.rename(name, &format!("{name} moved"));
    }
    repo.remove("-dash").remove("tab\there").commit("moved");
    let change = change(&repo, &commits());
    assert_eq!(change.files.len(), 4);
}
