//! The working tree under review.

use domain::change::{Content, Mode, Status};
use git::GitError;
use testkit::Repo;

use crate::support::*;

fn base() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n").write("a", "1\n").write("b", "1\n").commit("one");
    repo
}

#[test]
fn staged_unstaged_and_untracked_are_one_change_in_order_of_path() {
    let repo = base();
    repo.write("b", "2\n").stage().write("a", "2\n").write("aa/new", "x\ny").write("noise.log", "x");
    let change = change(&repo, &worktree());
    assert_eq!(summary(&change), ["M a", "A aa/new", "M b"]);
    assert_eq!(rendered(file(&change, "aa/new")), "@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n");
}

#[test]
fn a_touched_file_is_no_change() {
    let repo = base();
    let file = std::fs::File::options().append(true).open(repo.path().join("a")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert!(change(&repo, &worktree()).files.is_empty());
    assert!(!open(&repo).has_uncommitted_changes().unwrap());
}

#[test]
fn untracked_links_are_not_followed() {
    let repo = base();
    std::fs::write(repo.outside("secret"), "secret\n").unwrap();
    repo.symlink("link", "../secret");
    let change = change(&repo, &worktree());
    let link = file(&change, "link");
    assert_eq!(link.new.as_ref().unwrap().mode, Mode::Symlink);
    assert_eq!(link.added().collect::<Vec<_>>(), [(1, &b"../secret"[..])]);
}

#[test]
fn untracked_binaries_and_programs_are_known_as_such() {
    let repo = base();
    repo.write("bin", b"\0\x01").write("run", "#!/bin/sh\n").chmod("run", 0o755);
    let change = change(&repo, &worktree());
    assert!(matches!(file(&change, "bin").content, Content::Binary));
    assert_eq!(file(&change, "run").new.as_ref().unwrap().mode, Mode::Executable);
}

#[test]
fn pipes_sockets_and_repositories_inside_are_passed_over() {
    let repo = base();
    let made = std::process::Command::new("mkfifo").arg(repo.path().join("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(repo.path().join("socket")).unwrap();
    repo.write("inner/file", "x\n");
    repo.git_in(&repo.path().join("inner"), &["init", "--quiet"]);
    assert!(change(&repo, &worktree()).files.is_empty());
}

#[test]
fn a_file_taken_out_of_the_index_but_kept_is_one_file() {
    let repo = base();
    repo.git(&["rm", "--quiet", "--cached", "a", "b"]);
    repo.write("a", "2\n");
    let change = change(&repo, &worktree());
    assert_eq!(summary(&change), ["M a"]);
    assert_eq!(rendered(&change.files[0]), "@@ -1 +0,0 @@\n-1\n@@ -0,0 +1 @@\n+2\n");
}

#[test]
fn deletions_and_type_changes_on_disk_count() {
    let repo = base();
    repo.remove("a").remove("b").symlink("b", "a");
    let change = change(&repo, &worktree());
    assert_eq!(summary(&change), ["D a", "T b"]);
    assert_eq!(file(&change, "b").status, Status::TypeChanged);
}

#[test]
fn files_outside_a_sparse_checkout_are_not_deleted() {
    let repo = base();
    repo.write("in/x", "1\n").write("out/y", "1\n").commit("dirs");
    repo.git(&["sparse-checkout", "set", "in"]);
    assert!(!repo.path().join("out").exists());
    repo.write("in/x", "2\n");
    assert_eq!(summary(&change(&repo, &worktree())), ["M in/x"]);
    let repository = open(&repo);
    let sources = repository.sources(&repository.resolve(&worktree()).unwrap()).unwrap();
    let read = domain::ports::Sources::read_path(&sources, &"out/y".into(), domain::change::Side::New);
    assert_eq!(read.unwrap().unwrap(), "1\n");
}

#[test]
fn a_large_untracked_text_is_an_error_that_names_it() {
    let repo = base();
    repo.write("dump.sql", "x".repeat(50 * 1024 * 1024 + 1));
    let repository = open(&repo);
    let error = repository.change(&repository.resolve(&worktree()).unwrap()).unwrap_err();
    assert!(matches!(&error, GitError::TooLarge { path, .. } if path.to_str() == Some("dump.sql")));
}

#[test]
fn line_endings_are_compared_as_git_would_store_them() {
    let repo = base();
    repo.config("core.autocrlf", "true").write("a", "1\r\n2\r\n");
    assert_eq!(rendered(file(&change(&repo, &worktree()), "a")), "@@ -1 +1,2 @@\n 1\n+2\n");
}
