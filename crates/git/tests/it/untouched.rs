//! Nothing in the repository is touched, and nothing it brings along is run.

use domain::change::Side;
use domain::ports::Sources;
use testkit::Repo;

use crate::support::*;

/// A repository in which everything that git can be told to run leaves a mark outside of it.
fn hostile() -> Repo {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.t diff=evil filter=evil\n*.p filter=process\n");
    repo.write("a.t", "1\n").write("b.p", "1\n").write("c", "1\n").write("touched.t", "same\n").commit("one");
    repo.branch("feature").write("a.t", "2\n").write("c", "2\n").commit("two");
    repo.write("a.t", "3\n").write("b.p", "2\n").stage().write("a.t", "4\n").write("untracked.t", "new\n");
    let touched = std::fs::File::options().append(true).open(repo.path().join("touched.t")).unwrap();
    touched.set_modified(std::time::UNIX_EPOCH).unwrap();
    arm(&repo);
    repo
}

fn arm(repo: &Repo) {
    let mark = |name: &str| format!("touch '{}'; cat #", repo.outside(&format!("ran-{name}")).display());
    for key in [
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.process.process",
        "core.pager",
        "pager.diff-tree",
        "core.sshCommand",
        "credential.helper",
        "core.askPass",
    ] {
        repo.config(key, &mark(key));
    }
    let script = format!("#!/bin/sh\ntouch '{}'\n", repo.outside("ran-hook").display());
    for hook in ["fsmonitor", "post-index-change", "pre-commit", "post-checkout", "reference-transaction"] {
        repo.write(&format!(".git/hooks/{hook}"), &script).chmod(&format!(".git/hooks/{hook}"), 0o755);
    }
    let hooks = repo.path().join(".git/hooks");
    repo.config("core.fsmonitor", hooks.join("fsmonitor").to_str().unwrap());
    repo.config("filter.evil.required", "true").config("core.hooksPath", hooks.to_str().unwrap());
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "9"),
        ("diff.algorithm", "patience"),
        ("diff.renames", "false"),
        ("diff.wordRegex", "."),
        ("color.ui", "always"),
        ("core.bigFileThreshold", "1"),
    ] {
        repo.config(key, value);
    }
}

fn marks(repo: &Repo) -> Vec<String> {
    let beside = std::fs::read_dir(repo.outside("")).unwrap();
    let names = beside.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("ran-")).collect()
}

#[test]
fn every_mode_leaves_everything_as_it_was_and_runs_nothing() {
    let repo = hostile();
    let before = repo.snapshot();
    for ask in [commits(), staged(), worktree(), between("main", "feature")] {
        let repository = open(&repo);
        let scope = repository.resolve(&ask).unwrap();
        let change = repository.change(&scope).unwrap();
        let sources = repository.sources(&scope).unwrap();
        for file in &change.files {
            for side in [Side::Old, Side::New] {
                sources.read(file, side).unwrap();
                sources.read_path(file.path(), side).unwrap();
            }
        }
        assert!(repository.has_uncommitted_changes().unwrap());
        assert!(rendered(file(&change, "a.t")).starts_with("@@ -1 +1 @@"), "{:?}", ask.what);
    }
    before.assert_same(&repo.snapshot());
    assert_eq!(marks(&repo), Vec::<String>::new());
}

#[test]
fn the_traps_of_this_test_do_snap() {
    let repo = hostile();
    repo.try_git(repo.path(), &["-c", "core.hooksPath=.git/hooks", "diff", "HEAD"]);
    assert!(!marks(&repo).is_empty());
}

#[test]
fn a_touched_file_with_a_silenced_filter_is_no_change() {
    let repo = hostile();
    let change = change(&repo, &worktree());
    assert_eq!(summary(&change), ["M a.t", "M b.p", "A untracked.t"]);
}
