//! The gate belongs to the base commit.

use testkit::Repo;

use crate::program::{command, countersign, run};

fn repo_with_policy(policy: &str) -> Repo {
    let repo = Repo::new();
    repo.write("countersign.yaml", policy);
    repo.write("a.py", "x = 1\n");
    repo.commit("Start");
    repo.branch("topic");
    repo
}

#[test]
fn a_change_cannot_loosen_its_own_gate() {
    let repo = repo_with_policy("gate:\n  overall: 75\n");
    repo.write("countersign.yaml", "gate:\n  overall: 0\nrules:\n  disable: [debugger-stop]\n");
    repo.write("a.py", "x = 1\nbreakpoint()\n");
    repo.commit("Loosen");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("debugger-stop"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("policy-changed"), "{}", outcome.stdout);
}

#[test]
fn a_policy_on_the_base_counts() {
    let repo = repo_with_policy("rules:\n  disable: [debugger-stop]\n");
    repo.write("a.py", "x = 1\nbreakpoint()\n");
    repo.commit("Stop");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.words().contains("(without debugger-stop)"), "{}", outcome.stdout);
}

#[test]
fn a_project_may_add_a_dimension() {
    let repo =
        repo_with_policy("gate:\n  dimensions:\n    accessibility: { weight: important, minimum: 80 }\n");
    repo.write("README.md", "# Hi\n");
    repo.commit("Say hi");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("accessibility"), "{}", outcome.stdout);
}

#[test]
fn the_environment_wins_over_the_file() {
    let repo = repo_with_policy("gate:\n  fail_on: MAJOR\n");
    repo.write("a.js", "export const f = (x) => {\n  console.log(x);\n  return x;\n};\n");
    repo.commit("Log");
    assert_eq!(countersign(repo.path(), &["review"]).code, Some(0));
    let mut strict = command(repo.path());
    strict.args(["review"]).env("COUNTERSIGN_GATE_FAIL_ON", "medium");
    let outcome = run(strict);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.words().contains(" with COUNTERSIGN_GATE_FAIL_ON"), "{}", outcome.stdout);
    let mut mistyped = command(repo.path());
    mistyped.args(["review"]).env("COUNTERSIGN_GATE_FAILON", "medium");
    let outcome = run(mistyped);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("did you mean COUNTERSIGN_GATE_FAIL_ON?"), "{}", outcome.stderr);
}

#[test]
fn broken_policies_say_where_and_what() {
    for (policy, expected) in [
        (
            "gate:\n  overal: 80\n",
            ["countersign.yaml at ", ":2:3: unknown field `overal`", "did you mean `overall`?"],
        ),
        ("gate:\n  overall: [\n", ["countersign.yaml at ", ":", "error"]),
        ("gate:\n  overall: 120\n", ["gate.overall is 120", "100", "init --stdout"]),
        ("gate:\n  fail_on: blocker\n", ["unknown severity `blocker`", "SUGGESTION", "hint:"]),
        (
            "rules:\n  disable: [debuger-stop]\n",
            ["there is no rule `debuger-stop`", "did you mean", "debugger-stop"],
        ),
    ] {
        let repo = repo_with_policy(policy);
        repo.write("a.py", "x = 2\n");
        repo.commit("Change");
        let outcome = countersign(repo.path(), &["review"]);
        assert_eq!(outcome.code, Some(2), "{policy}: {}", outcome.stdout);
        for part in expected {
            assert!(outcome.stderr.contains(part), "{policy}: {} lacks {part}", outcome.stderr);
        }
        assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
    }
}

const OWN_RULE: &str = "id: no-sleep\ntitle: A sleep\nlanguage: python\nseverity: MAJOR\ncall: time.sleep\n\
    examples:\n  bad: [\"import time\\ntime.sleep(1) <!\"]\n  good: [\"wait(1)\"]\n";

#[test]
fn a_project_adds_rules_of_its_own() {
    let repo = Repo::new();
    repo.write(".countersign/rules/own.yml", OWN_RULE);
    repo.write("countersign.yaml", "rules:\n  severity: { no-sleep: CRITICAL }\n");
    repo.commit("Start");
    repo.branch("topic");
    repo.write("a.py", "import time\ntime.sleep(3)\n");
    repo.commit("Sleep");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("no-sleep"), "{}", outcome.stdout);
    let listed = countersign(repo.path(), &["rules", "list"]);
    assert!(listed.stdout.contains("A sleep (Python)"), "{}", listed.stdout);
}

