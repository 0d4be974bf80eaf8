//! Marks in the index that keep git from looking at the working tree do not keep us from it.

use domain::change::Status;
use testkit::Repo;

use crate::support::*;

fn flagged(flag: &str) -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").write("b", "1\n").write("same", "1\n").commit("one");
    repo.git(&["update-index", flag, "a", "b", "same"]);
    repo
}

#[test]
fn a_file_that_git_is_told_not_to_look_at_is_shown_as_it_is() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let repo = flagged(flag);
        repo.write("a", "evil\n");
        assert_eq!(repo.git(&["diff", "HEAD"]), "", "the trick works on git itself");
        let change = change(&repo, &worktree());
        assert_eq!(summary(&change), ["M a"], "{flag}");
        assert_eq!(file(&change, "a").added().collect::<Vec<_>>(), [(1, &b"evil"[..])]);
    }
}

#[test]
fn what_is_staged_under_the_mark_gives_way_to_what_is_on_disk() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.write("a", "2\n").write("new", "fresh\n").stage();
    repo.git(&["update-index", "--assume-unchanged", "a", "new"]);
    repo.write("a", "3\n").write("new", "2\n");
    let change = change(&repo, &worktree());
    assert_eq!(summary(&change), ["M a", "A new"]);
    for (path, text) in [("a", &b"3"[..]), ("new", b"2")] {
        assert_eq!(file(&change, path).added().collect::<Vec<_>>(), [(1, text)]);
    }
}

#[test]
fn a_link_or_a_mode_under_the_mark_is_shown() {
    let repo = flagged("--assume-unchanged");
    repo.remove("a").symlink("a", "/etc/passwd").chmod("b", 0o755);
    let change = change(&repo, &worktree());
    assert_eq!(summary(&change), ["M a", "M b"]);
    assert_eq!(file(&change, "a").added().collect::<Vec<_>>(), [(1, &b"/etc/passwd"[..])]);
}

#[test]
fn a_deletion_under_the_mark_is_one_unless_the_checkout_is_sparse() {
    let repo = flagged("--assume-unchanged");
    repo.remove("a");
    let found = change(&repo, &worktree());
    assert_eq!((summary(&found), found.files[0].status), (vec!["D a".to_owned()], Status::Deleted));
    assert_eq!(rendered(&found.files[0]), "@@ -1 +0,0 @@\n-1\n");
    let repo = flagged("--skip-worktree");
    assert!(change(repo.remove("a"), &worktree()).files.is_empty());
}

#[test]
fn a_file_cannot_pass_for_untouched_by_its_time_stamp() {
    let repo = Repo::new();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    let age = || {
        let file = std::fs::File::options().append(true).open(repo.path().join("a")).unwrap();
        file.set_modified(old).unwrap();
    };
    repo.config("core.trustctime", "false").config("core.checkStat", "minimal").write("a", "1\n");
    age();
    repo.commit("one");
    // Git keeps times to the second, and the one of the change has to be another.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repo.write("a", "2\n");
    age();
    assert_eq!(repo.git(&["diff", "HEAD"]), "", "the trick works on git itself");
    assert_eq!(summary(&change(&repo, &worktree())), ["M a"]);
}
