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
