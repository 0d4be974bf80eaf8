//! Whole files of either side.

use domain::change::{Mode, Side};
use domain::ports::Sources;
use testkit::Repo;

use crate::support::*;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a", "base\n").write("dir/policy", "strict\n").write("gone", "x\n").commit("one");
    repo.branch("feature").write("a", "head\n").write("dir/policy", "lax\n").remove("gone").commit("two");
    repo
}

#[test]
fn both_sides_of_a_file_can_be_read() {
    let repo = repo();
    let repository = open(&repo);
    let scope = repository.resolve(&commits()).unwrap();
    let (change, sources) = (repository.change(&scope).unwrap(), repository.sources(&scope).unwrap());
    let read = |path, side| sources.read(file(&change, path), side).unwrap();
    assert_eq!(read("a", Side::Old).unwrap(), "base\n");
    assert_eq!(read("a", Side::New).unwrap(), "head\n");
    assert_eq!(read("gone", Side::New), None);
}

#[test]
fn policy_is_read_from_the_base() {
    let repo = repo();
    let repository = open(&repo);
    let sources = repository.sources(&repository.resolve(&commits()).unwrap()).unwrap();
    let read = |path: &str, side| sources.read_path(&path.into(), side).unwrap();
    assert_eq!(read("dir/policy", Side::Old).unwrap(), "strict\n");
    assert_eq!(read("dir/policy", Side::New).unwrap(), "lax\n");
    for nothing in ["dir", "dir/none", "none/policy", "a/policy", "../a", "./a", "/a", ""] {
        assert_eq!(read(nothing, Side::Old), None, "{nothing}");
    }
}

#[test]
fn the_files_of_a_folder_are_listed_as_they_are_at_the_base() {
    let repo = Repo::new();
    repo.write("a/b/one", "1")
        .write("a/b/two", "2")
        .write("a/b/deep/three", "3")
        .write("a/four", "4")
        .commit("one");
    repo.branch("feature").write("a/b/five", "5").remove("a/b/one").commit("two");
    let repository = open(&repo);
    let sources = repository.sources(&repository.resolve(&commits()).unwrap()).unwrap();
    let list = |folder: &str| -> Vec<String> {
        sources.list_base(&folder.into()).unwrap().iter().map(ToString::to_string).collect()
    };
    assert_eq!(list("a/b"), ["a/b/one", "a/b/two"]);
    for nothing in ["none", "a/four", "a/b/none", "../a", "/a", ""] {
        assert_eq!(list(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn the_files_below_a_folder_are_listed_level_by_level() {
    let repo = Repo::new();
    repo.write("a/b/one", "1").write("a/c/d/two", "2").write("a/three", "3").write("four", "4").commit("one");
    repo.branch("feature").write("a/five", "5").commit("two");
    let repository = open(&repo);
    let sources = repository.sources(&repository.resolve(&commits()).unwrap()).unwrap();
    let list = |folder: &str, most: usize| -> Vec<String> {
        sources.list_base_below(&folder.into(), most).unwrap().iter().map(ToString::to_string).collect()
    };
    assert_eq!(list("a", 9), ["a/three", "a/b/one", "a/c/d/two"]);
    assert_eq!(list("a", 2), ["a/three", "a/b/one"]);
    assert_eq!(list("", 2), ["four", "a/three"]);
    for nothing in ["none", "a/three", "../a", "/a"] {
        assert_eq!(list(nothing, 9), [""; 0], "{nothing}");
    }
}

#[test]
fn each_mode_reads_its_own_new_side() {
    let repo = repo();
    repo.write("a", "index\n").stage().write("a", "disk\n");
    let repository = open(&repo);
    for (ask, expected) in [(commits(), "head\n"), (staged(), "index\n"), (worktree(), "disk\n")] {
        let scope = repository.resolve(&ask).unwrap();
        let (change, sources) = (repository.change(&scope).unwrap(), repository.sources(&scope).unwrap());
        assert_eq!(sources.read(file(&change, "a"), Side::New).unwrap().unwrap(), expected);
        assert_eq!(sources.read_path(&"a".into(), Side::New).unwrap().unwrap(), expected);
        assert_eq!(sources.read_path(&"none".into(), Side::New).unwrap(), None);
    }
}

#[test]
fn the_working_tree_is_not_left_through_a_link() {
    let repo = repo();
    std::fs::create_dir(repo.outside("secrets")).unwrap();
    std::fs::write(repo.outside("secrets/key"), "secret\n").unwrap();
    repo.symlink("way-out", "../secrets").symlink("key", "../secrets/key");
    let repository = open(&repo);
    let sources = repository.sources(&repository.resolve(&worktree()).unwrap()).unwrap();
    assert_eq!(sources.read_path(&"way-out/key".into(), Side::New).unwrap(), None);
    assert_eq!(sources.read_path(&"key".into(), Side::New).unwrap().unwrap(), "../secrets/key");
}

#[test]
fn a_missing_blob_is_an_error_and_not_an_absent_file() {
    let origin = repo();
    origin.config("uploadpack.allowFilter", "true");
    let partial = origin.cloned(&["--filter=blob:none", "--no-checkout"]);
    let repository = open(&partial);
    let sources = repository.sources(&repository.resolve(&between("HEAD~1", "HEAD")).unwrap()).unwrap();
    let error = sources.read_path(&"dir/policy".into(), Side::Old).unwrap_err();
    assert!(error.reason.contains("missing"), "{error}");
    assert_eq!(sources.read_path(&"dir/none".into(), Side::Old).unwrap(), None);
}

#[test]
fn content_beyond_the_limit_is_refused_and_the_next_read_works() {
    let repo = repo();
    let big = "x".repeat(50 * 1024 * 1024) + "end";
    repo.write("big", &big).commit("big");
    let repository = open(&repo);
    let scope = repository.resolve(&commits()).unwrap();
    let sources = repository.sources(&scope).unwrap();
    let error = sources.read_path(&"big".into(), Side::New).unwrap_err();
    assert!(error.reason.contains("too large"), "{error}");
    assert_eq!(sources.read_path(&"a".into(), Side::New).unwrap().unwrap(), "head\n");
    let change = repository.change(&scope).unwrap();
    let (mut size, mut last) = (0, Vec::new());
    let mut take = |piece: &[u8]| {
        size += piece.len();
        last = piece.to_vec();
    };
    assert!(sources.stream(file(&change, "big"), Side::New, &mut take).unwrap());
    assert!(size == big.len() && last == b"end", "{size}");
    assert_eq!(sources.read_path(&"a".into(), Side::New).unwrap().unwrap(), "head\n");

    repo.write("big", big.replace("end", "END"));
    let worktree = repository.resolve(&worktree()).unwrap();
    let change = repository.change(&worktree).unwrap();
    let mut last = Vec::new();
    let mut take = |piece: &[u8]| last = piece.to_vec();
    let sources = repository.sources(&worktree).unwrap();
    assert!(sources.stream(file(&change, "big"), Side::New, &mut take).unwrap());
    assert!(last == b"END");
}

#[test]
fn many_threads_can_read_at_once() {
    let repo = repo();
    let repository = open(&repo);
    let scope = repository.resolve(&commits()).unwrap();
    let (change, sources) = (repository.change(&scope).unwrap(), repository.sources(&scope).unwrap());
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(sources.read(file(&change, "a"), Side::Old).unwrap().unwrap(), "base\n");
                    assert_eq!(sources.read(file(&change, "a"), Side::New).unwrap().unwrap(), "head\n");
                }
            });
        }
    });
}

