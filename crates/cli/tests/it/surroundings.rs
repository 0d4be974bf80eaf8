//! The user's repository and machine are not ours.

use std::os::unix::fs::PermissionsExt;

use crate::program::{clean_branch, command, countersign, login_branch, run};

#[test]
fn a_review_leaves_no_trace() {
    let repo = login_branch();
    repo.write("src/login.rs", "fn dirty() {}\n");
    repo.write("untracked.txt", "mine\n");
    repo.git(&["add", "src/login.rs"]);
    repo.write("README.md", "# Shop, edited\n");
    let before = repo.snapshot();
    for arguments in [
        &["review"][..],
        &["review", "--staged"],
        &["review", "--worktree"],
        &["review", "--format", "json"],
        &["doctor"],
    ] {
        let outcome = countersign(repo.path(), arguments);
        assert!(matches!(outcome.code, Some(0 | 1)), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(before, repo.snapshot(), "{arguments:?} touched the repository");
    }
}

#[test]
fn home_may_be_missing_or_read_only() {
    let repo = clean_branch();
    let mut homeless = command(repo.path());
    homeless.arg("review").env_remove("HOME");
    assert_eq!(run(homeless).code, Some(0));

    let home = repo.path().join("../read-only-home");
    std::fs::create_dir(&home).unwrap();
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o500)).unwrap();
    let mut read_only = command(repo.path());
    read_only.arg("review").env("HOME", &home);
    assert_eq!(run(read_only).code, Some(0));
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
}

#[test]
fn works_from_a_subfolder_and_from_elsewhere() {
    let repo = login_branch();
    let inside = countersign(&repo.path().join("src"), &["review"]);
    let outside =
        countersign(std::path::Path::new("/"), &["review", "--repo", repo.path().to_str().unwrap()]);
    assert_eq!((inside.code, outside.code), (Some(1), Some(1)));
    assert!(outside.stdout.contains("src/login.rs"), "{}", outside.stdout);
}

#[test]
fn nothing_in_the_change_reaches_the_terminal_as_a_command() {
    let repo = clean_branch();
    repo.write("evil\u{1b}[31m.py", "breakpoint()  # \u{1b}]0;owned\u{7}\u{202e}\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "--quiet", "-m", "\u{1b}[2Jsubject"]);
    for format in ["pretty", "markdown", "github", "json", "sarif", "rdjson"] {
        let outcome = countersign(repo.path(), &["review", "--format", format]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(!outcome.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{format}: {}", outcome.stdout);
    }
}