#[test]
fn a_rule_that_cannot_be_read_stops_the_review() {
    let repo = Repo::new();
    repo.write(".countersign/rules/own.yml", OWN_RULE.replace("severity", "severty"));
    repo.commit("Start");
    repo.branch("topic");
    repo.write("a.py", "x = 1\n");
    repo.commit("Add");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains(".countersign/rules/own.yml:4:1"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("did you mean `severity`?"), "{}", outcome.stderr);
    // The change that repairs the file is told which one counts.
    repo.write(".countersign/rules/own.yml", OWN_RULE);
    repo.commit("Repair");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains("from where rules are read"), "{}", outcome.stderr);
}

#[test]
fn an_example_that_does_not_hold_fails_the_test_of_rules() {
    let repo = Repo::new();
    repo.write(".countersign/rules/own.yml", OWN_RULE.replace("wait(1)", "import time; time.sleep(1)"));
    repo.commit("Start");
    let outcome = countersign(repo.path(), &["rules", "test"]);
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("no-sleep (Python): reports line 1"), "{}", outcome.stdout);
}

#[test]
fn rules_in_folders_below_are_read_from_base_and_tree() {
    let repo = Repo::new();
    repo.write(".countersign/rules/team/own.yaml", OWN_RULE);
    repo.commit("Start");
    repo.branch("topic");
    repo.write("a.py", "import time\ntime.sleep(3)\n");
    repo.commit("Sleep");
    let outcome = countersign(repo.path(), &["review"]);
    assert!(outcome.stdout.contains("no-sleep"), "{}{}", outcome.stdout, outcome.stderr);
    assert!(countersign(repo.path(), &["rules", "list"]).stdout.contains("no-sleep"));
}

#[test]
fn a_rule_of_a_dimension_that_nobody_scores_is_refused() {
    let repo = Repo::new();
    repo.write(".countersign/rules/own.yml", format!("dimension: requirement_adherance\n{OWN_RULE}"));
    repo.commit("Start");
    repo.branch("topic");
    repo.write("a.py", "x = 1\n");
    repo.commit("Add");
    for arguments in [&["review"][..], &["rules", "list"], &["rules", "test"]] {
        let outcome = countersign(repo.path(), arguments);
        assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.stderr.contains("did you mean `requirement_adherence`?"), "{}", outcome.stderr);
    }
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write(
        "countersign.yaml",
        "gate: { dimensions: { requirement_adherance: { weight: important } } }\n",
    );
    repo.commit("Declare it");
    assert_eq!(countersign(repo.path(), &["rules", "list"]).code, Some(0));
}

#[test]
fn rules_are_listed_as_the_policy_has_them() {
    let repo = Repo::new();
    repo.write("countersign.yaml", "rules:\n  severity: { stub: MINOR }\n  disable: [debug-leftover]\n");
    repo.commit("Start");
    let listed = countersign(repo.path(), &["rules", "list"]).stdout;
    let line = |id: &str| listed.lines().find(|line| line.starts_with(&format!("{id} "))).unwrap().to_owned();
    assert!(line("stub").contains(" MINOR "), "{}", line("stub"));
    assert!(line("debug-leftover").contains(" disabled "), "{}", line("debug-leftover"));
    assert!(line("focused-test").contains(" MAJOR "), "{}", line("focused-test"));
}

#[test]
fn who_names_a_repository_gets_it_or_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    for arguments in [&["rules", "list"][..], &["rules", "test"], &["rules", "show", "stub"]] {
        let named = countersign(folder.path(), &[arguments, &["--repo", place][..]].concat());
        assert_eq!(named.code, Some(2), "{arguments:?}: {}", named.stdout);
        assert_eq!(countersign(folder.path(), arguments).code, Some(0), "{arguments:?}");
    }
}

