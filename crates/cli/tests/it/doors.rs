//! What `countersign review` picks to review, and what it answers.

use testkit::Repo;

use crate::program::{clean_branch, countersign, login_branch};

#[test]
fn a_branch_is_compared_with_the_default_branch() {
    let repo = clean_branch();
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.contains("Review of docs ("), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("against main ("), "{}", outcome.stdout);
}

#[test]
fn with_nothing_newer_than_the_base_the_latest_commit_is_reviewed() {
    let repo = clean_branch();
    repo.git(&["checkout", "--quiet", "-B", "main", "docs"]);
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.contains("reviewing the latest commit"), "{}", outcome.stdout);
}

#[test]
fn the_root_commit_can_be_reviewed() {
    let repo = Repo::new();
    repo.write("README.md", "# One\n");
    repo.commit("Start");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("the empty tree"), "{}", outcome.stdout);
}

#[test]
fn staged_work_is_reviewed_before_it_is_committed() {
    let repo = clean_branch();
    repo.write("a.py", "def f():\n    breakpoint()\n");
    assert_eq!(countersign(repo.path(), &["review", "--staged"]).code, Some(0));
    repo.git(&["add", "a.py"]);
    let outcome = countersign(repo.path(), &["review", "--staged"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("--staged` again"), "{}", outcome.stdout);
}

#[test]
fn uncommitted_work_includes_new_files() {
    let repo = clean_branch();
    repo.write("new/a.py", "def f():\n    breakpoint()\n");
    let outcome = countersign(repo.path(), &["review", "--worktree"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("new/a.py"), "{}", outcome.stdout);
}

#[test]
fn the_severity_that_blocks_can_be_chosen() {
    let repo = clean_branch();
    repo.write("a.js", "export const f = (x) => {\n  console.log(x);\n  return x;\n};\n");
    repo.commit("Log");
    assert_eq!(countersign(repo.path(), &["review"]).code, Some(0));
    assert_eq!(countersign(repo.path(), &["review", "--fail-on", "medium"]).code, Some(1));

    let repo = login_branch();
    assert_eq!(countersign(repo.path(), &["review", "--fail-on", "critical"]).code, Some(1));
}

#[test]
fn a_finding_is_accepted_with_a_reason_and_only_with_one() {
    let stub = |comment: &str| {
        let repo = clean_branch();
        repo.write("src/a.rs", format!("pub fn later() {{\n    todo!() {comment}\n}}\n"));
        repo.commit("Plan");
        countersign(repo.path(), &["review"])
    };
    let accepted = stub("// countersign:ignore stub -- the next ticket fills it in");
    assert_eq!(accepted.code, Some(0), "{}", accepted.stdout);
    assert!(accepted.stdout.contains("the next ticket fills it in"), "{}", accepted.stdout);
    let bare = stub("// countersign:ignore stub");
    assert_eq!(bare.code, Some(1));
    assert!(bare.stdout.contains("suppression-without-reason"), "{}", bare.stdout);
}

#[test]
fn a_secret_is_not_accepted_by_comment() {
    let token = ["gh", "p_", "k3Vb9QxT2mWz7LpR4sYd8NfH1jCg5AuE6oBi"].concat();
    let repo = clean_branch();
    repo.write("a.py", format!("T = \"{token}\"  # countersign:ignore secret -- trust me\n"));
    repo.commit("Token");
    assert_eq!(countersign(repo.path(), &["review"]).code, Some(1));
}

#[test]
fn the_ticket_names_the_review_and_the_epic_is_held_to() {
    let repo = clean_branch();
    repo.write("src/auth.py", "def authenticate_user(name, password, otp):\n    return name\n");
    repo.commit("Authenticate");
    let folder = repo.path().parent().unwrap();
    std::fs::write(folder.join("auth-base.md"), "# Log in\n\n- [x] Users log in\n").unwrap();
    let epic = "id: auth\ncoordination_requirements:\n  function_profiles:\n    \
                - { name: authenticate_user, arity: 2, intent: check a user }\n";
    std::fs::write(folder.join("auth.yaml"), epic).unwrap();
    let outcome = countersign(
        repo.path(),
        &["review", "--ticket", "../auth-base.md", "--epic", "../auth.yaml", "--format", "json"],
    );
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["ticket_id"], "auth-base");
    assert_eq!(report["blocking_issues"][0]["dimension"], "coordination_compliance");
}

#[test]
fn the_other_commands_answer() {
    let repo = clean_branch();
    let version = countersign(repo.path(), &["--version"]).stdout;
    assert!(version.starts_with("countersign 0.1.0"), "{version}");
    for (arguments, expected) in [
        (&["schema"][..], "review-report"),
        (&["schema", "review-report"], "pass_criteria_met"),
        (&["rules", "list"], "stub"),
        (&["rules", "show", "stub"], "countersign:ignore stub"),
        (&["rules", "list", "--format", "json"], "\"severity\""),
        (&["rules", "show", "command-injection"], "reported, where marked"),
        (&["rules", "test"], "examples hold."),
        (&["rules", "docs"], "# The built-in rules"),
        (&["completions", "bash"], "_countersign"),
        (&["man"], ".TH countersign"),
        (&["init", "--stdout"], "fail_on: MAJOR"),
        (&["doctor"], "repository"),
        (&["doctor", "--format", "json"], "\"state\": \"ok\""),
        (&["review", "--help"], "Exit codes"),
    ] {
        let outcome = countersign(repo.path(), arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stdout.contains(expected), "{arguments:?}: {}", outcome.stdout);
    }
}

#[test]
fn init_writes_a_policy_that_is_valid_and_never_overwrites() {
    let repo = clean_branch();
    assert_eq!(countersign(repo.path(), &["init"]).code, Some(0));
    repo.commit("Add policy");
    repo.branch("next");
    repo.write("README.md", "# Shop\n\nMore.\n");
    repo.commit("More");
    let outcome = countersign(repo.path(), &["review", "--base", "docs"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("countersign.yaml at "), "{}", outcome.stdout);
    let again = countersign(repo.path(), &["init"]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("left as it is"), "{}", again.stderr);
}

#[test]
fn the_change_cannot_accept_what_it_does_to_the_policy() {
    let repo = clean_branch();
    repo.write(".gitattributes", "# countersign:ignore policy-changed -- fine\n*.rs linguist-generated\n");
    repo.commit("Hide");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
}

#[test]
fn a_whole_file_finding_can_be_accepted_in_that_file() {
    let repo = clean_branch();
    let body = "x = compute(x)\n".repeat(30);
    repo.write("a.py", &body);
    repo.commit("Compute");
    let strict = &["review", "--fail-on", "medium"];
    assert_eq!(countersign(repo.path(), strict).code, Some(1));
    repo.write("a.py", format!("# countersign:ignore untested-change -- a script that runs once\n{body}"));
    repo.commit("Say why");
    let outcome = countersign(repo.path(), strict);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("a script that runs once"), "{}", outcome.stdout);
}

#[test]
fn no_format_ever_holds_a_secret() {
    let token = ["gh", "p_", "k3Vb9QxT2mWz7LpR4sYd8NfH1jCg5AuE6oBi"].concat();
    let key = "MIIEpAIBAAKCAQEA7bq0Xv3Yk9mPzR4sLtW1nJ8cQ5dFhG2uVxZaBeTyKoNi6wM3";
    let begin = ["-----BEGIN RSA PRIVATE ", "KEY-----"].concat();
    let end = begin.replace("BEGIN", "END");
    let repo = clean_branch();
    repo.write(
        "a.py",
        format!(
            "T = \"{token}\"  # countersign:ignore secret\nU = \"{token}\"  # countersign:ignore {token}\n\
             breakpoint()  # countersign:ignore debugger-stop -- needs {token}\n\
             K = \"\"\"{begin}\n{key}\n{key}\n{key}\n{end}\"\"\"\nbreakpoint()\n"
        ),
    );
    repo.write(&format!("dir-{token}/x.py"), "breakpoint()\n");
    repo.commit(&format!("Leak {token}"));
    repo.branch(&format!("feat/{token}"));
    for format in ["pretty", "json", "sarif", "markdown", "rdjson", "github"] {
        let outcome = countersign(repo.path(), &["review", "--base", "main", "--format", format]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        for secret in [&token[..10], &key[..20]] {
            assert!(!outcome.stdout.contains(secret), "{format}: {}", outcome.stdout);
        }
    }
}
