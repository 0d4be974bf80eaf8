//! What lost its definition and is there all the same, and what only looks like that.

use domain::words::Severity;

use crate::breaking::prohibited;
use crate::breaking_languages::read;
use crate::coordination::agreed;
use crate::support::Scenario;

const CASES: &str = include_str!("../cases/breaking-stands.txt");

/// A title begins with `ok` where nothing may block; one about calls is not asked of an epic, which has its own say.
#[test]
fn what_something_else_makes_is_not_lost() {
    let mut wrong = Vec::new();
    for case in read(CASES) {
        let fine = case.title.starts_with("ok ");
        let of_calls = case.title.trim_start_matches("ok ").starts_with("calls of ");
        let scenario = || case.change(Scenario::default());
        let told = |scenario: &Scenario| -> Vec<String> {
            let findings = scenario.findings("breaking-change").into_iter();
            findings.filter(|one| one.blocks(Severity::Major)).map(|one| one.message).collect()
        };
        let plain = told(&scenario());
        let strict = if of_calls { plain.clone() } else { told(&agreed(scenario(), prohibited(&[], &[]))) };
        if strict.is_empty() != fine || (fine && !plain.is_empty()) {
            wrong.push(format!("{}: {strict:?} {plain:?}", case.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