#[test]
fn examples_of_one_rule_are_run_and_told_to_programs() {
    let repo = Repo::new();
    repo.write(".countersign/rules/own.yml", OWN_RULE);
    repo.commit("Start");
    let test = |arguments: &[&str]| countersign(repo.path(), &[&["rules", "test"][..], arguments].concat());
    assert_eq!(test(&["no-sleep"]).stdout, "2 examples hold.\n");
    let report: serde_json::Value =
        serde_json::from_str(&test(&["no-sleep", "--format", "json"]).stdout).unwrap();
    assert_eq!(report, serde_json::json!({"passed": 2, "failed": []}));
    assert!(test(&["no-slep"]).stderr.contains("did you mean `no-sleep`?"));
    assert!(test(&["NO-SLEEP"]).stderr.contains("did you mean `no-sleep`?"));
    assert_eq!(test(&["stub"]).code, Some(2), "its examples are tests of the program");
}

#[test]
fn own_rules_are_marked_and_those_without_examples_named() {
    let repo = Repo::new();
    let (rule, _) = OWN_RULE.split_once("examples:").unwrap();
    repo.write(".countersign/rules/own.yml", rule);
    repo.commit("Start");
    let run = |arguments: &[&str]| countersign(repo.path(), &[&["rules"][..], arguments].concat());
    assert!(run(&["list"]).stdout.contains("[own] A sleep (Python"), "{}", run(&["list"]).stdout);
    assert!(run(&["list", "--format", "json"]).stdout.contains("\"own\": true"));
    assert!(run(&["show", "no-sleep"]).stdout.contains("a rule of this project"));
    assert!(run(&["test"]).stdout.contains("Without examples: no-sleep\n"));
    assert!(run(&["test", "--format", "json"]).stdout.contains("\"without_examples\""));
    assert!(run(&["test", "no-sleep"]).stderr.contains("add `examples`"));
}

#[test]
fn a_rule_is_shown_as_the_policy_has_it() {
    let repo = Repo::new();
    repo.write("countersign.yaml", "rules:\n  severity: { stub: MINOR }\n  disable: [stub]\n");
    repo.commit("Start");
    let shown = countersign(repo.path(), &["rules", "show", "stub"]).stdout;
    for said in ["makes it MINOR", "disables it", "dimension:", "confidence:"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
}

#[test]
fn only_the_policy_lets_a_change_of_skipped_files_pass() {
    for (policy, code) in [("gate: {}\n", 3), ("gate: { allow_skipped: [lock] }\n", 0)] {
        let repo = repo_with_policy(policy);
        repo.write("Cargo.lock", "# lock\nversion = 4\n");
        repo.commit("Lock");
        let outcome = countersign(repo.path(), &["review"]);
        assert_eq!(outcome.code, Some(code), "{}", outcome.stdout);
        let says = outcome.words().contains("every file of the change was skipped, so nothing was reviewed");
        assert_eq!(says, code == 3, "{}", outcome.stdout);
    }
}

#[test]
fn a_change_cannot_accept_what_it_runs_on_everybodys_machine() {
    let repo = repo_with_policy("gate: {}\n");
    repo.write(".envrc", "# countersign:ignore agent-steering -- fine\nexport A=1\n");
    repo.commit("Set up");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("agent-steering"), "{}", outcome.stdout);
}

#[test]
fn a_ticket_that_is_mostly_missing_fails_and_one_that_is_done_passes() {
    let repo = repo_with_policy("gate: {}\n");
    let ticket = "# Notes\n\nAdd the functions `take_note()` and `read_note()`.\n\n\
                  - `notes.py` keeps them\n- `reading.py` reads them\n\n\
                  ## Acceptance criteria\n\n- [ ] Notes are kept\n- [ ] Notes are read\n";
    repo.write("../notes.md", ticket);
    let review = || countersign(repo.path(), &["review", "--ticket", "../notes.md"]);
    repo.write("notes.py", "def take_note(text):\n    return [text]\n");
    repo.commit("Take notes");
    let outcome = review();
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(outcome.words().contains("requirement_adherence is"), "{}", outcome.stdout);
    repo.write("reading.py", "def read_note(notes):\n    return notes[0]\n");
    repo.commit("Read notes");
    let outcome = review();
    assert_eq!(outcome.code, Some(0), "{}", outcome.stdout);
}
