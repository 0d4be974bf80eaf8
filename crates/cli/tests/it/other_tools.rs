//! What other programs found, in a review of ours.

use serde_json::json;
use testkit::Repo;

use crate::program::countersign;

/// Line 1 is old, line 2 is new.
fn repo(policy: &str) -> Repo {
    let repo = Repo::new();
    repo.write("a.py", "OLD = 1  # FIXME\n");
    repo.write("countersign.yaml", policy);
    repo.commit("Start");
    repo.git(&["checkout", "--quiet", "-b", "topic"]);
    repo.write("a.py", "OLD = 1  # FIXME\nNEW = 2  # FIXME\n");
    repo.commit("Add");
    repo
}

fn sarif(line: u32, level: &str) -> String {
    let place = json!({"artifactLocation": {"uri": "a.py"}, "region": {"startLine": line}});
    let result = json!({
        "ruleId": "F1", "level": level, "message": {"text": format!("line {line} is bad")},
        "locations": [{"physicalLocation": place}]
    });
    json!({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}}, "results": [result]}]})
        .to_string()
}

#[test]
fn a_report_of_another_program_counts_on_new_lines_only() {
    let repo = repo("");
    let folder = tempfile::tempdir().unwrap();
    let (new, old) = (folder.path().join("new.sarif"), folder.path().join("old.sarif"));
    std::fs::write(&new, sarif(2, "error")).unwrap();
    std::fs::write(&old, sarif(1, "error")).unwrap();
    let outcome = countersign(
        repo.path(),
        &["review", "--sarif", new.to_str().unwrap(), "--sarif", old.to_str().unwrap()],
    );
    assert_eq!(outcome.code, Some(1), "{}{}", outcome.stdout, outcome.stderr);
    assert!(
        outcome.stdout.contains("line 2 is bad") && outcome.stdout.contains("lint/F1"),
        "{}",
        outcome.stdout
    );
    assert!(!outcome.stdout.contains("line 1 is bad"), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("1 of 2 results lie on lines that the change added"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_report_that_cannot_be_read_is_refused_with_a_hint() {
    let repo = repo("");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.sarif");
    std::fs::write(&file, "<html>").unwrap();
    let outcome = countersign(repo.path(), &["review", "--sarif", file.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("it is no JSON") && outcome.stderr.contains("SARIF 2.1.0"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_linter_with_a_format_is_run_in_every_review() {
    let repo = repo(
        "sandbox: off\nmodel:\n  linters:\n    fixme: { command: [grep, -nH, FIXME], files: ['*.py'], format: lines }\n",
    );
    let outcome = countersign(repo.path(), &["review", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let found: Vec<_> = report["countersign"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["rule"] == "fixme")
        .collect();
    assert_eq!(found.len(), 1, "{}", outcome.stdout);
    assert_eq!(found[0]["place"]["start"], 2);
}

#[test]
fn a_formatter_that_only_checks_tells_of_files_of_the_change() {
    let coloured = "printf \"Diff in %s:2:\\n\\033[31m-NEW=2\\n\\033[32m+NEW = 2\\n\\033[m\" \"$1\"; exit 1";
    for script in ["echo would reformat \"$1\" >&2; exit 1", "echo \"$1\"", coloured] {
        let repo = repo(&format!(
            "sandbox: off\nmodel:\n  linters:\n    fmt: {{ command: [sh, -c, '{script}', x], files: ['*.py'], format: formatter }}\n",
        ));
        // A line that only a formatter objects to: what two say of the same line is told once.
        repo.write("a.py", "OLD = 1  # FIXME\nNEW=2\n").commit("Plain");
        let outcome = countersign(repo.path(), &["review", "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let all = report["countersign"]["findings"].as_array().unwrap();
        let found: Vec<_> = all.iter().filter(|one| one["rule"] == "fmt/unformatted").collect();
        assert_eq!(found.len(), 1, "{}", outcome.stdout);
        assert_eq!(found[0]["dimension"], "pattern_consistency");
        assert_eq!(found[0]["place"]["start"], 2);
    }
}

#[test]
fn a_linter_that_fails_is_named_with_its_reason_and_has_not_looked() {
    for (script, format, reason) in [
        ("echo no toolchain >&2; exit 1", "formatter", "it ended with 1 and named no place: no toolchain"),
        ("echo no settings; exit 2", "lines", "it ended with 2 and named no place: no settings"),
        ("exit 2", "lines", "it ended with 2 and named no place"),
        ("kill -SEGV $$", "lines", "it was ended by signal 11 and named no place"),
        ("kill -SEGV $$", "sarif", "it was ended by signal 11 and printed no report"),
        ("true", "sarif", "it ended with 0 and printed no report"),
    ] {
        let repo = repo(&format!(
            "sandbox: off\nmodel:\n  linters:\n    lint: {{ command: [sh, -c, '{script}'], format: {format} }}\n"
        ));
        let outcome = countersign(repo.path(), &["review"]);
        assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
        let told = format!("Linter lint found nothing: {reason}\n");
        assert!(outcome.stdout.contains(&told), "{script}: {}", outcome.stdout);
        let json = countersign(repo.path(), &["review", "--format", "json"]).stdout;
        assert!(!json.contains("tool:lint"), "{json}");
    }
}

#[test]
fn a_linter_that_takes_too_long_is_stopped_and_named() {
    let repo = repo(
        "sandbox: off\nmodel:\n  linters:\n    slow: { command: [sh, -c, 'sleep 60'], timeout: 1, format: sarif }\n",
    );
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(
        outcome.stdout.contains("Linter slow found nothing: stopped after 1 seconds"),
        "{}",
        outcome.stdout
    );
}

/// How a review with a report about line 2 ended, under a policy.
fn reviewed(policy: &str, tool: &str, rule: &str, line: &str) -> crate::program::Outcome {
    let repo = repo(policy);
    repo.write("a.py", format!("OLD = 1  # FIXME\n{line}\n")).commit("Say why");
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("x.sarif");
    std::fs::write(
        &report,
        sarif(2, "error").replace("\"lint\"", &format!("\"{tool}\"")).replace("F1", rule),
    )
    .unwrap();
    countersign(repo.path(), &["review", "--sarif", report.to_str().unwrap()])
}

#[test]
fn a_policy_and_a_comment_can_name_rules_of_other_programs() {
    let plain = "NEW = 2";
    assert_eq!(reviewed("", "Lint", "F1", plain).code, Some(1));
    let accepted = "NEW = 2  # countersign:ignore Lint/F1 -- it is meant to be two";
    for (policy, line) in [
        ("rules: { disable: [Lint/F1] }\n", plain),
        ("rules: { disable: ['lint/*'] }\n", plain),
        ("rules: { severity: { Lint/F1: LOW } }\n", plain),
        ("rules: { severity: { Lint/F1: LOW, 'Lint/*': CRITICAL } }\n", plain),
        ("", accepted),
    ] {
        let outcome = reviewed(policy, "Lint", "F1", line);
        assert_eq!(outcome.code, Some(0), "{policy}{line}: {}{}", outcome.stdout, outcome.stderr);
    }
    for (policy, line) in [
        ("rules: { disable: [Lint/F2] }\n", plain),
        ("", "NEW = 2  # countersign:ignore Lint/F2 -- another"),
        ("", "NEW = 2  # countersign:ignore Lint/F1"),
    ] {
        assert_eq!(reviewed(policy, "Lint", "F1", line).code, Some(1), "{policy}{line}");
    }
}

#[test]
fn a_linter_that_calls_everything_an_error_does_not_block_by_that_word() {
    let style = reviewed("", "ruff", "I001", "NEW = 2");
    assert_eq!(style.code, Some(0), "{}{}", style.stdout, style.stderr);
    assert!(style.stdout.contains("LOW advice, ruff/I001"), "{}", style.stdout);
    assert_eq!(
        reviewed("rules: { severity: { ruff/I001: MAJOR } }\n", "ruff", "I001", "NEW = 2").code,
        Some(1)
    );
    assert_eq!(reviewed("", "ruff", "S605", "NEW = 2").code, Some(1));
}

#[test]
fn what_ours_and_another_found_is_told_once() {
    let outcome = reviewed("", "bandit", "B307", "NEW = eval(input())");
    let said = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("HIGH must fix, code-injection") && said.contains("1 must-fix finding,"), "{said}");
    assert!(said.contains("Also found by bandit/B307"), "{said}");
}

#[test]
fn a_linter_that_is_not_installed_is_named() {
    let repo = repo("model:\n  linters:\n    gone: { command: [no-such-linter], format: sarif }\n");
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("Linter gone was not run: its program"), "{}", outcome.stdout);
    let doctor = countersign(repo.path(), &["doctor"]);
    assert!(doctor.stdout.contains("gone: `no-such-linter`"), "{}", doctor.stdout);
}

#[test]
fn a_misspelt_program_of_the_policy_is_refused() {
    let linters = "model:\n  linters:\n    ruff: { command: [ruff], format: sarif }\n";
    let repo = repo(&format!("{linters}rules: {{ disable: [rufff/I001] }}\n"));
    let outcome = countersign(repo.path(), &["review"]);
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains("did you mean `ruff/I001`?"), "{}", outcome.stderr);
}
