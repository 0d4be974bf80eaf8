//! Every kind of change a file can undergo.

use domain::change::{Content, Mode, Side, Status};
use testkit::Repo;

use crate::support::*;

/// Commits `before`, then `after` on a branch, and gives the change between them.
fn between_states(before: impl Fn(&Repo), after: impl Fn(&Repo)) -> (Repo, domain::change::Change) {
    let repo = Repo::new();
    before(&repo);
    repo.commit("before");
    repo.branch("feature");
    after(&repo);
    repo.commit("after");
    let change = change(&repo, &commits());
    (repo, change)
}

fn long(lines: std::ops::Range<u32>) -> String {
    lines.map(|n| format!("line {n}\n")).collect()
}

#[test]
fn a_rename_keeps_both_paths() {
    let (_repo, change) = between_states(
        |r| {
            r.write("old name", long(0..50));
        },
        |r| {
            r.rename("old name", "dir/new name").write("dir/new name", long(1..50));
        },
    );
    let file = file(&change, "dir/new name");
    assert!(matches!(file.status, Status::Renamed(90..100)));
    assert_eq!(file.old.as_ref().unwrap().path.to_str(), Some("old name"));
    assert_eq!(file.removed().collect::<Vec<_>>(), [(1, &b"line 0"[..])]);
}

#[test]
fn a_pure_rename_has_no_hunks() {
    let (_repo, change) = between_states(
        |r| {
            r.write("a", "x\n").write("z", "z\n");
        },
        |r| {
            r.rename("a", "b").write("z", "zz\n");
        },
    );
    assert_eq!(summary(&change), ["R100 b", "M z"]);
    assert!(file(&change, "b").hunks().is_empty());
    assert_eq!(file(&change, "z").hunks().len(), 1);
}

#[test]
fn a_copy_of_a_changed_file_is_a_new_file() {
    let (_repo, change) = between_states(
        |r| {
            r.write("a", long(0..50));
        },
        |r| {
            r.write("b", long(0..50)).write("a", long(0..51));
        },
    );
    assert_eq!(summary(&change), ["M a", "A b"]);
}

#[test]
fn a_mode_change_is_a_change_without_hunks() {
    let (_repo, change) = between_states(
        |r| {
            r.write("run", "x\n");
        },
        |r| {
            r.chmod("run", 0o755);
        },
    );
    let file = file(&change, "run");
    assert_eq!(file.new.as_ref().unwrap().mode, Mode::Executable);
    assert!(file.hunks().is_empty());
}

#[test]
fn an_empty_file_can_come() {
    let (_repo, change) = between_states(
        |r| {
            r.write("emptied", "x\n");
        },
        |r| {
            r.write("came", "").write("emptied", "").write("z", "z\n");
        },
    );
    assert_eq!(summary(&change), ["A came", "M emptied", "A z"]);
    assert!(matches!(&file(&change, "came").content, Content::Text(hunks) if hunks.is_empty()));
    assert_eq!(rendered(file(&change, "emptied")), "@@ -1 +0,0 @@\n-x\n");
}

#[test]
fn an_empty_file_can_go() {
    let (_repo, change) = between_states(
        |r| {
            r.write("gone", "");
        },
        |r| {
            r.remove("gone").write("z", "z\n");
        },
    );
    assert_eq!(summary(&change), ["D gone", "A z"]);
}

#[test]
fn a_symlink_is_its_target() {
    let (_repo, change) = between_states(
        |r| {
            r.symlink("link", "/etc/hosts").write("x", "x\n");
        },
        |r| {
            r.remove("link").symlink("link", "/etc/passwd");
        },
    );
    let expected = "@@ -1 +1 @@\n-/etc/hosts\n\\ No newline at end of file\n+/etc/passwd\n\\ No newline at end of file\n";
    assert_eq!(rendered(file(&change, "link")), expected);
}

#[test]
fn a_file_that_becomes_a_symlink_shows_both() {
    let (_repo, change) = between_states(
        |r| {
            r.write("f", "one\ntwo\n").write("z", "z\n");
        },
        |r| {
            r.remove("f").symlink("f", "target").write("z", "y\n");
        },
    );
    let changed = file(&change, "f");
    assert_eq!((changed.status, changed.hunks().len()), (Status::TypeChanged, 2));
    assert_eq!(changed.added().collect::<Vec<_>>(), [(1, &b"target"[..])]);
    assert_eq!(file(&change, "z").hunks().len(), 1);
}

#[test]
fn binary_content_is_said_to_be_so() {
    let (_repo, change) = between_states(
        |r| {
            r.write("b", b"\0\x01");
        },
        |r| {
            r.write("b", b"\0\x02").write("c", b"\0new");
        },
    );
    assert!(change.files.iter().all(|f| matches!(f.content, Content::Binary)), "{change:?}");
}

#[test]
fn text_in_any_encoding_stays_as_it_is() {
    let (_repo, change) = between_states(
        |r| {
            r.write("latin1", b"caf\xe9\r\nx\r\n");
        },
        |r| {
            r.write("latin1", b"caf\xe8\r\nx\r\n");
        },
    );
    let file = file(&change, "latin1");
    assert_eq!(file.added().collect::<Vec<_>>(), [(1, &b"caf\xe8\r"[..])]);
}

#[test]
fn a_missing_final_line_feed_is_known_on_either_side() {
    let (_repo, change) = between_states(
        |r| {
            r.write("gains", "a").write("loses", "a\n");
        },
        |r| {
            r.write("gains", "a\n").write("loses", "a");
        },
    );
    assert_eq!(rendered(file(&change, "gains")), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    assert_eq!(rendered(file(&change, "loses")), "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
}

#[test]
fn blank_context_lines_survive_a_configuration_that_strips_them() {
    let repo = Repo::new();
    repo.config("diff.suppressBlankEmpty", "true").write("a", "\n\nx\n").commit("one");
    repo.write("a", "\n\ny\n").commit("two");
    assert_eq!(rendered(file(&change(&repo, &commits()), "a")), "@@ -1,3 +1,3 @@\n \n \n-x\n+y\n");
}

#[test]
fn a_submodule_comes_moves_and_goes() {
    let inner = Repo::new();
    inner.write("i", "1\n");
    let (first, second) = (inner.commit("one"), inner.commit("two"));
    let repo = Repo::new();
    repo.write("z", "z\n").commit("zero");
    let set = |commit: &str| {
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub")]);
        repo.commit_staged("submodule");
    };
    set(&first);
    assert_submodule(&repo, Status::Added);
    set(&second);
    assert_submodule(&repo, Status::Modified);
    repo.git(&["rm", "--quiet", "--cached", "sub"]);
    repo.commit_staged("gone");
    assert_submodule(&repo, Status::Deleted);
}

fn assert_submodule(repo: &Repo, status: Status) {
    let change = change(repo, &between("HEAD~1", "HEAD"));
    let sub = file(&change, "sub");
    assert_eq!(sub.status, status);
    assert!(matches!(sub.content, Content::Submodule));
    let side = if status == Status::Deleted { Side::Old } else { Side::New };
    assert_eq!(sub.side(side).unwrap().mode, Mode::Submodule);
}

#[test]
fn a_submodule_that_asks_to_be_ignored_is_not() {
    let repo = Repo::new();
    repo.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = x\n\tignore = all\n")
        .commit("zero");
    let oid = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{oid},sub")]);
    repo.commit_staged("one");
    assert_eq!(summary(&change(&repo, &commits())), ["A sub"]);
}
