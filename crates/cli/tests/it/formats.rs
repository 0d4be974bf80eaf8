//! Every format of the same review, word for word.

use crate::program::{clean_branch, countersign, login_branch, stable};

fn report(format: &str) -> String {
    let repo = login_branch();
    let outcome = countersign(repo.path(), &["review", "--base", "main", "--format", format]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(outcome.stderr, "");
    let token = ["gh", "p_", "k3Vb"].concat();
    assert!(!outcome.stdout.contains(&token[..6]), "the token leaked into {format}");
    stable(&outcome.stdout)
}

#[test]
fn pretty() {
    // An old git adds a note.
    if testkit::skip_with_old_git() {
        return;
    }
    insta::assert_snapshot!(report("pretty"));
}

#[test]
fn json() {
    // An old git adds a note.
    if testkit::skip_with_old_git() {
        return;
    }
    insta::assert_snapshot!(report("json"));
}

#[test]
fn sarif() {
    insta::assert_snapshot!(report("sarif"));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(report("markdown"));
}

#[test]
fn rdjson() {
    insta::assert_snapshot!(report("rdjson"));
}

#[test]
fn github() {
    insta::assert_snapshot!(report("github"));
}

#[test]
fn pretty_of_a_clean_change() {
    // An old git adds a note.
    if testkit::skip_with_old_git() {
        return;
    }
    let repo = clean_branch();
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    insta::assert_snapshot!(stable(&outcome.stdout));
}

#[test]
fn pretty_fits_a_narrow_terminal_without_unicode() {
    // An old git adds a note.
    if testkit::skip_with_old_git() {
        return;
    }
    let repo = login_branch();
    let mut command = crate::program::command(repo.path());
    command.args(["review"]).env("COLUMNS", "60").env("LANG", "C");
    let outcome = crate::program::run(command);
    assert!(outcome.stdout.is_ascii());
    insta::assert_snapshot!(stable(&outcome.stdout));
}

#[test]
fn colour_comes_on_demand_and_never_into_a_pipe() {
    let repo = login_branch();
    assert!(!countersign(repo.path(), &["review"]).stdout.contains('\u{1b}'));
    assert!(countersign(repo.path(), &["review", "--color", "always"]).stdout.contains("\u{1b}["));
    let mut command = crate::program::command(repo.path());
    command.args(["review"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!crate::program::run(command).stdout.contains('\u{1b}'));
}

#[test]
fn a_report_goes_to_a_file_whole_and_without_colour() {
    let repo = login_branch();
    let file = repo.path().join("../report.txt");
    let file_name = file.to_str().unwrap();
    let outcome = countersign(repo.path(), &["review", "--color", "always", "--output", file_name]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    assert!(outcome.stderr.contains("FAIL:"), "{}", outcome.stderr);
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("FAIL:") && !written.contains('\u{1b}'), "{written}");
}

#[test]
fn output_follows_links_and_respects_what_is_there() {
    use std::os::unix::fs::PermissionsExt;
    let repo = clean_branch();
    let folder = repo.path().parent().unwrap();
    std::fs::write(folder.join("real.txt"), "old").unwrap();
    std::fs::set_permissions(folder.join("real.txt"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.txt", folder.join("link.txt")).unwrap();
    assert_eq!(countersign(repo.path(), &["review", "--output", "../link.txt"]).code, Some(0));
    assert!(folder.join("link.txt").is_symlink());
    assert!(std::fs::read_to_string(folder.join("real.txt")).unwrap().contains("PASS"));
    let mode = std::fs::metadata(folder.join("real.txt")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(countersign(repo.path(), &["review", "--output", "-"]).stdout.contains("PASS"));
}

/// What only its file gives away, and what one line gives away and another repeats.
#[test]
fn no_format_shows_a_password_that_is_kept_or_repeated() {
    let (kept, repeated) = (concat!("garden", "gate"), concat!("q8Zr2LxP0v", "Nw7TkYb3"));
    let repo = testkit::Repo::new();
    repo.write("README.md", "x\n");
    repo.commit("Start");
    repo.branch("topic");
    repo.write("home/.pgpass", format!("db.acme.io:5432:app:bob:{kept}\n"));
    repo.write("home/.netrc", format!("machine db.acme.io login bob password {kept}\n"));
    repo.write(
        "src/a.js",
        format!("const apiToken = '{repeated}';\ndebugger; // {repeated}\nconsole.log(1, '{repeated}');\n"),
    );
    repo.commit("Leak");
    for format in ["pretty", "json", "sarif", "markdown", "rdjson", "github"] {
        let outcome = countersign(repo.path(), &["review", "--format", format]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let told = [outcome.stdout, outcome.stderr].concat();
        assert!(!told.contains(kept) && !told.contains(repeated), "{format}: {told}");
    }
}
