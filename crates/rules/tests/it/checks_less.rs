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
        if told == case.title.starts_with("ok ") {
            let said: Vec<&str> = findings.iter().map(|one| one.message.as_str()).collect();
            wrong.push(format!("{}: {said:?}", case.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