#[test]
fn a_submodule_has_no_content_here() {
    let repo = repo();
    let oid = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{oid},sub")]);
    let repository = open(&repo);
    let scope = repository.resolve(&staged()).unwrap();
    let (change, sources) = (repository.change(&scope).unwrap(), repository.sources(&scope).unwrap());
    assert_eq!(file(&change, "sub").new.as_ref().unwrap().mode, Mode::Submodule);
    assert_eq!(sources.read(file(&change, "sub"), Side::New).unwrap(), None);
    assert_eq!(sources.read_path(&"sub".into(), Side::New).unwrap(), None);
}

#[test]
fn the_messages_of_the_change_are_those_of_its_commits() {
    let repo = repo();
    let repository = open(&repo);
    let sources = repository.sources(&repository.resolve(&commits()).unwrap()).unwrap();
    assert_eq!(sources.messages().unwrap().trim(), "two");
}

#[test]
fn the_newest_release_says_what_it_has() {
    let repo = Repo::new();
    repo.write("a", "fn start() {}\n").commit("one");
    let released = |repo: &Repo, word: &str| {
        let repository = open(repo);
        let sources = repository.sources(&repository.resolve(&commits()).unwrap()).unwrap();
        sources.is_released(word).unwrap()
    };
    repo.git(&["tag", "v1.0.0"]);
    repo.write("a", "fn start() {}\nfn stop() {}\n").commit("two");
    repo.git(&["tag", "nightly"]);
    repo.branch("feature").write("a", "fn go() {}\n").commit("three");
    assert_eq!(released(&repo, "start"), Some(true));
    assert_eq!(released(&repo, "stop"), Some(false), "a tag that is no version is no release");
    assert_eq!(released(&repo, "star"), Some(false), "a part of a word");
    assert_eq!(released(&repo, "-e"), Some(false), "no option");
    repo.git(&["tag", "-d", "v1.0.0"]);
    assert_eq!(released(&repo, "start"), None);
}
