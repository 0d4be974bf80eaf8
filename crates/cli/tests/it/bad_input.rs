//! Whatever is wrong: exit code 2, one line of what, one of how to go on, nothing on standard output.

use testkit::Repo;

use crate::program::{Outcome, clean_branch, command, countersign, run};

fn refused(outcome: &Outcome, what: &str, hint: &str) {
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(outcome.stdout, "");
    let lines: Vec<_> = outcome.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{}", outcome.stderr);
    assert!(lines[0].starts_with("error: ") && lines[0].contains(what), "{}", outcome.stderr);
    assert!(lines[1].starts_with("hint:  ") && lines[1].contains(hint), "{}", outcome.stderr);
}

#[test]
fn not_a_repository() {
    let folder = Repo::new();
    let outside = folder.path().parent().unwrap();
    refused(&countersign(outside, &["review"]), "not inside a git repository", "--repo");
    refused(&countersign(outside, &["review", "--repo", "nowhere"]), "nowhere", "");
}

#[test]
fn unknown_revision() {
    let repo = clean_branch();
    refused(&countersign(repo.path(), &["review", "--base", "mian"]), "mian", "main");
    refused(&countersign(repo.path(), &["review", "--base=--output=x"]), "--output=x", "");
}

#[test]
fn no_merge_base() {
    let repo = clean_branch();
    repo.git(&["checkout", "--quiet", "--orphan", "island"]);
    repo.write("README.md", "# Island\n");
    repo.commit("Alone");
    refused(&countersign(repo.path(), &["review"]), "main", "");
}

#[test]
fn no_commit_yet() {
    let repo = Repo::new();
    refused(&countersign(repo.path(), &["review"]), "no commit", "--staged");
}

#[test]
fn missing_and_unreadable_documents() {
    let repo = clean_branch();
    refused(&countersign(repo.path(), &["review", "--ticket", "none.md"]), "none.md", "current folder");
    refused(&countersign(repo.path(), &["review", "--story", "."]), "cannot read .", "");
    std::fs::write(repo.path().join("../latin1.md"), b"caf\xe9").unwrap();
    refused(&countersign(repo.path(), &["review", "--ticket", "../latin1.md"]), "not UTF-8", "");
}

#[test]
fn an_empty_ticket_asks_for_nothing() {
    let repo = clean_branch();
    refused(
        &countersign(repo.path(), &["review", "--ticket", "/dev/null"]),
        "it is empty",
        "leave the option out",
    );
}

#[test]
fn broken_epic() {
    let repo = clean_branch();
    let epic = repo.path().join("../epic.yaml");
    std::fs::write(&epic, "id: auth\ncoordination_requirements:\n  function_profiles:\n    - name: f\n")
        .unwrap();
    refused(&countersign(repo.path(), &["review", "--epic", "../epic.yaml"]), "../epic.yaml:4:", "");
    std::fs::write(&epic, "id: [\n").unwrap();
    refused(&countersign(repo.path(), &["review", "--epic", "../epic.yaml"]), "../epic.yaml:", "");
}

#[test]
fn unwritable_output() {
    let repo = clean_branch();
    refused(
        &countersign(repo.path(), &["review", "--output", "no/such/folder/r.txt"]),
        "cannot write",
        "--output",
    );
}

#[test]
fn unknown_names() {
    let repo = clean_branch();
    refused(&countersign(repo.path(), &["schema", "nope"]), "nope", "review-report");
    refused(&countersign(repo.path(), &["rules", "show", "stubb"]), "stubb", "did you mean `stub`?");
    for wrong in [&["review", "--format", "xml"][..], &["reviw"], &["review", "--staged", "--worktree"], &[]]
    {
        assert_eq!(countersign(repo.path(), wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_report_nobody_receives_is_not_a_pass() {
    let repo = clean_branch();
    let mut full = command(repo.path());
    full.arg("review").stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let outcome = run(full);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("cannot write to standard output"), "{}", outcome.stderr);

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut closed = command(repo.path());
    closed.arg("review").stdout(writer);
    let outcome = run(closed);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("standard output was closed"), "{}", outcome.stderr);
}

#[test]
fn whoever_closes_the_pipe_of_a_list_has_seen_enough() {
    let repo = clean_branch();
    for arguments in [&["task", "list"][..], &["rules", "list"], &["doctor"], &["task", "guide"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut closed = command(repo.path());
        closed.args(arguments).stdout(writer);
        let outcome = run(closed);
        assert!(!outcome.stderr.contains("error:"), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{arguments:?}");
    }
}

#[test]
fn a_hint_names_no_option_that_the_command_does_not_have() {
    let repo = clean_branch();
    for arguments in [&["rules", "list"][..], &["doctor"], &["task", "guide"]] {
        let mut full = command(repo.path());
        full.args(arguments).stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
        let outcome = run(full);
        assert_eq!(outcome.code, Some(2), "{arguments:?}");
        assert!(outcome.stderr.contains("cannot write to standard output"), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("--output"), "{}", outcome.stderr);
    }
}
