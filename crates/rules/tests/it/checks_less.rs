//! Pipelines, hooks, scripts and settings that ask for less than before, case by case, and such that only look like it.

use domain::words::Severity;

use crate::breaking_languages::read;
use crate::support::Scenario;

const CASES: &str = include_str!("../cases/checks-less.txt");

/// What a change of no consequence is told with.
const NOTED: Severity = Severity::Low;

#[test]
fn what_asks_for_less_is_told_of_and_the_rest_is_not() {
    let mut wrong = Vec::new();
    for case in read(CASES) {
        let findings = case.change(Scenario::default()).findings("checks-changed");
        let told = findings.iter().any(|one| one.severity > NOTED);
        let must_block = case.title.starts_with("high ");
        let blocks = findings.iter().any(|one| one.severity >= Severity::High);
        if told == case.title.starts_with("ok ") || (must_block && !blocks) {
            let said: Vec<&str> = findings.iter().map(|one| one.message.as_str()).collect();
            wrong.push(format!("{}: {said:?}", case.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const CI: &str = ".github/workflows/ci.yml";

/// GitHub reads no workflow from elsewhere, whatever is in it.
#[test]
fn a_workflow_that_moves_where_nobody_reads_it_is_gone() {
    let text = "on: [push, pull_request]\njobs:\n  t:\n    steps:\n      - run: pytest\n";
    for new in ["ci.yml.off", "ci.yml.disabled", "ci.bak", "old/ci.yml"] {
        let findings =
            Scenario::renaming(CI, &format!(".github/workflows/{new}"), text).findings("checks-changed");
        assert!(findings.iter().any(|one| one.severity == Severity::High), "{new}");
    }
    for new in ["test.yaml", "checks.yml"] {
        let findings =
            Scenario::renaming(CI, &format!(".github/workflows/{new}"), text).findings("checks-changed");
        assert!(findings.iter().all(|one| one.severity <= NOTED), "{new}");
    }
}

/// A pile of owners or of excuses is read once.
#[test]
fn what_is_long_is_compared_in_time() {
    let owners = |owner: &str| -> String { (0..20_000).map(|at| format!("/src/a{at} {owner}\n")).collect() };
    let started = std::time::Instant::now();
    let findings = Scenario::changing("CODEOWNERS", &owners("@a"), &owners("@b")).findings("checks-changed");
    assert_eq!(findings.len(), 1);
    let steps = |end: &str| -> String { (0..20_000).map(|at| format!("  - run: a{at}{end}\n")).collect() };
    Scenario::changing(CI, &steps(""), &steps("x || true")).findings("checks-changed");
    let settings = "    continue-on-error: true\n    when: manual\n".repeat(10_000);
    Scenario::changing(CI, "on: push\n", &format!("on: push\n{settings}")).findings("checks-changed");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// Nothing is hidden behind a pile of checks that stay as they were.
#[test]
fn more_checks_than_are_compared_are_told_of() {
    let all =
        |end: &str| -> String { (0..600).map(|at| format!("  - run: pytest -n {at}{end}\n")).collect() };
    let findings = Scenario::changing(CI, &all(""), &all(" -q")).findings("checks-changed");
    assert!(findings.iter().any(|one| one.severity == Severity::Medium), "{findings:?}");
}

#[test]
fn a_pipeline_for_releases_decides_over_no_change() {
    let path = ".github/workflows/release.yml";
    let text = |on: &str, check: &str| {
        format!("on:\n{on}jobs:\n  a:\n    steps:\n      - run: {check}\n      - run: cargo publish\n")
    };
    let most = |on: &str| {
        let scenario = Scenario::changing(path, &text(on, "cargo test"), &text(on, "echo fast"));
        scenario.findings("checks-changed").iter().map(|finding| finding.severity).max()
    };
    assert_eq!(most("  push:\n    tags: ['v*']\n"), Some(Severity::Low));
    assert_eq!(most("  release:\n    types: [published]\n"), Some(Severity::Low));
    assert_eq!(most("  push:\n    branches: [main]\n    tags: ['v*']\n"), Some(Severity::High));
    assert_eq!(most("  push:\n    tags: ['v*']\n  pull_request:\n"), Some(Severity::High));
}

#[test]
fn another_pipeline_of_the_change_may_run_the_same() {
    let text =
        |rest: &str| format!("on: pull_request\njobs:\n  a:\n    steps:\n      - run: cargo build\n{rest}");
    let test = "      - run: cargo test --workspace\n";
    let with = |other: &str| {
        let scenario = Scenario::changing(".github/workflows/a.yml", &text(test), &text("")).and_changing(
            ".github/workflows/b.yml",
            &text(other),
            &format!("# {}", text(other))
                .replace("# on:", "on:")
                .replace("cargo build", "cargo build --locked"),
        );
        scenario.findings("checks-changed").iter().map(|finding| finding.severity).max()
    };
    assert_eq!(with(test), Some(Severity::Low));
    assert_eq!(with("      - run: cargo test -p one\n"), Some(Severity::High));
}
