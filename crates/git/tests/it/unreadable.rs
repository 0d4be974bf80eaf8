//! What may not be read is an error, never left out. Root may read everything, so under root these tests
//! run once more as somebody else.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use testkit::Repo;

use crate::support::*;

const NOBODY: u32 = 65534;

fn as_somebody_without_privilege(name: &str, test: fn()) {
    let place = Repo::new();
    place.write("probe", "x").chmod("probe", 0o000);
    if std::fs::read(place.path().join("probe")).is_err() {
        return test();
    }
    let program = place.outside("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    place.chmod("..", 0o755);
    let open = place.outside("tmp");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut again = Command::new(program);
    again.args(["--exact", &format!("unreadable::{name}")]).current_dir(&open).env("TMPDIR", &open);
    let output = again.uid(NOBODY).gid(NOBODY).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The message of the error that a review of the working tree ends with.
fn refusal(repo: &Repo) -> String {
    let repository = open(repo);
    let error = repository.change(&repository.resolve(&worktree()).unwrap()).unwrap_err();
    assert_eq!(error.hint(), "make it readable, ignore it in .gitignore, or use --staged");
    error.to_string()
}

#[test]
fn an_untracked_file_that_may_not_be_read_is_named() {
    as_somebody_without_privilege("an_untracked_file_that_may_not_be_read_is_named", || {
        let repo = Repo::new();
        repo.write("dir/closed", "x\n").chmod("dir/closed", 0o000);
        assert_eq!(refusal(&repo), "cannot read dir/closed: Permission denied (os error 13)");
    });
}

#[test]
fn a_tracked_file_that_may_not_be_read_is_named() {
    as_somebody_without_privilege("a_tracked_file_that_may_not_be_read_is_named", || {
        let repo = Repo::new();
        repo.write("dir/closed", "x\n").commit("one");
        repo.write("dir/closed", "other\n").chmod("dir/closed", 0o000);
        assert_eq!(refusal(&repo), "cannot read dir/closed: Permission denied");
    });
}

#[test]
fn a_folder_that_may_not_be_opened_is_named() {
    as_somebody_without_privilege("a_folder_that_may_not_be_opened_is_named", || {
        let repo = Repo::new();
        repo.write("dir/file", "x\n").chmod("dir", 0o000);
        let message = refusal(&repo);
        repo.chmod("dir", 0o755);
        assert_eq!(message, "cannot read dir/: Permission denied");
    });
}
