//! The files of the head, written out for somebody who may only look.

use git::{Ask, ExportLimits};
use testkit::Repo;

use crate::support::*;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.rs", "1\n").symlink("link", "/etc/passwd").write("run", "#!\n").chmod("run", 0o755);
    repo.commit("one");
    repo.branch("topic").write("src/b.rs", "2\n").commit("two");
    repo
}

fn export(repo: &Repo, ask: &Ask, limits: ExportLimits) -> git::Exported {
    let opened = open(repo);
    let into = repo.outside("export");
    std::fs::create_dir(&into).unwrap();
    opened.export(&opened.resolve(ask).unwrap(), &into, limits).unwrap()
}

#[test]
fn the_files_of_a_commit_are_written_without_touching_the_repository() {
    let repo = repo();
    repo.write("src/a.rs", "changed\n").write("untracked", "x\n");
    let before = repo.snapshot();
    let exported = export(&repo, &commits(), ExportLimits::default());
    assert_eq!((exported.files, exported.left_out), (4, 0));
    assert_eq!(before, repo.snapshot());
    let at = |path: &str| repo.outside("export").join(path);
    assert_eq!(std::fs::read_to_string(at("src/a.rs")).unwrap(), "1\n");
    assert_eq!(std::fs::read_to_string(at("src/b.rs")).unwrap(), "2\n");
    assert!(!at(".git").exists() && !at("untracked").exists());
}

#[test]
fn no_link_leads_out_and_programs_stay_programs() {
    use std::os::unix::fs::PermissionsExt;
    let repo = repo();
    export(&repo, &commits(), ExportLimits::default());
    let link = repo.outside("export").join("link");
    assert!(link.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read_to_string(link).unwrap(), "/etc/passwd");
    let run = repo.outside("export").join("run").metadata().unwrap();
    assert_ne!(run.permissions().mode() & 0o100, 0);
}

#[test]
fn the_index_and_the_working_tree_can_be_had_too() {
    let repo = repo();
    repo.write("src/a.rs", "staged\n").stage().write("src/a.rs", "edited\n").write("new", "x\n");
    export(&repo, &staged(), ExportLimits::default());
    let at = |path: &str| repo.outside("export").join(path);
    assert_eq!(std::fs::read_to_string(at("src/a.rs")).unwrap(), "staged\n");
    std::fs::remove_dir_all(repo.outside("export")).unwrap();
    export(&repo, &worktree(), ExportLimits::default());
    assert_eq!(std::fs::read_to_string(at("src/a.rs")).unwrap(), "edited\n");
    assert!(at("new").exists());
}

#[test]
fn what_is_too_much_is_left_out_and_counted() {
    let few = export(&repo(), &commits(), ExportLimits { files: 1, bytes: 1 << 20 });
    assert_eq!((few.files, few.left_out), (1, 3));
    let small = export(&repo(), &commits(), ExportLimits { files: 10, bytes: 4 });
    assert!(small.left_out > 0 && small.bytes <= 4, "{small:?}");
}
